//! Rounds: each runs all clients in turn, so that a slow moment of the machine affects them all.

use std::{error::Error, path::Path};

use crate::cli::{Plan, Workload};

use crate::{
    clients::Client,
    run::{Run, run},
};

/// The measurements of all clients for one workload.
#[derive(Clone, Debug)]
pub struct Rounds {
    workload: Workload,
    rounds: Vec<Round>,
}

/// The runs of one round: one of each client, by name.
type Round = Vec<(String, Run)>;

impl Rounds {
    /// Runs a warm-up round and then this many rounds, each with another client first.
    /// Ends with the error of the first run that fails.
    pub fn measure(
        plan: Plan,
        clients: &[Client],
        cli: &Path,
        rounds: usize,
    ) -> Result<Self, Box<dyn Error>> {
        let mut measured = Self { workload: plan.workload, rounds: Vec::new() };
        for number in 0..=rounds {
            let mut round = Round::new();
            for turn in 0..clients.len() {
                let client = &clients[(number + turn) % clients.len()];
                round.push((client.name.clone(), run(client, cli, plan)?));
            }
            if number > 0 {
                measured.rounds.push(round);
            }
        }
        Ok(measured)
    }

    /// Returns the workload.
    pub fn workload(&self) -> Workload {
        self.workload
    }

    /// Returns the median of a figure of one client.
    pub fn middle(&self, client: &str, what: impl Fn(&Run) -> f64) -> f64 {
        median(self.rounds.iter().filter_map(|round| Some(what(run_of(round, client)?))).collect())
    }

    /// Returns the median, over the rounds, of a figure of one client divided by the same figure of another.
    pub fn ratio(&self, of: &str, to: &str, what: impl Fn(&Run) -> f64) -> f64 {
        let ratio = |round: &Round| Some(what(run_of(round, of)?) / what(run_of(round, to)?));
        median(self.rounds.iter().filter_map(ratio).collect())
    }

    /// Returns the median, over the rounds, of a figure of one client minus the same figure of another.
    pub fn difference(&self, of: &str, to: &str, what: impl Fn(&Run) -> f64) -> f64 {
        let difference = |round: &Round| Some(what(run_of(round, of)?) - what(run_of(round, to)?));
        median(self.rounds.iter().filter_map(difference).collect())
    }

    #[cfg(test)]
    pub(crate) fn of(workload: Workload, rounds: Vec<Vec<(&str, Run)>>) -> Self {
        let named = |(name, run): (&str, Run)| (name.to_owned(), run);
        Self {
            workload,
            rounds: rounds.into_iter().map(|runs| runs.into_iter().map(named).collect()).collect(),
        }
    }
}

/// Returns the median, NaN for no numbers.
pub(crate) fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(f64::NAN)
}

fn run_of<'a>(round: &'a Round, client: &str) -> Option<&'a Run> {
    round.iter().find(|(name, _)| name == client).map(|(_, run)| run)
}
