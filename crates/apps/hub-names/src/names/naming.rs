//! The format of unique names.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

use super::Named;

/// The format of unique names; `mcp__server__tool` by default.
///
/// Characters other than ASCII letters, digits, `-` and `_` become `_`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Naming {
    separator: &'static str,
    prefixed: bool,
    with_server: bool,
    most: usize,
}

impl Naming {
    /// `mcp__server__tool`, the default, as in Claude Code.
    pub const UNDERSCORES: Self =
        Self { separator: "__", prefixed: true, with_server: true, most: MAX_LENGTH };
    /// `mcp--server--tool`.
    pub const DASHES: Self = Self { separator: "--", prefixed: true, with_server: true, most: MAX_LENGTH };
    /// `mcp_server_tool`.
    pub const UNDERSCORE: Self = Self { separator: "_", prefixed: true, with_server: true, most: MAX_LENGTH };

    /// Omits the prefix `mcp`, for callers that add a prefix themselves.
    pub const fn without_prefix(self) -> Self {
        Self { prefixed: false, ..self }
    }

    /// Omits the server, for a hub with one server.
    ///
    /// A name that several servers have gets a suffix for each of them.
    pub const fn without_server(self) -> Self {
        Self { with_server: false, ..self }
    }

    /// Returns whether names contain the server.
    pub const fn has_server(self) -> bool {
        self.with_server
    }

    /// Limits names to a number of characters, from 24 to 64.
    pub const fn at_most(self, characters: usize) -> Self {
        let most = if characters < MIN_LENGTH {
            MIN_LENGTH
        } else if characters > MAX_LENGTH {
            MAX_LENGTH
        } else {
            characters
        };
        Self { most, ..self }
    }

    /// Returns the name that a pair would have without others, of any length.
    pub(super) fn candidate(self, pair: &Named) -> String {
        let separator = self.separator;
        let mut name = sanitised(&pair.item);
        if self.with_server {
            name = format!("{}{separator}{name}", sanitised(pair.server.as_str()));
        }
        if self.prefixed {
            return format!("{PREFIX}{separator}{name}");
        }
        match name.as_bytes() {
            [b'a'..=b'z' | b'A'..=b'Z' | b'_', ..] => name,
            _ => format!("_{name}"),
        }
    }

    /// Returns whether the name is short enough.
    pub(super) fn fits(self, name: &str) -> bool {
        name.len() <= self.most
    }

    /// Returns whether parsing the name returns the pair.
    pub(super) fn reads_as(self, name: &str, pair: &Named) -> bool {
        let name = match self.prefixed {
            true => name.strip_prefix(PREFIX).and_then(|rest| rest.strip_prefix(self.separator)),
            false => Some(name),
        };
        // A name without the server does not identify it.
        let parts = name.filter(|_| self.with_server).and_then(|name| name.split_once(self.separator));
        parts == Some((pair.server.as_str(), &pair.item))
    }

    /// Returns the name with a suffix for this pair; each value of `again` gives another one.
    pub(super) fn suffixed(self, pair: &Named, again: u32) -> String {
        let mut name = self.candidate(pair);
        name.truncate(self.most - SUFFIX);
        name.push('_');
        let mut hash = Sha256::new();
        hash.update(pair.server.as_str());
        hash.update([0]);
        hash.update(&*pair.item);
        if again > 0 {
            hash.update([0]);
            hash.update(again.to_be_bytes());
        }
        for byte in hash.finalize().iter().take(HASHED) {
            // Writing to a string can't fail.
            let _ = write!(name, "{byte:02x}");
        }
        name
    }
}

impl Default for Naming {
    fn default() -> Self {
        Self::UNDERSCORES
    }
}

/// Returns a part of a name with valid characters only, and not empty.
fn sanitised(part: &str) -> String {
    let legal = |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_');
    let part: String = part.chars().map(|char| if legal(char) { char } else { '_' }).collect();
    if part.is_empty() { "_".to_owned() } else { part }
}

const PREFIX: &str = "mcp";
/// The limit of the Messages API and OpenAI's API.
const MAX_LENGTH: usize = 64;
/// Enough for the suffix and a part of the name.
const MIN_LENGTH: usize = 24;
/// The number of hash bytes in a suffix.
const HASHED: usize = 6;
/// `_` and two digits per byte.
const SUFFIX: usize = 1 + 2 * HASHED;
