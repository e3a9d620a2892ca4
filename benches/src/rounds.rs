//! All clients in turn, again and again, so that a slow moment of the machine meets them all.

use std::{error::Error, path::Path, time::Instant};

use agentwire_testkit::bench::{
    Plan, Workload, Writes,
    stream::{Tags, generate},
};

use crate::{
    clients::Client,
    input::Input,
    marks::median,
    run::{Run, run},
    ways::IGNORED,
};

/// What the clients came to with one workload.
#[derive(Clone, Debug)]
pub struct Rounds {
    workload: Workload,
    rounds: Vec<Round>,
}

/// One run of each client, one right after another.
#[derive(Clone, Debug, Default)]
struct Round {
    runs: Vec<(String, Run)>,
    /// What `IgnoredAny` takes for the same stream in this process, in bytes a second of the wall's clock, as the clients'.
    ignored: Option<f64>,
}

impl Rounds {
    /// Runs the clients so many times, each round from another one on, after a round that warms up.
    ///
    /// # Errors
    ///
    /// When a run does not end well: see [`run`].
    pub fn measure(
        plan: Plan,
        clients: &[Client],
        cli: &Path,
        rounds: usize,
    ) -> Result<Self, Box<dyn Error>> {
        let ignored = matches!(plan.workload, Workload::Stream(Writes::Blocks));
        let stream = ignored.then(|| Input::new(generate(Tags::First, plan.share)));
        let mut measured = Self { workload: plan.workload, rounds: Vec::new() };
        for number in 0..=rounds {
            let mut round = Round { ignored: stream.as_ref().map(bytes_a_second), ..Round::default() };
            for turn in 0..clients.len() {
                let client = &clients[(number + turn) % clients.len()];
                round.runs.push((client.name.clone(), run(client, cli, plan)?));
            }
            if number > 0 {
                measured.rounds.push(round);
            }
        }
        Ok(measured)
    }

    /// What was played.
    pub fn workload(&self) -> Workload {
        self.workload
    }

    /// The median of a figure of one client.
    pub fn middle(&self, client: &str, what: impl Fn(&Run) -> f64) -> f64 {
        median(self.rounds.iter().filter_map(|round| Some(what(round.run(client)?))).collect())
    }

    /// The median of the rounds' ratios of a figure of one client to that of another.
    pub fn ratio(&self, of: &str, to: &str, what: impl Fn(&Run) -> f64) -> f64 {
        let ratio = |round: &Round| Some(what(round.run(of)?) / what(round.run(to)?));
        median(self.rounds.iter().filter_map(ratio).collect())
    }

    /// The median of the rounds' ratios of a client's bytes a second to those of `IgnoredAny` in process.
    pub fn over_ignored(&self, client: &str, what: impl Fn(&Run) -> f64) -> f64 {
        let ratio = |round: &Round| Some(what(round.run(client)?) / round.ignored?);
        median(self.rounds.iter().filter_map(ratio).collect())
    }

    /// The median of `IgnoredAny`'s bytes a second, where it was measured.
    pub fn ignored(&self) -> Option<f64> {
        let ignored: Vec<f64> = self.rounds.iter().filter_map(|round| round.ignored).collect();
        (!ignored.is_empty()).then(|| median(ignored))
    }

    #[cfg(test)]
    pub(crate) fn of(workload: Workload, rounds: Vec<Vec<(&str, Run)>>, ignored: Option<f64>) -> Self {
        let named = |(name, run): (&str, Run)| (name.to_owned(), run);
        let round = |runs: Vec<(&str, Run)>| Round { runs: runs.into_iter().map(named).collect(), ignored };
        Self { workload, rounds: rounds.into_iter().map(round).collect() }
    }
}

impl Round {
    fn run(&self, client: &str) -> Option<&Run> {
        self.runs.iter().find(|(name, _)| name == client).map(|(_, run)| run)
    }
}

fn bytes_a_second(stream: &Input) -> f64 {
    let started = Instant::now();
    (IGNORED.read)(stream);
    stream.bytes().len() as f64 / started.elapsed().as_secs_f64()
}
