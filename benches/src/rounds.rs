//! All clients in turn, again and again, so that a slow moment of the machine meets them all.

use std::{error::Error, path::Path, time::Instant};

use agentwire_testkit::bench::{
    Plan, Workload, Writes,
    stream::{Tags, generate},
};

use crate::{
    clients::{Client, in_process},
    input::Input,
    marks::median,
    run::{Run, run},
    ways::{IGNORED, SPLIT},
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
    /// What reading the same stream in this process comes to.
    in_process: Option<InProcess>,
}

/// How the stream is read in this process, where it lies, in bytes a second of the wall's clock.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_structs, reason = "made and read here alone")]
pub struct InProcess {
    /// By `IgnoredAny`, which walks the JSON and keeps nothing.
    pub ignored: f64,
    /// As *floor* reads it.
    pub floor: f64,
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
        let in_process = matches!(plan.workload, Workload::Stream(Writes::Blocks));
        let stream = in_process.then(|| Input::new(generate(Tags::First, plan.share)));
        let mut measured = Self { workload: plan.workload, rounds: Vec::new() };
        for number in 0..=rounds {
            let in_process = stream.as_ref().map(InProcess::measure).transpose()?;
            let mut round = Round { in_process, ..Round::default() };
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

    /// The median of a figure of reading in process; `None` where that was not measured.
    pub fn in_process(&self, what: impl Fn(InProcess) -> f64) -> Option<f64> {
        let figures: Vec<f64> = self.rounds.iter().filter_map(|round| round.in_process).map(what).collect();
        (!figures.is_empty()).then(|| median(figures))
    }

    #[cfg(test)]
    pub(crate) fn of(
        workload: Workload,
        rounds: Vec<Vec<(&str, Run)>>,
        in_process: Option<InProcess>,
    ) -> Self {
        let named = |(name, run): (&str, Run)| (name.to_owned(), run);
        let round =
            |runs: Vec<(&str, Run)>| Round { runs: runs.into_iter().map(named).collect(), in_process };
        Self { workload, rounds: rounds.into_iter().map(round).collect() }
    }
}

impl Round {
    fn run(&self, client: &str) -> Option<&Run> {
        self.runs.iter().find(|(name, _)| name == client).map(|(_, run)| run)
    }
}

impl InProcess {
    fn measure(stream: &Input) -> Result<Self, String> {
        let lines = (SPLIT.read)(stream);
        let bytes_a_second = |read: fn(&Input) -> usize| {
            let started = Instant::now();
            let read = read(stream);
            let seconds = started.elapsed().as_secs_f64();
            if read != lines {
                return Err(format!("in process {read} of {lines} lines were read"));
            }
            Ok(stream.bytes().len() as f64 / seconds)
        };
        let ignored = bytes_a_second(IGNORED.read)?;
        Ok(Self { ignored, floor: bytes_a_second(|stream| in_process(stream.bytes()))? })
    }
}

#[cfg(test)]
mod tests {
    use agentwire_testkit::bench::stream::{Tags, generate};

    use super::InProcess;
    use crate::input::Input;

    #[test]
    fn what_can_not_be_read_in_process_is_no_figure() {
        let mut stream = generate(Tags::First, 500);
        let measured = InProcess::measure(&Input::new(stream.clone())).unwrap();
        assert!(measured.ignored > 0.0 && measured.floor > 0.0);
        stream.extend_from_slice(b"{\"type\":\"stream_event\"}\n");
        InProcess::measure(&Input::new(stream)).unwrap_err();
    }
}
