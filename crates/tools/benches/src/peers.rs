//! Clients on other SDKs beside ours: their figures, their losses, or the reason for a missing figure.

use std::{
    collections::BTreeMap,
    error::Error,
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use crate::cli::{Plan, Workload};
use serde::Deserialize;

use crate::{
    clients::Client,
    measured::{lap, megabytes, messages_a_second, start},
    outcome::ERROR,
    rounds::median,
    run::{Run, Unplayed, last_line, play},
};

/// A client in the file that `cargo xtask bench --peers` writes.
#[derive(Clone, Debug, Deserialize)]
pub struct Peer {
    name: String,
    program: PathBuf,
    arguments: Vec<String>,
}

impl Peer {
    /// Reads all clients in a file.
    pub fn named_in(file: &Path) -> Result<Vec<Self>, Box<dyn Error>> {
        Ok(serde_json::from_slice(&fs::read(file)?)?)
    }

    /// Returns a client with this home folder.
    pub fn at_home(self, home: &Path) -> Client {
        let arguments = self.arguments.into_iter().map(Into::into).collect();
        Client { name: self.name, program: self.program, arguments, home: Some(home.to_owned()) }
    }
}

/// Returns whether peers play this workload: many open requests are for our own bounds.
pub fn are_played(workload: Workload) -> bool {
    workload != Workload::HookMany
}

/// The head of the table.
pub const HEAD: &str = "| workload | client | time or rate | memory, MB | messages seen | of the conversation lost |\n|---|---|---:|---:|---:|---|";

/// Runs all clients in turn, repeatedly, and returns their rows; a client that failed is not run again.
pub fn rows(clients: &[Client], cli: &Path, plan: Plan, rounds: usize) -> Vec<String> {
    let mut came: Vec<Came> = clients.iter().map(|_| Ok(Vec::new())).collect();
    for round in 0..rounds {
        for turn in 0..clients.len() {
            let at = (round + turn) % clients.len();
            let (client, came) = (&clients[at], &mut came[at]);
            if let Ok(runs) = came {
                match play(client, cli, plan, LIMIT) {
                    Ok(run) => runs.push(run),
                    Err(why) => *came = Err(why),
                }
            }
        }
    }
    let row = |(client, came): (&Client, &Came)| {
        format!("| {} | {} | {} |", plan.workload.name(), client.name, cells(plan.workload, came))
    };
    clients.iter().zip(&came).map(row).collect()
}

/// The runs of one client, or the failure of one of them.
type Came = Result<Vec<Run>, Unplayed>;

fn cells(workload: Workload, came: &Came) -> String {
    let runs = match came {
        Ok(runs) => runs,
        Err(Unplayed::TooLong(limit, last_line)) => {
            return format!("not done in {} s{} | | |", limit.as_secs(), in_brackets(last_line));
        }
        Err(Unplayed::Failed(why)) => {
            return format!("failed{} | | |", in_brackets(&last_line(why.as_bytes())));
        }
    };
    let middle = |what: fn(&Run) -> f64| median(runs.iter().map(what).collect());
    // The run with the most losses; usually all runs lose the same.
    let Some(worst) = runs.iter().min_by_key(|run| run.outcome.received.messages) else {
        return "not run | | |".to_owned();
    };
    let figure = match workload {
        Workload::Callback(_) | Workload::HookMany => format!("{:.1} µs", middle(lap)),
        Workload::Stream => format!("{:.0} messages/s", middle(messages_a_second)),
        Workload::Stalled => format!("{:.2} s", middle(lap) / 1e6),
        Workload::Turns => format!("{:.0} µs a turn", middle(lap)),
        Workload::Start => format!("{:.2} ms", middle(start) / 1e3),
    };
    format!("{figure} | {:.1} | {} | {}", middle(megabytes), seen(worst), lost(worst))
}

fn seen(Run { report, outcome }: &Run) -> String {
    let seen = format!("{} of {}", outcome.received.messages, report.sent.messages);
    match outcome.kinds.get(ERROR) {
        Some(errors) => format!("{seen}, {errors} as errors"),
        None => seen,
    }
}

/// Describes the messages of the conversation that were lost or repeated.
fn lost(Run { report, outcome }: &Run) -> String {
    if outcome.kinds.is_empty() {
        // The client has read all content.
        return if outcome.received.is(report.sent) { "none" } else { "read otherwise" }.to_owned();
    }
    let of = |kinds: &BTreeMap<String, u64>, kind: &str| kinds.get(kind).copied().unwrap_or_default();
    let lost: Vec<String> = CONVERSATION
        .iter()
        .filter_map(|kind| match (of(&report.kinds, kind), of(&outcome.kinds, kind)) {
            (sent, seen) if seen < sent => Some(format!("{} `{kind}`", sent - seen)),
            (sent, seen) if seen > sent => Some(format!("{} `{kind}` too many", seen - sent)),
            _ => None,
        })
        .collect();
    if lost.is_empty() { "none".to_owned() } else { lost.join(", ") }
}

fn in_brackets(text: &str) -> String {
    let text: String = text.chars().take(WIDTH).collect::<String>().replace('|', "/");
    if text.is_empty() { text } else { format!(" ({text})") }
}

/// The types of messages that a user needs; a peer's client does not distinguish the others.
const CONVERSATION: [&str; 4] = ["stream_event", "assistant", "user", "result"];
/// About ten times what most of them take.
const LIMIT: Duration = Duration::from_secs(60);
const WIDTH: usize = 160;

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use crate::cli::{Callback, Phase, Report, Tally, Workload};

    use super::{cells, lost, seen};
    use crate::run::{Run, Unplayed};

    const HOOK: Workload = Workload::Callback(Callback::Hook);

    /// Returns a run of a peer that reported these kinds.
    fn run(outcome: &str) -> Run {
        let kinds = [("user", 2), ("stream_event", 5), ("system", 1)];
        let phase = Phase { outstanding: 1, requests: 10, seconds: 2.0, p50: 9.0, p99: 9.0 };
        let report = Report {
            phases: vec![phase],
            sent: Tally { messages: 8, bytes: 80, checksum: 7 },
            kinds: kinds.map(|(kind, count)| (kind.to_owned(), count)).into(),
        };
        Run { report, outcome: serde_json::from_str(outcome).unwrap() }
    }

    #[test]
    fn swallowed_messages_are_distinguished_from_lost_ones() {
        let swallowed = run(r#"{"messages":7,"kinds":{"user":2,"stream_event":5},"memory":2000000}"#);
        assert_eq!((&*seen(&swallowed), &*lost(&swallowed)), ("7 of 8", "none"));
        assert_eq!(cells(HOOK, &Ok(vec![swallowed])), "9.0 µs | 2.0 | 7 of 8 | none");
        let lossy = run(r#"{"messages":6,"kinds":{"user":3,"stream_event":2,"other":1,"error":2}}"#);
        assert_eq!(seen(&lossy), "6 of 8, 2 as errors");
        assert_eq!(lost(&lossy), "3 `stream_event`, 1 `user` too many");
    }

    #[test]
    fn a_client_that_reads_all_must_match_the_checksum() {
        assert_eq!(lost(&run(r#"{"messages":8,"bytes":80,"checksum":7}"#)), "none");
        assert_eq!(lost(&run(r#"{"messages":8,"bytes":80,"checksum":8}"#)), "read otherwise");
    }

    #[test]
    fn a_reason_is_one_line_in_a_cell() {
        let failed = Unplayed::Failed("exit status: 1\nTraceback\n  Error: a|b\n\n".to_owned());
        assert_eq!(cells(HOOK, &Err(failed)), "failed (Error: a/b) | | |");
        let late = Unplayed::TooLong(Duration::from_secs(60), String::new());
        assert_eq!(cells(HOOK, &Err(late)), "not done in 60 s | | |");
    }
}
