//! The version of a CLI.

use std::{fmt, io, time::Duration};

use agentwire_protocol::cli::MIN_VERSION;

use super::{Grace, Launch, ProcessTransport};
use crate::{
    error::TransportError,
    transport::{ByteSink, ByteSource, PeerHandle, Transport},
};

/// A CLI version, ordered by its three numbers. A suffix such as `-beta.1` is ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_structs, reason = "three numbers are what a version is here")]
pub struct CliVersion {
    /// The first number.
    pub major: u32,
    /// The second number.
    pub minor: u32,
    /// The third number.
    pub patch: u32,
}

impl CliVersion {
    /// The oldest version that `agentwire-protocol` supports.
    pub const MIN: Self = match Self::parse(MIN_VERSION) {
        Some(version) => version,
        None => Self { major: 0, minor: 0, patch: 0 },
    };

    /// Parses the start of the output of `--version`, such as `2.1.330 (Claude Code)`.
    pub const fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let mut numbers = [0_u32; 3];
        let (mut at, mut field) = (0, 0);
        while field < 3 {
            let start = at;
            while at < bytes.len() && bytes[at].is_ascii_digit() {
                let Some(shifted) = numbers[field].checked_mul(10) else { return None };
                let Some(number) = shifted.checked_add((bytes[at] - b'0') as u32) else { return None };
                numbers[field] = number;
                at += 1;
            }
            let dotted = field == 2 || (at < bytes.len() && bytes[at] == b'.');
            if at == start || !dotted {
                return None;
            }
            at += (field < 2) as usize;
            field += 1;
        }
        // No word or fourth number may follow directly.
        if at < bytes.len() && !matches!(bytes[at], b' ' | b'\n' | b'\r' | b'-' | b'+') {
            return None;
        }
        Some(Self { major: numbers[0], minor: numbers[1], patch: numbers[2] })
    }

    /// Runs `PROGRAM --version` with the environment and working directory of this launch, but without its arguments.
    ///
    /// Must be called in a tokio runtime with I/O and time enabled.
    /// After `limit` the program is ended.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends the program.
    ///
    /// # Errors
    ///
    /// The errors of opening a [`ProcessTransport`], and [`TransportError::Io`] if the program prints no version in time.
    pub async fn ask(launch: &Launch, limit: Duration) -> Result<Self, TransportError> {
        let launch = Launch { args: vec!["--version".into()], ..launch.clone() };
        let answer = tokio::time::timeout(limit, ask(launch)).await;
        answer
            .unwrap_or_else(|_| Err(unknown(io::ErrorKind::TimedOut, format!("no answer within {limit:?}"))))
    }
}

impl fmt::Display for CliVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

async fn ask(launch: Launch) -> Result<CliVersion, TransportError> {
    let grace = Grace::default().after_input(Duration::ZERO).after_terminate(Duration::from_millis(500));
    let mut link = ProcessTransport::new(launch).grace(grace).open().await?;
    // The program may have answered and ended already.
    let _ = link.sink.finish().await;
    let mut answer = Vec::new();
    while let Some(chunk) = link.source.read().await? {
        let room = MAX_ANSWER - answer.len();
        answer.extend_from_slice(&chunk[..chunk.len().min(room)]);
    }
    let answer = String::from_utf8_lossy(&answer);
    if let Some(version) = CliVersion::parse(answer.trim_start()) {
        return Ok(version);
    }
    let report = link.handle.wait().await;
    Err(unknown(io::ErrorKind::InvalidData, format!("the answer was {answer:?}, {report}")))
}

fn unknown(kind: io::ErrorKind, why: String) -> TransportError {
    TransportError::Io { action: "asking the program for its version", source: io::Error::new(kind, why) }
}

/// More than the CLI prints: a version and a name, in bytes.
const MAX_ANSWER: usize = 256;
