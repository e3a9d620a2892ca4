//! The standard streams, which may be closed by their readers.

use std::borrow::Cow;
use std::env;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use serde::Serialize;
use tokio::task::spawn_blocking;

use crate::failure::{Failure, While as _};

/// Writes bytes to the standard output.
/// After its reader has closed the pipe, the error is [`Failure::exit`] with 0, which ends the program quietly.
pub fn write(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(Failure::exit(0)),
        done => done.while_doing(|| "writing the standard output".to_owned()),
    }
}

/// Passes the text of a failure, if there is one, as a line for the standard error to `note`. Returns the exit code alone.
pub fn report(failure: Failure, note: impl FnOnce(String)) -> Failure {
    if !failure.is_reported() {
        // The text may contain that of a model or of a server.
        note(format!("agentwire: {}", for_terminal(&failure.to_string(), &io::stderr())));
    }
    Failure::exit(failure.code())
}

/// Runs a function that prints, on another thread: the runtime handles signals also while a write waits for its reader.
///
/// Dropping the future does not end the function. A write that still waits does not keep the program from ending.
pub(crate) async fn on_thread<T: Send + 'static>(
    print: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    spawn_blocking(print).await?
}

/// Writes a line of text.
pub fn line(text: impl std::fmt::Display) -> Result<(), Failure> {
    write(format!("{text}\n").as_bytes())
}

/// Writes a value as one line of JSON.
pub fn json(value: &impl Serialize) -> Result<(), Failure> {
    // JSON does not escape all control characters.
    line(for_terminal(&serde_json::to_string(value)?, &io::stdout()))
}

/// Returns the result of a command after its output: a closed pipe does not hide a finding.
pub(crate) fn end(printed: Result<(), Failure>, is_good: bool) -> Result<(), Failure> {
    end_with(printed, if is_good { Ok(()) } else { Err(Failure::already_reported()) })
}

/// Returns the result of a command after its output: a closed pipe does not hide a failure.
pub(crate) fn end_with(printed: Result<(), Failure>, done: Result<(), Failure>) -> Result<(), Failure> {
    match printed {
        Err(why) if !why.is_reported() => Err(why),
        printed => done.and(printed),
    }
}

/// Writes a line to the standard error. A closed standard error is ignored.
pub fn note(text: impl std::fmt::Display) {
    let _ = io::stderr().lock().write_all(format!("{text}\n").as_bytes());
}

/// Returns the options of a file for the content of a session, which other users can't read if it is new.
pub fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).mode(0o600);
    options
}

/// Returns the file that the user has named, or else the file with the default name in the current folder.
/// The latter must not be a symbolic link: in an untrusted folder, it may lead to any file of the user.
pub(crate) fn file_to_write(named: Option<&Path>, default: &str) -> Result<PathBuf, Failure> {
    match named {
        Some(file) => Ok(file.to_owned()),
        None if Path::new(default).is_symlink() => {
            Err(Failure::new(format!("{default} is a link: name the file to write with -o")))
        }
        None => Ok(default.into()),
    }
}

/// Returns the text of a model or of a server without control characters, which a terminal would obey.
pub fn plain(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    text.replace(|char: char| char.is_control() && !matches!(char, '\n' | '\t'), "\u{fffd}")
}

/// Returns the text of a model or of a server as this stream may get it: only a terminal gets [`plain`] text.
pub fn for_terminal<'a>(text: &'a str, stream: &impl io::IsTerminal) -> Cow<'a, str> {
    if stream.is_terminal() { plain(text).into() } else { text.into() }
}

/// Returns whether this stream is a terminal that obeys control codes.
pub fn obeys_codes(stream: &impl io::IsTerminal) -> bool {
    stream.is_terminal() && env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// The color of a text on the terminal.
#[derive(Clone, Copy, Debug)]
pub enum Color {
    Red,
    Green,
    Dim,
}

/// Returns the text in a color, if the standard output is a terminal and `NO_COLOR` is not set.
pub fn paint(text: &str, color: Color) -> String {
    let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    if !obeys_codes(&io::stdout()) || is_set("NO_COLOR") {
        return text.to_owned();
    }
    let code = match color {
        Color::Red => 31,
        Color::Green => 32,
        Color::Dim => 2,
    };
    format!("\u{1b}[{code}m{text}\u{1b}[0m")
}
