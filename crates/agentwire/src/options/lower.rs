//! What options become: a command line, an environment, and the handshake.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use agentwire_protocol::{cli, control::Initialize};

use super::argv::Argv;
use crate::Error;

/// What options become.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct Lowered {
    /// The command line, without the program.
    pub args: Vec<String>,
    /// Variables to set.
    pub env: BTreeMap<String, String>,
    /// Variables to take away.
    pub env_remove: BTreeSet<String>,
    /// The handshake, before callbacks and servers are put into it.
    pub initialize: Initialize,
}

impl Lowered {
    /// Whether the flag of this name, without its leading `--`, is on the command line.
    pub(crate) fn has_flag(&self, name: &str) -> bool {
        let names = |arg: &String| {
            arg.strip_prefix("--")
                .is_some_and(|flag| flag.split_once('=').map_or(flag, |(flag, _)| flag) == name)
        };
        self.args.iter().any(names)
    }

    /// What every session needs.
    pub(super) fn stream_json() -> Self {
        Self {
            args: cli::STREAM_JSON_ARGS.iter().map(|&arg| arg.to_owned()).collect(),
            env: BTreeMap::from([
                (cli::env::READS_SESSION_STATE.to_owned(), "1".to_owned()),
                (cli::env::ENTRYPOINT.to_owned(), cli::ENTRYPOINT.to_owned()),
                (cli::env::SDK_VERSION.to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
            ]),
            // A session is no part of another one that this program may itself run in.
            env_remove: BTreeSet::from([cli::env::NESTED.to_owned()]),
            initialize: Initialize::default(),
        }
    }
}

/// The command line may hold what a user takes for private, so it is not shown either.
impl fmt::Debug for Lowered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lowered")
            .field("args", &self.args.len())
            .field("env", &self.env.keys())
            .field("env_remove", &self.env_remove)
            .finish_non_exhaustive()
    }
}

/// A group of options that becomes something.
pub(super) trait Lower {
    /// Adds what the group becomes.
    fn lower(&self, to: &mut Lowered) -> Result<(), Error>;
}

impl Argv for Lowered {
    fn push(&mut self, arg: String) {
        self.args.push(arg);
    }
}
