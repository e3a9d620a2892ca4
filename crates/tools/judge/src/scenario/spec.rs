//! The JSON form of a scenario. `docs/internals/fixtures.md` documents each field.

mod step;

use std::collections::BTreeMap;

use agentwire::{Options, RawJson};
use serde::Deserialize;

pub(super) use step::{Asking, Call, Step};

use super::{pattern::Pattern, words::Words};
use crate::Failure;
use agentwire_testkit::model::script::Script;

/// The whole file.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Spec {
    pub(super) about: String,
    /// The versions of the CLI that the scenario is for; empty for the current one.
    #[serde(default)]
    pub(super) cli: Vec<String>,
    #[serde(default = "yes")]
    pub(super) recorded: bool,
    #[serde(default)]
    pub(super) slow: bool,
    /// Whether our side sends faulty lines on purpose.
    #[serde(default)]
    pub(super) faults: bool,
    #[serde(default)]
    pub(super) model: Script,
    #[serde(default)]
    pub(super) files: BTreeMap<String, RawJson>,
    /// Commands of the shell, run in the working directory before the CLI is started.
    #[serde(default)]
    pub(super) prepare: Vec<String>,
    /// The steps of a session before the recorded one.
    #[serde(default)]
    pub(super) before: Vec<RawJson>,
    #[serde(default)]
    pub(super) options: Options,
    /// More fields of the handshake.
    pub(super) initialize: Option<RawJson>,
    /// Lines that are sent before the handshake.
    #[serde(default)]
    pub(super) lines_before: Vec<String>,
    #[serde(default)]
    pub(super) hooks: Vec<Hook>,
    pub(super) permissions: Option<Permissions>,
    /// Answers to requests of other kinds, by their `subtype`.
    #[serde(default)]
    pub(super) answers: BTreeMap<String, Vec<RawJson>>,
    #[serde(default)]
    pub(super) mcp: BTreeMap<String, Server>,
    /// Each is a [`Step`], parsed when it is taken, since it may contain words that earlier steps kept.
    pub(super) steps: Vec<RawJson>,
    #[serde(default)]
    pub(super) expect: Expect,
}

/// A hook callback and its answers.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Hook {
    pub(super) event: String,
    pub(super) matcher: Option<String>,
    /// In seconds.
    pub(super) timeout: Option<f64>,
    pub(super) on_failure: Option<String>,
    /// In order; later calls get an empty answer.
    #[serde(default)]
    pub(super) replies: Vec<RawJson>,
    pub(super) fail: Option<Fail>,
    /// Each answer waits until an `answer` step names this.
    pub(super) hold: Option<String>,
}

/// How a callback fails.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Fail {
    Error,
    Panic,
    /// It never answers.
    Hang,
}

/// The permission callback and its answers.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(super) struct Permissions {
    /// In order; after the last one, the handler fails, which denies.
    pub(super) answers: Vec<RawJson>,
    pub(super) fail: Option<Fail>,
    /// Each answer waits until an `answer` step names this.
    pub(super) hold: Option<String>,
}

/// An in-process MCP server.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Server {
    pub(super) tools: Vec<Tool>,
}

/// A tool and its answers.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Tool {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) input_schema: RawJson,
    pub(super) result: RawJson,
}

/// What must be true at the end.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(super) struct Expect {
    pub(super) results: Vec<Pattern>,
    pub(super) kinds: Vec<Pattern>,
    pub(super) absent: Vec<Pattern>,
    pub(super) files: BTreeMap<String, Option<String>>,
    pub(super) asked: Vec<String>,
    pub(super) hooked: Vec<String>,
    pub(super) called: Vec<String>,
    /// The subtypes of the requests of other kinds that came.
    pub(super) requested: Vec<String>,
    pub(super) exit: i32,
    /// The name of the signal that ended the CLI, instead of an exit code.
    pub(super) signal: Option<String>,
    /// Whether the session may end in a turn or with an error of the CLI.
    pub(super) cut: bool,
    /// A text in the error of a refused handshake; no step is then taken.
    pub(super) refused: Option<String>,
    pub(super) longest_line: usize,
}

impl Spec {
    /// Parses the text after replacing names with these words.
    pub(super) fn parse(text: &str, words: &Words) -> Result<Self, Failure> {
        Self::read(&words.put_into(text)).map_err(|error| format!("not a scenario: {error}").into())
    }

    fn read(text: &str) -> Result<Self, serde_json::Error> {
        let spec: Self = serde_json::from_str(text)?;
        for step in spec.before.iter().chain(&spec.steps) {
            serde_json::from_str::<Step>(step.as_str())?;
        }
        Ok(spec)
    }
}

fn yes() -> bool {
    true
}
