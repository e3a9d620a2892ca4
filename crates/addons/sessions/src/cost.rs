//! Tokens and cost of sessions, by day and by model.

mod answer;
mod day;
mod meter;
mod price;
mod tokens;

use std::collections::BTreeMap;
use std::io;

use agentwire_protocol::SessionId;

pub use day::Day;
pub use meter::CostMeter;
pub use price::{Price, Prices};
pub use tokens::{Spent, Tokens};

use crate::sessions::SessionFile;
use crate::stream::{Line, Lines};
use crate::{SessionError, Sessions};

/// The totals of a [`CostMeter`].
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct CostSummary {
    /// Usage by day and model; the key `None` is for answers without a time.
    pub days: BTreeMap<Option<Day>, BTreeMap<Box<str>, Spent>>,
    /// The sum of the cost that the CLI itself last recorded for each session (`cost-state`), in US dollars; `None` if
    /// it recorded none.
    /// It is for whole sessions, at the CLI's prices, and independent of `days`. A fork includes what its original had
    /// cost, so the sum counts that again for each fork.
    pub recorded_usd: Option<f64>,
    /// How many lines were skipped because they exceed the size limit.
    pub lines_too_long: u64,
    /// How many counted answers were forgotten to bound memory: later copies of them would be counted again.
    pub forgotten: u64,
}

impl CostSummary {
    /// Returns the usage by model.
    pub fn by_model(&self) -> BTreeMap<&str, Spent> {
        let mut models = BTreeMap::new();
        for (model, spent) in self.days.values().flatten() {
            *models.entry(&**model).or_default() += *spent;
        }
        models
    }

    /// Returns the usage by day.
    pub fn by_day(&self) -> BTreeMap<Option<Day>, Spent> {
        self.days.iter().map(|(day, models)| (*day, models.values().copied().sum())).collect()
    }

    /// Returns the total usage.
    pub fn total(&self) -> Spent {
        self.days.values().flat_map(BTreeMap::values).copied().sum()
    }
}

impl Sessions {
    /// Returns the usage of a session and its subagents; `None` if the session does not exist.
    ///
    /// Holds one line and the meter's state in memory.
    ///
    /// # Errors
    ///
    /// If the id is not a UUID, or the projects folder or a file can't be read.
    pub fn cost(&self, id: &SessionId, mut meter: CostMeter) -> Result<Option<CostSummary>, SessionError> {
        let Some(file) = self.find(id)? else { return Ok(None) };
        self.count(file, &mut meter)?;
        Ok(Some(meter.summary()))
    }

    /// Returns the usage of all sessions; an answer that is in several sessions, as after a fork, counts once.
    ///
    /// # Errors
    ///
    /// If the projects folder, a project folder or a file can't be read.
    pub fn total_cost(&self, mut meter: CostMeter) -> Result<CostSummary, SessionError> {
        for file in self.files()? {
            self.count(file?, &mut meter)?;
        }
        Ok(meter.summary())
    }

    /// Counts the entries in a session's files.
    fn count(&self, file: SessionFile, meter: &mut CostMeter) -> Result<(), SessionError> {
        for source in self.sources(file, true) {
            let reading = |error| SessionError::io("reading", &source.path)(error);
            let mut lines = match Lines::open(&source.path) {
                Ok(lines) => lines,
                // It was deleted since it was listed.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(reading(error)),
            };
            while let Some(line) = lines.next().map_err(reading)? {
                match line {
                    Line::Whole(line) => meter.line(line),
                    Line::TooLong(_) => meter.summary.lines_too_long += 1,
                }
            }
        }
        Ok(())
    }
}
