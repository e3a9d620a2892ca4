//! The top of a transcript: the format's version, where the recording comes from, and the arguments.

use std::fmt;

use super::{entry::canonical, error::ParseCause};
use crate::excerpt::excerpt;

/// The first lines of a transcript.
///
/// The facts other than the version share one line, which begins with `cli`; so none of them can be written without
/// [`Header::cli`]. A fact's name and value are one word each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Header {
    /// The version of the format.
    pub version: Version,
    /// `cli`: the version of the CLI that was recorded.
    pub cli: Option<Box<str>>,
    /// `recorded`: the day of the recording, as `2026-11-21`.
    pub recorded: Option<Box<str>>,
    /// `os`: where it ran, as `linux`.
    pub os: Option<Box<str>>,
    /// `redacted`: whether all private text was replaced after the recording, `yes` or `no` in the file.
    pub redacted: Option<bool>,
    /// `faults`: whether our side sent faulty lines on purpose, `yes` or `no` in the file.
    ///
    /// The conformance check then allows what only our side did wrong, and judges the CLI as usual.
    pub faults: Option<bool>,
    /// Further facts, in the order of the file.
    pub extra: Vec<(Box<str>, Box<str>)>,
}

/// The version of the transcript format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Version {
    /// Readers refuse a newer one.
    pub major: u32,
    /// Readers tolerate a newer one. Absent in the file if it is zero.
    pub minor: u32,
}

/// The arguments of the recorded program, without the program itself.
///
/// A list that was read keeps its text, since JSON can be written in many ways.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argv {
    args: Vec<String>,
    json: Box<str>,
}

impl Header {
    /// Creates a header of the current format version, for a recording of this CLI version.
    pub fn of_cli(version: impl Into<Box<str>>) -> Self {
        Self { cli: Some(version.into()), ..Self::default() }
    }

    /// Reads the facts, which are the line's text without its sigil.
    pub(super) fn parse_facts(&mut self, text: &[u8]) -> Result<(), ParseCause> {
        let text = str::from_utf8(text).map_err(|_| ParseCause::bad_facts(text))?;
        for fact in text.split("  ") {
            let (name, value) = fact.split_once(' ').ok_or_else(|| ParseCause::bad_facts(fact.as_bytes()))?;
            self.insert(name, value).ok_or_else(|| ParseCause::bad_facts(fact.as_bytes()))?;
        }
        match self.facts() {
            Some(written) if written == text => Ok(()),
            _ => Err(ParseCause::bad_facts(text.as_bytes())),
        }
    }

    /// Returns the facts as one line without its sigil; `None` if there are none.
    pub(super) fn facts(&self) -> Option<String> {
        let mut facts: Vec<(&str, &str)> = Vec::new();
        facts.extend(self.cli.as_deref().map(|value| ("cli", value)));
        facts.extend(self.recorded.as_deref().map(|value| ("recorded", value)));
        facts.extend(self.os.as_deref().map(|value| ("os", value)));
        facts.extend(self.redacted.map(|value| ("redacted", yes_no(value))));
        facts.extend(self.faults.map(|value| ("faults", yes_no(value))));
        facts.extend(self.extra.iter().map(|(name, value)| (&**name, &**value)));
        let facts: Vec<String> = facts.into_iter().map(|(name, value)| format!("{name} {value}")).collect();
        (!facts.is_empty()).then(|| facts.join("  "))
    }

    fn insert(&mut self, name: &str, value: &str) -> Option<()> {
        if !is_word(name) || !is_word(value) {
            return None;
        }
        match name {
            "cli" => self.cli = Some(value.into()),
            "recorded" => self.recorded = Some(value.into()),
            "os" => self.os = Some(value.into()),
            "redacted" => self.redacted = Some(yes_or_no(value)?),
            "faults" => self.faults = Some(yes_or_no(value)?),
            _ => self.extra.push((name.into(), value.into())),
        }
        Some(())
    }
}

impl Version {
    /// The version that this crate writes, and up to which it understands everything.
    pub const CURRENT: Self = Self { major: 1, minor: 0 };

    /// Returns whether a file of this version may contain lines that this crate does not understand.
    pub fn is_newer(self) -> bool {
        (self.major, self.minor) > (Self::CURRENT.major, Self::CURRENT.minor)
    }

    pub(super) fn parse(text: &[u8]) -> Result<Self, ParseCause> {
        let bad = || ParseCause::BadVersion { text: excerpt(text) };
        let words = str::from_utf8(text).map_err(|_| bad())?;
        let (major, minor) = words.split_once('.').unwrap_or((words, "0"));
        let number = |text| canonical(text).ok_or_else(bad);
        let version = Self { major: number(major)?, minor: number(minor)? };
        match version {
            Self { major, .. } if major > Self::CURRENT.major => Err(ParseCause::Newer { found: version }),
            _ if version.major == 0 || version.to_string() != words => Err(bad()),
            _ => Ok(version),
        }
    }
}

impl Default for Version {
    fn default() -> Self {
        Self::CURRENT
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.minor {
            0 => write!(f, "{}", self.major),
            minor => write!(f, "{}.{minor}", self.major),
        }
    }
}

impl Argv {
    /// Creates the argument list.
    pub fn new<A: Into<String>>(args: impl IntoIterator<Item = A>) -> Self {
        let args: Vec<String> = args.into_iter().map(Into::into).collect();
        let json = serde_json::Value::from(args.clone()).to_string().into();
        Self { args, json }
    }

    /// Returns the arguments, in order.
    pub fn args(&self) -> &[String] {
        &self.args
    }

    /// Returns the arguments as they are written in the file.
    pub fn json(&self) -> &str {
        &self.json
    }

    pub(super) fn parse(json: &[u8]) -> Result<Self, ParseCause> {
        let bad = |message: String| ParseCause::BadArgv { message };
        let json = str::from_utf8(json).map_err(|error| bad(error.to_string()))?;
        let args = serde_json::from_str(json).map_err(|error| bad(error.to_string()))?;
        Ok(Self { args, json: json.into() })
    }
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && !text.contains(|c: char| c.is_whitespace() || c.is_control())
}

fn yes_no(value: bool) -> &'static str {
    if value { "yes" } else { "no" }
}

fn yes_or_no(text: &str) -> Option<bool> {
    match text {
        "yes" => Some(true),
        "no" => Some(false),
        _ => None,
    }
}
