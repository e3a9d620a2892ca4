//! Why a file was not changed.

use std::{io, path::PathBuf};

use thiserror::Error;

use crate::Problem;

/// Why a file was not changed. It is as it was.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EditError {
    /// What it says does not let the change be made.
    #[error("{} was not changed", file.display())]
    Refused {
        /// The file.
        file: PathBuf,
        /// Why.
        source: Refusal,
    },
    /// The file system refused.
    #[error("{doing} {} failed", file.display())]
    Io {
        /// The file, or the folder of it.
        file: PathBuf,
        /// What was tried.
        doing: &'static str,
        /// Why it failed.
        source: io::Error,
    },
    /// The server is in none of the files: the program itself has configured it, or there is no file.
    #[error("the server `{server}` is in no file")]
    NoFile {
        /// The name of the server.
        server: String,
    },
    /// The file is none of those that the hub reads: add it to the sources.
    #[error("{} is no file of the configuration", file.display())]
    NotRead {
        /// The file.
        file: PathBuf,
    },
    /// The hub is closed; if that happened meanwhile, the file may have been changed.
    #[error("the hub is closed")]
    Closed,
    /// Somebody else changed the file again and again while we were about to write it; another attempt may succeed.
    #[error("{} is being changed all the time", file.display())]
    Contended {
        /// The file.
        file: PathBuf,
    },
}

/// Why a change cannot be made to a text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The text is no JSON, with comments and trailing commas at the most: mend it first.
    #[error("it is no valid JSON at line {line}, column {column}: {why}")]
    Broken {
        /// The line, from 1.
        line: usize,
        /// The character in the line, from 1.
        column: usize,
        /// What is wrong there.
        why: String,
    },
    /// The file is no text in UTF-8.
    #[error("it is no text in UTF-8")]
    NotUtf8,
    /// There is no such server in the file.
    #[error("there is no server `{server}` in it")]
    NoServer {
        /// The name that was asked for.
        server: String,
    },
    /// There is a server of this name already: remove it, or choose another name.
    #[error("there is a server `{server}` in it already")]
    Exists {
        /// The name.
        server: String,
    },
    /// This can't be the name of a server: it has no letters, a control character, or too many characters.
    #[error("this can't be the name of a server")]
    ServerName,
    /// Something in the file is of another type than it must be: mend it first.
    #[error("`{at}` is not {expected}")]
    Unexpected {
        /// Where: keys, divided by points.
        at: String,
        /// What it must be.
        expected: &'static str,
    },
    /// The tool is in the list by a pattern that stands for others too: only who wrote the pattern can change that.
    #[error("the pattern `{pattern}` in `{list}` stands for the tool `{tool}`")]
    Pattern {
        /// The key of the list.
        list: &'static str,
        /// The pattern.
        pattern: String,
        /// The tool.
        tool: String,
    },
    /// The name of the tool has a `*`: in a list it would be a pattern, and stand for other tools too.
    #[error("`{tool}` in a list of tools would stand for others too")]
    Wildcard {
        /// The name.
        tool: String,
    },
    /// A time limit is 1 to 3600 seconds.
    #[error("a time limit is 1 to 3600 seconds")]
    Timeout,
    /// The server would be refused when the file is read: a limit out of its range, no command, an address that is none.
    #[error("the server can't be written so: {}", told(problems))]
    Invalid {
        /// All that is wrong, with paths below the server (`timeout`) and without places.
        problems: Vec<Problem>,
    },
    /// With the change the file would be larger than one that is read.
    #[error("it would have more than {limit} bytes")]
    TooLarge {
        /// How many bytes it may have.
        limit: u64,
    },
}

fn told(problems: &[Problem]) -> String {
    let told = problems.iter().map(|problem| match &*problem.path {
        "" => problem.kind.to_string(),
        path => format!("{path}: {}", problem.kind),
    });
    told.collect::<Vec<_>>().join("; ")
}
