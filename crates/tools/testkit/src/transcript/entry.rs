//! One line of a transcript after its header: its kinds, and their syntax.

use bytes::Bytes;

use super::error::ParseCause;

/// An event of a session.
///
/// Recorded lines are raw bytes without the line feed; they need not be UTF-8, and a carriage return is part of them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Entry {
    /// `>`: a line from us to the CLI.
    Outbound(Bytes),
    /// `<`: a line from the CLI to us.
    Inbound(Bytes),
    /// `| end of input`: we ended the CLI's input.
    EndOfInput,
    /// `^`: we sent a signal, named as in `SIGTERM`.
    Signal(Box<str>),
    /// `!`: a line that the CLI wrote to its stderr.
    Stderr(Bytes),
    /// `~`: this much time passed, written as `40ms`.
    Delay {
        /// The time in milliseconds.
        millis: u64,
    },
    /// `=`: the CLI ended.
    End(End),
    /// `#`: a remark for the reader of the file.
    Comment(Bytes),
    /// An empty line.
    Blank,
    /// A whole line, including its sigil, that only a newer minor version of the format defines.
    Unknown(Bytes),
}

/// How the CLI ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum End {
    /// `exit 0`: it exited with this code.
    Exit(i32),
    /// `signal SIGKILL`: this signal ended it.
    Signal(Box<str>),
}

impl Entry {
    /// The comment of a recorder below a last line that was cut.
    pub(crate) const UNFINISHED: &[u8] = b"the line above has no line feed";

    /// Reads one line, without its line feed.
    pub(super) fn parse(line: &Bytes) -> Result<Self, ParseCause> {
        let Some(&sigil) = line.first() else { return Ok(Self::Blank) };
        if !SIGILS.contains(&sigil) {
            return Err(ParseCause::UnknownSigil { sigil: sigil.escape_ascii().to_string() });
        }
        if line.get(1) != Some(&b' ') {
            return Err(ParseCause::NoSpace { sigil: char::from(sigil) });
        }
        let body = line.slice(2..);
        match sigil {
            b'>' => Ok(Self::Outbound(body)),
            b'<' => Ok(Self::Inbound(body)),
            b'!' => Ok(Self::Stderr(body)),
            b'#' => Ok(Self::Comment(body)),
            b'$' => Err(ParseCause::MisplacedArgv),
            _ => Self::parse_words(sigil, &body).ok_or_else(|| ParseCause::bad_body(sigil, &body)),
        }
    }

    /// Returns the entry as a line of the file, without its line feed.
    pub fn to_line(&self) -> Vec<u8> {
        match self {
            Self::Outbound(line) => with_sigil(b'>', line),
            Self::Inbound(line) => with_sigil(b'<', line),
            Self::EndOfInput => with_sigil(b'|', END_OF_INPUT.as_bytes()),
            Self::Signal(name) => with_sigil(b'^', name.as_bytes()),
            Self::Stderr(line) => with_sigil(b'!', line),
            Self::Delay { millis } => with_sigil(b'~', format!("{millis}ms").as_bytes()),
            Self::End(End::Exit(code)) => with_sigil(b'=', format!("exit {code}").as_bytes()),
            Self::End(End::Signal(name)) => with_sigil(b'=', format!("signal {name}").as_bytes()),
            Self::Comment(text) => with_sigil(b'#', text),
            Self::Blank => Vec::new(),
            Self::Unknown(line) => line.to_vec(),
        }
    }

    /// Parses the body of a sigil with a fixed form.
    fn parse_words(sigil: u8, body: &[u8]) -> Option<Self> {
        let body = str::from_utf8(body).ok()?;
        match sigil {
            b'|' => (body == END_OF_INPUT).then_some(Self::EndOfInput),
            b'^' => signal(body).map(Self::Signal),
            b'~' => canonical(body.strip_suffix("ms")?).map(|millis| Self::Delay { millis }),
            _ => match body.split_once(' ')? {
                ("exit", code) => canonical(code).map(End::Exit).map(Self::End),
                ("signal", name) => signal(name).map(End::Signal).map(Self::End),
                _ => None,
            },
        }
    }
}

fn with_sigil(sigil: u8, body: &[u8]) -> Vec<u8> {
    [&[sigil, b' '][..], body].concat()
}

/// Parses a number in its canonical form, which excludes `07` and `+7`.
pub(super) fn canonical<N: std::str::FromStr + ToString>(text: &str) -> Option<N> {
    text.parse().ok().filter(|number: &N| number.to_string() == text)
}

fn signal(name: &str) -> Option<Box<str>> {
    let rest = name.strip_prefix("SIG")?;
    let plain = !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
    plain.then(|| name.into())
}

const SIGILS: &[u8] = b"><|^!~=#$";
const END_OF_INPUT: &str = "end of input";
