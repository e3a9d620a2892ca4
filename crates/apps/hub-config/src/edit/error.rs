//! Errors of edits.

use std::{io, path::PathBuf};

use thiserror::Error;

use crate::Problem;

/// The reason why a file was not changed. Its content is as before.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EditError {
    /// The content of the file does not allow the change.
    #[error("{} was not changed", file.display())]
    Refused {
        /// The file.
        file: PathBuf,
        /// The reason.
        source: EditRefusal,
    },
    /// A file system operation failed.
    #[error("{doing} {} failed", file.display())]
    Io {
        /// The file or its folder.
        file: PathBuf,
        /// The operation.
        doing: &'static str,
        /// The error of the system.
        source: io::Error,
    },
    /// The server is in none of the files: the program has configured it, or there is no file.
    #[error("the server `{server}` is in no file")]
    NoFile {
        /// The name of the server.
        server: String,
    },
    /// The hub does not read the file. Add it to the sources.
    #[error("{} is not a file of the configuration", file.display())]
    NotRead {
        /// The file.
        file: PathBuf,
    },
    /// The hub is closed. If it was closed during the edit, the file may have been changed.
    #[error("the hub is closed")]
    Closed,
    /// Another program kept changing the file during the edit. Another attempt may succeed.
    #[error("{} is being changed all the time", file.display())]
    Contended {
        /// The file.
        file: PathBuf,
    },
}

/// The reason why a change cannot be applied to a text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EditRefusal {
    /// The text is not valid JSON with comments and trailing commas. Correct it first.
    #[error("invalid JSON at line {line}, column {column}: {why}")]
    Broken {
        /// The line, from 1.
        line: usize,
        /// The character in the line, from 1.
        column: usize,
        /// The syntax error.
        why: String,
    },
    /// The file is not UTF-8.
    #[error("it is not UTF-8 text")]
    NotUtf8,
    /// The file does not contain the server.
    #[error("there is no server `{server}` in it")]
    NoServer {
        /// The requested name.
        server: String,
    },
    /// The file is the CLI's `.claude.json`, and contains the server for the project, or disables it there. Change it
    /// by `claude mcp` or `/mcp`.
    #[error("the file configures or disables `{server}` for this project only; use `claude mcp` or `/mcp`")]
    OfProject {
        /// The name.
        server: String,
    },
    /// The file contains a server of this name already. Remove it, or choose another name.
    #[error("there is a server `{server}` in it already")]
    Exists {
        /// The name.
        server: String,
    },
    /// The name is not valid for a server: it is blank, has a control character, or has too many characters.
    #[error("this can't be the name of a server")]
    ServerName,
    /// A value in the file has the wrong type. Correct it first.
    #[error("`{at}` is not {expected}")]
    Unexpected {
        /// The path: keys joined by dots.
        at: String,
        /// The expected type.
        expected: &'static str,
    },
    /// A pattern that also matches other tools matches the tool, so only the user can change it.
    #[error("the pattern `{pattern}` in `{list}` stands for the tool `{tool}`")]
    Pattern {
        /// The key of the list.
        list: &'static str,
        /// The pattern.
        pattern: String,
        /// The tool.
        tool: String,
    },
    /// The name of the tool contains `*`, so in a list it would be a pattern and match other tools.
    #[error("`{tool}` in a list of tools would stand for others too")]
    Wildcard {
        /// The name.
        tool: String,
    },
    /// A time limit is 1 to 3600 seconds.
    #[error("a time limit is 1 to 3600 seconds")]
    Timeout,
    /// The server would be refused when the file is read: a limit out of range, no command, an invalid address. Correct
    /// it first.
    #[error("the configuration of the server is invalid: {}", listed(problems))]
    Invalid {
        /// All problems, with paths below the server (`timeout`) and without positions.
        problems: Vec<Problem>,
    },
    /// With the change the file would be larger than the largest file that is read.
    #[error("it would have more than {limit} bytes")]
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
}

fn listed(problems: &[Problem]) -> String {
    let lines = problems.iter().map(|problem| match &*problem.path {
        "" => problem.kind.to_string(),
        path => format!("{path}: {}", problem.kind),
    });
    lines.collect::<Vec<_>>().join("; ")
}
