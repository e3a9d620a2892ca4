//! The transport of all builders: a local program that carries the standard streams of a far CLI.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::sync::Arc;
use std::{fmt, io};

use agentwire_transport::process::{
    Grace, Launch, ProcessHandle, ProcessSink, ProcessSource, ProcessTransport,
};
use agentwire_transport::{ByteSink as _, Connected, Transport, TransportError};

/// A transport that starts a CLI elsewhere. The builders of this crate create it.
pub struct Remote {
    launch: Launch,
    /// The variables of the far CLI.
    env: BTreeMap<OsString, OsString>,
    holds_input: bool,
    grace: Grace,
    on_stderr: Option<StderrSink>,
}

type StderrSink = Arc<dyn Fn(&str) + Send + Sync>;

impl Remote {
    pub(crate) fn new(launch: Launch, cli: &Launch) -> Self {
        Self { launch, env: cli.env.clone(), holds_input: false, grace: Grace::default(), on_stderr: None }
    }

    /// Returns the local program with its arguments.
    pub fn launch(&self) -> &Launch {
        &self.launch
    }

    /// Sets the time of each step of the local program's shutdown. The far side has its own: see the crate.
    #[must_use]
    pub fn grace(mut self, grace: Grace) -> Self {
        self.grace = grace;
        self
    }

    /// Sets a callback for each line of stderr, of the far CLI and of the local program; see
    /// [`ProcessTransport::on_stderr`].
    #[must_use]
    pub fn on_stderr(mut self, sink: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.on_stderr = Some(Arc::new(sink));
        self
    }
}

impl Transport for Remote {
    type Source = ProcessSource;
    type Sink = ProcessSink;
    type Handle = ProcessHandle;

    /// Makes the far side send SIGTERM at the end of the input, which the CLI does not see.
    ///
    /// The far side cannot distinguish an orderly end from a lost connection.
    fn hold_input(&mut self) {
        self.holds_input = true;
    }

    /// Starts the local program, and sends the variables to the far side.
    ///
    /// # Errors
    ///
    /// The errors of a [`ProcessTransport`], and [`TransportError::Io`] if a variable has an invalid name or a value with NUL.
    async fn open(self) -> Result<Connected<ProcessSource, ProcessSink, ProcessHandle>, TransportError> {
        let head = encode(&self.env, self.holds_input).map_err(|source| TransportError::Io {
            action: "passing the variables to the far side",
            source,
        })?;
        let mut process = ProcessTransport::new(self.launch).grace(self.grace);
        if let Some(sink) = self.on_stderr {
            process = process.on_stderr(move |line| sink(line));
        }
        let mut link = process.open().await?;
        match link.sink.write(head.into()).await {
            // If the local program has ended, its exit and its stderr name the reason.
            Ok(()) | Err(TransportError::Closed) => Ok(link),
            Err(error) => Err(error),
        }
    }
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.env.keys().collect();
        f.debug_struct("Remote").field("launch", &self.launch).field("env", &names).finish_non_exhaustive()
    }
}

/// Returns the far command: a script that starts this CLI and ends it after the end of the input.
pub(crate) fn far_command(cli: &Launch) -> Vec<OsString> {
    let folder = cli.cwd.clone().unwrap_or_default().into_os_string();
    let start = ["sh", "-c", SCRIPT, "agentwire"].map(OsString::from);
    let program = cli.program.clone().into_os_string();
    start.into_iter().chain([folder, program]).chain(cli.args.iter().cloned()).collect()
}

/// Encodes what the script reads first: `hold` if it holds the input, `NAME=VALUE` lines with escapes of `printf %b`, and an
/// empty line.
fn encode(env: &BTreeMap<OsString, OsString>, holds_input: bool) -> io::Result<Vec<u8>> {
    let mut lines = if holds_input { b"hold\n".to_vec() } else { Vec::new() };
    for (name, value) in env {
        let invalid = |why: &str| io::Error::new(io::ErrorKind::InvalidInput, format!("{name:?} {why}"));
        if !is_name(name) {
            return Err(invalid("is not the name of a variable: use letters, digits and _"));
        }
        if value.as_bytes().contains(&0) {
            return Err(invalid("has a value with a NUL byte, which a variable can't hold"));
        }
        lines.extend(name.as_bytes());
        lines.push(b'=');
        for &byte in value.as_bytes() {
            match byte {
                b'\\' => lines.extend(br"\\"),
                b'\n' => lines.extend(br"\n"),
                byte => lines.push(byte),
            }
        }
        lines.push(b'\n');
    }
    lines.push(b'\n');
    Ok(lines)
}

fn is_name(name: &OsStr) -> bool {
    let bytes = name.as_bytes();
    let is_letter = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'_';
    bytes.first().is_some_and(is_letter) && bytes.iter().all(|byte| is_letter(byte) || byte.is_ascii_digit())
}

/// Reads the variables, starts the CLI, and ends it after the end of the input.
///
/// If the input ends before the empty line, the CLI is not started. The script's own variables have a prefix, since the CLI
/// inherits names that the far side exports.
const SCRIPT: &str = include_str!("far.sh");
