//! The launch plan of options: a command line, an environment, files, and the handshake.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use agentwire_protocol::{Hidden, cli, control::Initialize};
use serde::Serialize;
use serde_json::Value;

use super::Warning;
use crate::Error;

/// The launch plan of a session.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct LaunchPlan {
    /// The command line, without the program.
    ///
    /// An argument that names one of the [`files`](Self::files) contains `<private>/NAME` instead of the file's path.
    pub args: Vec<String>,
    /// Variables to set.
    pub env: BTreeMap<String, String>,
    /// Variables to remove.
    pub env_remove: BTreeSet<String>,
    /// Files that only the CLI may read, written before its start and removed when the session is
    /// closed or dropped.
    pub files: Vec<PrivateFile>,
    /// The handshake, before callbacks and servers are added.
    pub initialize: Initialize,
    /// Whether each prompt is marked as composed by the host (`client_composed`).
    pub client_composed: bool,
    /// Warnings about the options.
    pub warnings: Vec<Warning>,
}

/// A file that only the CLI may read (mode 0600), because it may contain secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PrivateFile {
    /// The name.
    pub name: &'static str,
    /// The contents, hidden in `Debug`.
    pub contents: Hidden<String>,
}

impl LaunchPlan {
    /// Returns whether the command line contains this flag, named without its leading `--`.
    pub(crate) fn has_flag(&self, name: &str) -> bool {
        self.args.iter().any(|arg| without_value(arg).strip_prefix("--") == Some(name))
    }

    /// Returns whether the CLI waits for the handshake before it starts anything.
    pub(crate) fn awaits_initialize(&self) -> bool {
        self.has_flag(AWAIT_INITIALIZE)
    }

    /// Returns the command line with the paths of the files in this directory.
    pub(crate) fn args_with_files_in(&self, dir: &str) -> Vec<String> {
        let place = |arg: &String| {
            let file = self.files.iter().find(|file| arg.ends_with(&format!("={}", file.placeholder())));
            match file {
                Some(file) => arg.replace(&file.placeholder(), &format!("{dir}/{}", file.name)),
                None => arg.clone(),
            }
        };
        self.args.iter().map(place).collect()
    }

    /// Returns the plan that every session starts from.
    pub(super) fn stream_json() -> Self {
        Self {
            args: cli::STREAM_JSON_ARGS.iter().map(|&arg| arg.to_owned()).collect(),
            env: BTreeMap::from([
                (cli::env::READS_SESSION_STATE.to_owned(), "1".to_owned()),
                (cli::env::ENTRYPOINT.to_owned(), cli::ENTRYPOINT.to_owned()),
                (cli::env::SDK_VERSION.to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
            ]),
            // The first two belong to an outer session that this program may run in. `CLAUDE_CODE_CHILD_SESSION` stays:
            // the CLI records the outer session as the origin.
            // With `--inspect` in `NODE_OPTIONS`, as in terminals of some editors, the CLI exits without a message. `DEBUG`,
            // which other programs use too, makes it write debug logs.
            env_remove: BTreeSet::from([
                cli::env::NESTED.to_owned(),
                cli::env::DERIVED_CLIENT_APP.to_owned(),
                "NODE_OPTIONS".to_owned(),
                "DEBUG".to_owned(),
            ]),
            files: Vec::new(),
            initialize: Initialize::default(),
            client_composed: false,
            warnings: Vec::new(),
        }
    }

    /// Returns whether the session resumes a stored one.
    pub(crate) fn resumes(&self) -> bool {
        self.args.iter().any(|arg| resumes(arg))
    }

    /// Makes the CLI wait for the handshake.
    pub(crate) fn await_initialize(&mut self) {
        if !self.awaits_initialize() {
            self.switch(AWAIT_INITIALIZE, true);
        }
    }

    /// Adds `--flag=JSON`, or `--flag=PATH` with a file that only the CLI may read if the JSON is secret or too long.
    pub(super) fn json(&mut self, flag: &str, name: &'static str, contents: String, is_secret: bool) {
        if !is_secret && contents.len() <= MAX_ARGUMENT {
            return self.flag(flag, Some(contents));
        }
        let file = PrivateFile { name, contents: Hidden(contents) };
        self.flag(flag, Some(file.placeholder()));
        self.files.push(file);
    }

    /// Adds `--name=value` if there is a value: with `=`, so that no value can be mistaken for a flag.
    pub(crate) fn flag(&mut self, name: &str, value: Option<impl fmt::Display>) {
        self.args.extend(value.map(|value| format!("--{name}={value}")));
    }

    /// Adds `--name` if it is switched on.
    pub(crate) fn switch(&mut self, name: &str, on: bool) {
        self.args.extend(on.then(|| format!("--{name}")));
    }

    /// Adds `--name=a,b` if there are values.
    pub(super) fn list(&mut self, name: &str, values: &[String]) {
        self.flag(name, (!values.is_empty()).then(|| values.join(",")));
    }

    pub(super) fn warn(&mut self, warning: Warning) {
        self.warnings.push(warning);
    }
}

impl PrivateFile {
    fn placeholder(&self) -> String {
        format!("<private>/{}", self.name)
    }
}

/// Prints no arguments, because they may contain private data.
impl fmt::Debug for LaunchPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LaunchPlan")
            .field("args", &self.args.len())
            .field("env", &self.env.keys())
            .field("env_remove", &self.env_remove)
            .field("files", &self.files)
            .field("warnings", &self.warnings)
            .finish_non_exhaustive()
    }
}

/// Returns whether this argument makes the CLI resume a stored session.
pub(crate) fn resumes(arg: &str) -> bool {
    matches!(without_value(arg), "--resume" | "-r" | "--continue" | "-c" | "--from-pr" | "--teleport")
}

/// Returns a flag without its value.
fn without_value(arg: &str) -> &str {
    arg.split_once('=').map_or(arg, |(flag, _)| flag)
}

/// Returns the name of a variant in JSON, which the CLI uses in flags and variables too.
pub(super) fn word(variant: &impl Serialize) -> String {
    match serde_json::to_value(variant) {
        Ok(Value::String(word)) => word,
        _ => String::new(),
    }
}

/// Returns the error for an option.
pub(crate) fn refuse<T>(option: &'static str, why: impl Into<String>) -> Result<T, Error> {
    Err(Error::Options { option, why: why.into() })
}

/// Linux accepts 128 KiB per argument, Windows 32 KiB for all of them.
pub(super) const MAX_ARGUMENT: usize = 8 * 1024;
/// Supported since CLI 2.1.261.
pub(crate) const AWAIT_INITIALIZE: &str = "await-initialize";
