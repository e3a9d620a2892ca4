//! Values and servers to write into a file.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;

use crate::{Endpoint, Launch, Patterns, ServerConfig};

/// A value to write. Its members keep their order.
#[derive(Clone, Debug)]
pub(super) enum Json {
    /// A number, a word or a string, as JSON text.
    Raw(String),
    /// An object.
    Object(Vec<(String, Json)>),
    /// An array of strings.
    Strings(Vec<String>),
}

impl Json {
    pub(super) fn raw(value: impl Into<Value> + Copy) -> Self {
        Self::Raw(value.into().to_string())
    }

    pub(super) fn string(text: &str) -> Self {
        Self::Raw(quoted(text))
    }

    pub(super) fn object<'a>(members: impl IntoIterator<Item = (&'a str, Self)>) -> Self {
        Self::Object(members.into_iter().map(|(key, value)| (key.into(), value)).collect())
    }

    /// Formats the value on one line.
    pub(super) fn inline(&self, spaced: bool) -> String {
        let (comma, colon) = if spaced { (", ", ": ") } else { (",", ":") };
        let (open, close) = if spaced { ("{ ", " }") } else { ("{", "}") };
        match self {
            Self::Raw(text) => text.clone(),
            Self::Strings(strings) => {
                format!("[{}]", strings.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(comma))
            }
            Self::Object(members) if members.is_empty() => "{}".into(),
            Self::Object(members) => {
                let members = members.iter().map(|(key, value)| {
                    let value = value.inline(spaced);
                    format!("{}{colon}{value}", quoted(key))
                });
                format!("{open}{}{close}", members.collect::<Vec<_>>().join(comma))
            }
        }
    }

    /// Formats the value with a line for each member. The first line is not indented.
    pub(super) fn lines(&self, indent: &str, unit: &str, end_of_line: &str) -> String {
        let inner = format!("{indent}{unit}");
        let (open, items, close) = match self {
            Self::Object(members) if !members.is_empty() => {
                let lines = members.iter().map(|(key, value)| {
                    let value = value.lines(&inner, unit, end_of_line);
                    format!("{inner}{}: {value}", quoted(key))
                });
                ('{', lines.collect::<Vec<_>>(), '}')
            }
            Self::Strings(strings) if self.inline(true).len() > WIDE => {
                let lines = strings.iter().map(|text| format!("{inner}{}", quoted(text)));
                ('[', lines.collect::<Vec<_>>(), ']')
            }
            _ => return self.inline(true),
        };
        let items = items.join(&format!(",{end_of_line}"));
        format!("{open}{end_of_line}{items}{end_of_line}{indent}{close}")
    }
}

/// Returns the entry of a server, without defaults.
pub(super) fn of(config: &ServerConfig, streamable_http: bool) -> Json {
    let mut members = Vec::new();
    let mut put = |key: &str, value: Option<Json>| members.extend(value.map(|value| (key.to_owned(), value)));
    let default = ServerConfig::new(config.launch.clone());
    match &config.launch {
        Launch::Stdio(stdio) => {
            put("command", Some(Json::string(&stdio.command)));
            put("args", strings(stdio.args.iter().map(String::as_str)));
            put("cwd", stdio.cwd.as_deref().map(Json::string));
            put("env", map(&stdio.env));
            put("envFile", stdio.env_file.as_deref().map(Json::string));
        }
        Launch::Http(Endpoint { url, headers }) => {
            put("type", Some(Json::string(if streamable_http { "streamable-http" } else { "http" })));
            put("url", Some(Json::string(url)));
            put("headers", map(headers));
        }
        Launch::Sse(Endpoint { url, headers }) => {
            put("type", Some(Json::string("sse")));
            put("url", Some(Json::string(url)));
            put("headers", map(headers));
        }
    }
    put("disabled", config.disabled.then(|| Json::raw(true)));
    put("timeout", (config.timeout != default.timeout).then(|| seconds(config.timeout)));
    let startup = config.startup_timeout;
    put("startupTimeout", (startup != default.startup_timeout).then(|| seconds(startup)));
    put("alwaysAllow", strings(config.always_allow.iter()));
    put("disabledTools", strings(config.disabled_tools.iter()));
    // An empty list permits no tool; a missing list permits all tools.
    put("enabledTools", config.enabled_tools.as_ref().map(list));
    put("watchPaths", strings(config.watch_paths.iter().map(String::as_str)));
    Json::Object(members)
}

/// Returns seconds, with a fraction only if needed.
pub(super) fn seconds(time: Duration) -> Json {
    if time.subsec_nanos() == 0 { Json::raw(time.as_secs()) } else { Json::raw(time.as_secs_f64()) }
}

fn strings<'a>(strings: impl Iterator<Item = &'a str>) -> Option<Json> {
    let strings: Vec<_> = strings.map(String::from).collect();
    (!strings.is_empty()).then_some(Json::Strings(strings))
}

fn list(patterns: &Patterns) -> Json {
    Json::Strings(patterns.iter().map(String::from).collect())
}

fn map(map: &BTreeMap<String, String>) -> Option<Json> {
    let members = map.iter().map(|(key, value)| (key.clone(), Json::string(value)));
    (!map.is_empty()).then(|| Json::Object(members.collect()))
}

/// Returns a string as JSON text.
pub(super) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// The longest list that stays on one line, in bytes.
const WIDE: usize = 80;
