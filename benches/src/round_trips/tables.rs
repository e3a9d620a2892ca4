//! What several sessions of each client came to, as tables and as marks.

use std::fmt::Write;

use super::{
    measure::Client,
    report::{Phase, Report},
    workload::Workload,
};
use crate::marks::{AT_ONCE, Bound, LINEAR, ROUND_TRIP, YARDSTICK, median};

/// The reports of one workload, of each client one a run.
#[derive(Clone, Debug, Default)]
pub struct Runs(Vec<(usize, Report)>);

impl Runs {
    /// Adds the report of a run.
    pub fn add(&mut self, client: Client, report: Report) {
        self.0.push((client as usize, report));
    }

    /// The table of all clients, in µs and requests a second, each the median of its runs.
    pub fn table(&self, workload: Workload) -> String {
        let mut table = format!(
            "\n{}\n| client | open at once | p50, µs | p99, µs | requests/s | CPU, µs a request |\n|---|---:|---:|---:|---:|---:|\n",
            workload.name()
        );
        for client in Client::ALL {
            let cpu = median(self.of(client).filter_map(cpu_a_request).collect());
            for (at, (outstanding, _)) in super::cli::PHASES.iter().enumerate() {
                let of = |what: fn(&Phase) -> f64| self.middle(client, |report| phase(report, at, what));
                let cpu = if at == 0 { format!("{cpu:.1}") } else { String::new() };
                // Writing to a string does not fail.
                let _: std::fmt::Result = writeln!(
                    table,
                    "| {} | {outstanding} | {:.1} | {:.1} | {:.0} | {cpu} |",
                    client.name(),
                    of(|phase| phase.p50),
                    of(|phase| phase.p99),
                    of(Phase::rate),
                );
            }
        }
        table
    }

    /// What the marks are compared with, each the median of what the runs gave.
    pub fn marks(&self) -> [(&'static str, Bound, f64); 4] {
        let one = |report| phase(report, ONE, |phase| phase.p50);
        let over = |of, to| median(self.of(of).zip(self.of(to)).map(|(of, to)| one(of) / one(to)).collect());
        let at_once = self.middle(Client::Ours, |report| {
            phase(report, SIXTY_FOUR, Phase::rate) / phase(report, ONE, Phase::rate)
        });
        let linear = self.middle(Client::Ours, |report| {
            phase(report, EIGHT, Phase::rate) / phase(report, SIXTY_FOUR, Phase::rate)
        });
        [
            ("the yardstick: bare echo / floor, p50", YARDSTICK, over(Client::Echo, Client::Floor)),
            ("p50 one at a time / bare echo", ROUND_TRIP, over(Client::Ours, Client::Echo)),
            ("requests a second, 64 at once / one at a time", AT_ONCE, at_once),
            ("time a request, 64 at once / 8 at once", LINEAR, linear),
        ]
    }

    fn of(&self, client: Client) -> impl Iterator<Item = &Report> {
        self.0.iter().filter(move |(of, _)| *of == client as usize).map(|(_, report)| report)
    }

    fn middle(&self, client: Client, what: impl Fn(&Report) -> f64) -> f64 {
        median(self.of(client).map(what).collect())
    }
}

fn phase(report: &Report, at: usize, what: impl Fn(&Phase) -> f64) -> f64 {
    report.phases.get(at).map_or(f64::NAN, what)
}

/// Those that warm up cost as much, and count here.
fn cpu_a_request(report: &Report) -> Option<f64> {
    let requests: usize = report.phases.iter().map(|phase| phase.requests + phase.requests / 10).sum();
    report.cpu.map(|cpu| cpu * 1e6 / requests as f64)
}

const ONE: usize = 0;
const EIGHT: usize = 1;
const SIXTY_FOUR: usize = 2;

#[cfg(test)]
mod tests {
    use super::Runs;
    use crate::round_trips::{
        measure::Client,
        report::{Phase, Report},
    };

    fn report(times: [f64; 3]) -> Report {
        let phase = |p50: f64| Phase { outstanding: 1, requests: 10, seconds: p50, p50, p99: p50 };
        Report { phases: times.map(phase).to_vec(), cpu: Some(1.0) }
    }

    #[test]
    fn marks_are_medians_of_ratios_within_the_runs() {
        let mut runs = Runs::default();
        for (echo, ours) in [(10.0, 14.0), (100.0, 120.0), (10.0, 30.0)] {
            runs.add(Client::Floor, report([5.0, 1.0, 1.0]));
            runs.add(Client::Echo, report([echo, 1.0, 1.0]));
            runs.add(Client::Ours, report([ours, 7.0, 8.0]));
        }
        let [yardstick, over_echo, at_once, linear] =
            runs.marks().map(|(_, bound, ratio)| (ratio, bound.holds(ratio)));
        assert_eq!(yardstick, (2.0, true));
        assert_eq!(over_echo, (1.4, true));
        assert_eq!(at_once, (30.0 / 8.0, true));
        assert_eq!(linear, (8.0 / 7.0, true));
    }

    #[test]
    fn a_slow_echo_is_no_yardstick() {
        let mut runs = Runs::default();
        runs.add(Client::Floor, report([5.0, 1.0, 1.0]));
        runs.add(Client::Echo, report([55.0, 1.0, 1.0]));
        runs.add(Client::Ours, report([60.0, 7.0, 8.0]));
        let [(_, bound, ratio), ..] = runs.marks();
        assert!(!bound.holds(ratio), "{ratio}");
    }

    #[test]
    fn nothing_measured_keeps_no_mark() {
        assert!(Runs::default().marks().iter().all(|(_, bound, ratio)| !bound.holds(*ratio)));
    }
}
