//! What sessions took in tokens and money, by day and by model.

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

/// What was counted by a [`CostMeter`].
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct CostSummary {
    /// What each model took on each day; under `None`, what has no time.
    pub days: BTreeMap<Option<Day>, BTreeMap<Box<str>, Spent>>,
    /// What the CLI itself counted that the sessions cost, the last that it told of each (`cost-state`), in US dollars;
    /// `None` where it told none.
    /// It is of whole sessions, at the CLI's own prices, and no part of `days`.
    pub told_usd: Option<f64>,
    /// How many lines were longer than what is read of one, and so were not counted.
    pub lines_too_long: u64,
    /// How many answers were counted whose ids were not kept: a later copy of one of them would count again.
    pub forgotten: u64,
}

impl CostSummary {
    /// What each model took on all days together.
    pub fn by_model(&self) -> BTreeMap<&str, Spent> {
        let mut models = BTreeMap::new();
        for (model, spent) in self.days.values().flatten() {
            *models.entry(&**model).or_default() += *spent;
        }
        models
    }

    /// What was taken on each day by all models together.
    pub fn by_day(&self) -> BTreeMap<Option<Day>, Spent> {
        self.days.iter().map(|(day, models)| (*day, models.values().copied().sum())).collect()
    }

    /// What was taken in all.
    pub fn total(&self) -> Spent {
        self.days.values().flat_map(BTreeMap::values).copied().sum()
    }
}

impl Sessions {
    /// What a session took, with its subagents; `None` where it is not found.
    ///
    /// It holds one line, and what the meter holds.
    ///
    /// # Errors
    ///
    /// When the id is no UUID, or the folder of all projects or one of the files can't be read.
    pub fn cost(&self, id: &SessionId, mut meter: CostMeter) -> Result<Option<CostSummary>, SessionError> {
        let Some(file) = self.find(id)? else { return Ok(None) };
        self.count(file, &mut meter)?;
        Ok(Some(meter.summary()))
    }

    /// What each session took, with its subagents, the one that was written last first, each when it is asked for.
    ///
    /// Every session is counted by a meter like this one.
    /// A session that began as a copy of another has that one's answers too, so that the sum of the sessions may be
    /// more than what [`total_cost`](Self::total_cost) tells.
    ///
    /// # Errors
    ///
    /// When the folder of all projects can't be read; an item, when a file can't be.
    pub fn costs(
        &self,
        meter: CostMeter,
    ) -> Result<impl Iterator<Item = Result<(SessionId, CostSummary), SessionError>> + use<>, SessionError>
    {
        let sessions = self.clone();
        Ok(self.files()?.map(move |file| {
            let (id, mut meter) = (file.id.clone(), meter.clone());
            sessions.count(file, &mut meter)?;
            Ok((id, meter.summary()))
        }))
    }

    /// What all sessions took together, each answer once, also where a session began as a copy of another.
    ///
    /// # Errors
    ///
    /// When the folder of all projects or one of the files can't be read.
    pub fn total_cost(&self, mut meter: CostMeter) -> Result<CostSummary, SessionError> {
        for file in self.files()? {
            self.count(file, &mut meter)?;
        }
        Ok(meter.summary())
    }

    /// Counts what is in a session's files.
    fn count(&self, file: SessionFile, meter: &mut CostMeter) -> Result<(), SessionError> {
        for source in self.sources(file, true) {
            let reading = |error| SessionError::io("reading", &source.path)(error);
            let mut lines = match Lines::open(&source.path, meter.max_line()) {
                Ok(lines) => lines,
                // It is gone since it was found.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(reading(error)),
            };
            while let Some(line) = lines.next().map_err(reading)? {
                match line {
                    Line::Whole(line) => meter.line(line),
                    Line::TooLong(_) => meter.too_long(),
                }
            }
        }
        Ok(())
    }
}
