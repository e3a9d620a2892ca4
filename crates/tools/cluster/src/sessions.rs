//! The sessions of the checks, their prompts, and the effects of their tools.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use agentwire_restate::SessionPrompt;
use agentwire_worker::{Answer, Outcome, Phase, Question, SessionName, TurnSpec};
use serde_json::json;

use crate::cluster::Cluster;
use crate::failure::Failure;
use crate::processes;
use crate::waiting::{eventually, ready, within};

/// How many sessions of the CLI may start at once.
pub(crate) const AT_ONCE: usize = 4;
/// The tenant of all sessions.
pub(crate) const TENANT: &str = "tenant";

/// Returns the name of the `n`th session.
pub(crate) fn session(n: usize) -> SessionName {
    SessionName::new(TENANT, format!("0b0e7a3e-57a1-4a4c-9d3f-{n:012x}"))
}

/// Returns the `n`th prompt.
pub(crate) fn prompt(n: usize, text: &str) -> SessionPrompt {
    SessionPrompt::new(TurnSpec::prompt(format!("5f3f4c52-5a35-4f0e-9a51-{n:012x}"), text))
}

/// Returns a script that, for each prompt, runs one command in the session's workspace and then answers `Done.`; the
/// same for a prompt that contains `AGAIN`.
pub(crate) fn one_command(command: &str) -> String {
    let done = json!([{"blocks": [{"text": DONE}], "times": MANY}]);
    let input = json!({"command": command, "description": "Note"});
    let tool = json!({"tool_use": {"name": "Bash", "input": input}});
    json!({
        "replies": [{"blocks": [tool], "times": MANY}],
        "match": [
            {"marker": "AGAIN", "in": "last", "replies": done},
            {"marker": "tool_result", "in": "last", "replies": done},
        ],
    })
    .to_string()
}

pub(crate) fn is_done(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Done { text, is_error: false } if text == DONE)
}

/// Returns how many turns ended with the last text of [`one_command`], and the first other outcome.
pub(crate) fn done(outcomes: &[Outcome]) -> (usize, String) {
    let other = outcomes.iter().find(|outcome| !is_done(outcome));
    let text = other.map_or_else(String::new, |other| format!("; another outcome is {other:?}"));
    (outcomes.iter().filter(|outcome| is_done(outcome)).count(), text)
}

impl Cluster {
    /// Sends a prompt to each of the sessions from 0 on.
    pub(crate) async fn send(&self, prompts: &[SessionPrompt]) -> Result<(), Failure> {
        within("all prompts are stored", LIMIT, async {
            for (n, prompt) in prompts.iter().enumerate() {
                self.client.send(&session(n), prompt).await?;
            }
            Ok(())
        })
        .await
    }

    /// Waits for the outcomes of prompts that were sent: a request with a known id runs nothing.
    pub(crate) async fn outcomes(&self, prompts: &[SessionPrompt]) -> Result<Vec<Outcome>, Failure> {
        within("all turns have ended", LIMIT, async {
            let mut outcomes = Vec::new();
            for (n, prompt) in prompts.iter().enumerate() {
                outcomes.push(self.client.prompt(&session(n), prompt).await?);
            }
            Ok(outcomes)
        })
        .await
    }

    /// Waits until each of the sessions has one parked question, and returns the questions.
    pub(crate) async fn parked(&self, sessions: Range<usize>) -> Result<Vec<Question>, Failure> {
        let mut questions = Vec::new();
        for n in sessions {
            eventually("the question of each session is parked", LIMIT, async || {
                let status = self.client.status(&session(n)).await?;
                let is_parked = status.phase == Phase::Parked && status.questions.len() == 1;
                questions.extend(status.questions.into_iter().filter(|_| is_parked));
                Ok(is_parked)
            })
            .await?;
        }
        Ok(questions)
    }

    /// Answers the question of the `n`th session, as soon as the engine is ready.
    pub(crate) async fn answer(&self, n: usize, question: &Question, answer: &Answer) -> Result<(), Failure> {
        eventually("the answer is accepted", LIMIT, async || {
            let answered = self.client.answer(&session(n), &question.id, answer.clone()).await;
            // The question was open: if it is not any more, the answer to an earlier attempt was lost.
            Ok(ready(answered)?.is_some())
        })
        .await
    }

    /// Waits until all but fewer than `most` of the first `sessions` sessions have run their tool.
    ///
    /// Start few at a time: of many CLIs that start at once on few cores, some are so slow that the worker refuses their
    /// tools.
    pub(crate) async fn fewer_start(&self, sessions: usize, most: usize) -> Result<(), Failure> {
        let starting = || (0..sessions).filter(|n| self.effects(&session(*n)) == 0).count();
        eventually("the sessions run their tools", LIMIT, async || Ok(starting() < most)).await
    }

    /// Returns how many lines the tools of a session have written to `ran.txt` of its workspace.
    pub(crate) fn effects(&self, session: &SessionName) -> usize {
        let file = self.path("workspaces").join(session.to_string()).join("ran.txt");
        fs::read_to_string(file).unwrap_or_default().lines().count()
    }
}

/// Returns how many sessions run in this network namespace, by the processes of a CLI or its stand-in.
pub(crate) fn processes(cli: &Path) -> Result<usize, Failure> {
    // The CLI also starts itself as a tool.
    let is_session = |process: &Path| {
        fs::read_link(process.join("exe")).is_ok_and(|exe| exe == cli)
            && fs::read_to_string(process.join("cmdline")).is_ok_and(|line| line.contains("stream-json"))
    };
    let sessions: Vec<_> =
        processes::processes()?.into_iter().filter(|process| is_session(process)).collect();
    // A process that a session starts is a copy of the session until it runs its own program.
    let is_copy = |process: &PathBuf| {
        parent(process).is_some_and(|parent| sessions.contains(&process.with_file_name(parent)))
    };
    Ok(sessions.iter().filter(|process| !is_copy(process)).count())
}

fn parent(process: &Path) -> Option<String> {
    let status = fs::read_to_string(process.join("status")).ok()?;
    status.lines().find_map(|line| Some(line.strip_prefix("PPid:")?.trim().to_owned()))
}

/// How long the turns of all sessions of a check may take, on a busy machine.
pub(crate) const LIMIT: Duration = Duration::from_secs(900);
const MANY: usize = 100_000;
const DONE: &str = "Done.";
