//! A scenario as it is spelt: one small JSON file. The module above tells what each field means.

use std::collections::BTreeMap;

use agentwire::{Options, PermissionMode, RawJson};
use serde::Deserialize;
use serde_json::Value;

use super::pattern::Pattern;
use crate::model::script::Script;

/// The whole file.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Spec {
    pub(super) about: String,
    #[serde(default = "yes")]
    pub(super) recorded: bool,
    #[serde(default)]
    pub(super) slow: bool,
    pub(super) model: Script,
    #[serde(default)]
    pub(super) options: Options,
    #[serde(default)]
    pub(super) files: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) hooks: Vec<Hook>,
    pub(super) permissions: Option<Permissions>,
    #[serde(default)]
    pub(super) mcp: BTreeMap<String, Server>,
    pub(super) steps: Vec<Step>,
    #[serde(default)]
    pub(super) expect: Expect,
}

/// A hook callback, and what it answers.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Hook {
    pub(super) event: String,
    pub(super) matcher: Option<String>,
    /// In seconds.
    pub(super) timeout: Option<f64>,
    pub(super) on_failure: Option<String>,
    /// In order; after them, nothing is said.
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

/// The permission callback, and what it answers.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(super) struct Permissions {
    /// In order; after them, the handler fails, and so denies.
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

/// A tool of it, and what it answers.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Tool {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) input_schema: RawJson,
    pub(super) result: RawJson,
}

/// One thing that our side does or waits for.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) enum Step {
    Prompt(String),
    Until(Pattern),
    Asked(String),
    Hooked(String),
    Sent(Pattern),
    File(String),
    Held(String),
    Release(String),
    Answer(String),
    Interrupt,
    SetModel(Option<String>),
    SetPermissionMode(PermissionMode),
    McpStatus(Pattern),
    Call(Call),
    EndInput,
}

/// A control request in our own words, and what comes of it.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Call {
    pub(super) request: RawJson,
    pub(super) reply: Option<Pattern>,
    pub(super) error: Option<Pattern>,
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
    pub(super) exit: i32,
    pub(super) longest_line: usize,
}

impl Spec {
    /// Reads the text, with `${cwd}` standing for this folder.
    pub(super) fn parse(text: &str, cwd: &str) -> Result<Self, serde_json::Error> {
        let quoted = Value::from(cwd).to_string();
        let spec: Self = serde_json::from_str(&text.replace("${cwd}", quoted.trim_matches('"')))?;
        Ok(spec)
    }
}

fn yes() -> bool {
    true
}
