//! The known keys, and suggestions for unknown ones.

use jsonc_parser::{
    ast::{Object, ObjectProp, Value},
    common::Ranged,
};

use super::Report;
use crate::{ProblemKind, syntax};

/// Reports an unknown key at the top of a file.
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

/// Returns the problem of a server's unknown key, if there is one.
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

/// Returns whether an unknown key at the top of a file contains servers: a server, a map of servers, or a section as in VS
/// Code's settings.
///
/// In settings of other programs, which contain commands of all kinds, only VS Code's section and Zed's map count.
fn has_servers(property: &ObjectProp<'_>, is_settings: bool) -> bool {
    let Value::Object(object) = &property.value else { return false };
    match property.name.as_str() {
        "context_servers" => has_servers_in(object),
        "mcp" if is_settings => has_section(object),
        _ => !is_settings && (is_server(object) || has_servers_in(object) || has_section(object)),
    }
}

fn has_section(object: &Object<'_>) -> bool {
    ["mcpServers", "servers"].iter().any(|key| object.get_object(key).is_some_and(has_servers_in))
}

fn has_servers_in(object: &Object<'_>) -> bool {
    object.properties.iter().any(|property| property.value.as_object().is_some_and(is_server))
}

fn is_server(object: &Object<'_>) -> bool {
    ["command", "url"].iter().any(|key| object.get_string(key).is_some())
}

/// Suggests a type for an unknown one.
pub(super) fn type_meant(text: &str) -> Option<&'static str> {
    meant(text, &TYPES, &[("streaminghttp", "streamable-http"), ("https", "http"), ("local", "stdio")])
}

/// Returns whether the key is used for comments, which JSON does not have.
fn is_note(key: &str) -> bool {
    key.starts_with(['$', '_', '/', '#']) || key.starts_with("x-")
}

/// Returns the known word closest to a text, or the word for a synonym.
fn meant(
    text: &str,
    known: &[&'static str],
    synonyms: &[(&'static str, &'static str)],
) -> Option<&'static str> {
    let text = bare(text)?;
    let near = known.iter().filter_map(|&known| {
        let other = bare(known)?;
        let most = (other.len() / 3).clamp(1, 2);
        let distance = strsim::osa_distance(&text, &other);
        (distance <= most).then_some((distance, known))
    });
    let near = near.min_by_key(|&(distance, _)| distance).map(|(_, known)| known);
    near.or_else(|| synonyms.iter().find(|(synonym, _)| *synonym == text).map(|&(_, known)| known))
}

/// Returns the letters and digits of a text in lower case; `None` if it is too long for a key or has none.
fn bare(text: &str) -> Option<String> {
    let bare: String =
        text.chars().filter(char::is_ascii_alphanumeric).map(|char| char.to_ascii_lowercase()).collect();
    (text.len() <= 40 && !bare.is_empty()).then_some(bare)
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

/// Other words for our keys.
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

/// Keys of other programs that need no support: display, discovery, caches. Instead of `oauth`, the hub registers a client
/// itself.
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

/// Keys of other programs with an effect that would be missing: credentials, or limits of what a server may do.
const UNSUPPORTED: [&str; 5] = ["headersHelper", "sandbox", "sandboxEnabled", "toolPermissions", "tools"];
