//! Which keys there are, and which one was meant by another.

use jsonc_parser::{
    ast::{ObjectProp, Value},
    common::Ranged,
};

use super::{Report, misplaced::has_servers};
use crate::{ProblemKind, syntax};

/// Tells of a key at the top of a file that is not ours.
pub(super) fn unknown_in_file(property: &ObjectProp<'_>, report: &mut Report<'_>) {
    let key = property.name.as_str();
    let suggestion = meant(key, &FILE_KEYS, &[]);
    let is_settings = report.is_settings();
    let kind = match suggestion {
        _ if is_note(key) => return,
        None if has_servers(property, is_settings) => ProblemKind::Misplaced,
        None if is_settings => return,
        suggestion => ProblemKind::UnknownKey { suggestion },
    };
    report.add(property.start(), &syntax::strange_key("", key), kind);
}

/// What is to be said of a server's key that is not ours, if anything.
pub(super) fn unknown_in_server(property: &ObjectProp<'_>) -> Option<ProblemKind> {
    let key = property.name.as_str();
    let off = matches!(property.value, Value::NullKeyword(_))
        || property.value.as_boolean_lit().is_some_and(|flag| !flag.value);
    if is_note(key) || HARMLESS.contains(&key) {
        None
    } else if UNSUPPORTED.contains(&key) {
        (!off).then_some(ProblemKind::Unsupported)
    } else {
        Some(ProblemKind::UnknownKey { suggestion: meant(key, &SERVER_KEYS, &SYNONYMS) })
    }
}

/// The type that was meant by a text that is none.
pub(super) fn type_meant(text: &str) -> Option<&'static str> {
    meant(text, &TYPES, &[("streaminghttp", "streamable-http"), ("https", "http"), ("local", "stdio")])
}

/// Keys that people use for comments, as JSON has none.
fn is_note(key: &str) -> bool {
    key.starts_with(['$', '_', '/', '#']) || key.starts_with("x-")
}

/// The one of these that is most like a text, or else means the same.
fn meant(
    text: &str,
    known: &[&'static str],
    synonyms: &[(&'static str, &'static str)],
) -> Option<&'static str> {
    let text = bare(text)?;
    let near = known.iter().filter_map(|&known| {
        let other = bare(known)?;
        let most = (other.len() / 3).clamp(1, 2);
        let distance = distance(&text, &other);
        (distance <= most).then_some((distance, known))
    });
    let near = near.min_by_key(|&(distance, _)| distance).map(|(_, known)| known);
    near.or_else(|| synonyms.iter().find(|(synonym, _)| synonym.as_bytes() == text).map(|&(_, known)| known))
}

/// The letters and digits of a text, small, as long as it may be a key at all.
fn bare(text: &str) -> Option<Vec<u8>> {
    let bare: Vec<_> =
        text.bytes().filter(u8::is_ascii_alphanumeric).map(|b| b.to_ascii_lowercase()).collect();
    (text.len() <= 40 && !bare.is_empty()).then_some(bare)
}

/// How many letters are to be put in, left out, changed or exchanged with their neighbour.
fn distance(from: &[u8], to: &[u8]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=to.len()).collect();
    for (i, &a) in from.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, &b) in to.iter().enumerate() {
            let mut least = (last[j] + usize::from(a != b)).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a == to[j - 1] && from[i - 1] == b {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        before = last;
        last = row;
    }
    last[to.len()]
}

const FILE_KEYS: [&str; 3] = ["mcpServers", "servers", "inputs"];

const SERVER_KEYS: [&str; 15] = [
    "alwaysAllow",
    "args",
    "command",
    "cwd",
    "disabled",
    "disabledTools",
    "enabledTools",
    "env",
    "envFile",
    "headers",
    "startupTimeout",
    "timeout",
    "type",
    "url",
    "watchPaths",
];

const TYPES: [&str; 4] = ["stdio", "streamable-http", "http", "sse"];

/// What other programs, or people, call our keys.
const SYNONYMS: [(&str, &str); 26] = [
    ("allowedtools", "enabledTools"),
    ("approve", "alwaysAllow"),
    ("arguments", "args"),
    ("autoapprove", "alwaysAllow"),
    ("baseurl", "url"),
    ("cmd", "command"),
    ("directory", "cwd"),
    ("dotenv", "envFile"),
    ("enable", "disabled"),
    ("enabled", "disabled"),
    ("endpoint", "url"),
    ("environment", "env"),
    ("envvars", "env"),
    ("excludetools", "disabledTools"),
    ("executable", "command"),
    ("httpheaders", "headers"),
    ("httpurl", "url"),
    ("includetools", "enabledTools"),
    ("onlyallow", "enabledTools"),
    ("serverurl", "url"),
    ("toolcalltimeout", "timeout"),
    ("tooltimeout", "timeout"),
    ("transport", "type"),
    ("transporttype", "type"),
    ("uri", "url"),
    ("workingdirectory", "cwd"),
];

/// Keys of other programs that ask for nothing that would be missed: how something is shown, found or cached there.
/// `oauth` is read where a server is reached that wants it.
const HARMLESS: [&str; 17] = [
    "alwaysLoad",
    "bareElicitationCapability",
    "connectorId",
    "defer_loading",
    "description",
    "dev",
    "disableAutoBackground",
    "discoveryCache",
    "displayName",
    "gallery",
    "icon",
    "name",
    "oauth",
    "request_timeout_ms",
    "role",
    "title",
    "version",
];

/// Keys of other programs that ask for something that would be missed: credentials, or a limit of what may be done.
const UNSUPPORTED: [&str; 5] = ["headersHelper", "sandbox", "sandboxEnabled", "toolPermissions", "tools"];
