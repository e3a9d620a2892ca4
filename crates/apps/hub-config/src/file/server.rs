//! Reads one server of a file.

use jsonc_parser::{
    ast::{ObjectProp, Value},
    common::Ranged,
};

use super::{Report, fields::Fields, keys, unique};
use crate::{
    Endpoint, Launch, Patterns, ProblemKind, ServerConfig, Stdio, launch::is_address, server::Written, syntax,
};

/// Reads a server. Returns `None` if it is broken, after a report.
pub(super) fn read(
    server: &ObjectProp<'_>,
    path: &str,
    report: &mut Report<'_>,
) -> Option<(ServerConfig, Written)> {
    let errors = report.errors();
    let Value::Object(object) = &server.value else {
        report.add(server.value.start(), path, ProblemKind::Expected("an object"));
        return None;
    };
    let position = Some(report.position(server.start()));
    let mut raw = Raw::default();
    let properties = unique(object, path, report);
    let mut fields = Fields { report, positions: Default::default(), path };
    for property in properties {
        // `null` counts as missing.
        if !matches!(property.value, Value::NullKeyword(_)) {
            raw.read(property, &mut fields);
        }
    }
    let launch = raw.launch(server.start(), &mut fields);
    let positions = fields.positions;
    if report.errors() > errors {
        return None;
    }
    let config = ServerConfig { launch: launch?, ..raw.config };
    Some((config, Written { path: path.to_owned(), position, positions, ..Written::default() }))
}

struct Raw {
    /// Everything but the launch.
    config: ServerConfig,
    stdio: Stdio,
    endpoint: Endpoint,
    /// `Err` for an invalid type.
    transport: Option<Result<Transport, ()>>,
    /// The keys of programs and of addresses, with their places.
    keys: Vec<(&'static str, usize)>,
}

#[derive(Clone, Copy)]
enum Transport {
    Stdio,
    Http,
    Sse,
}

impl Default for Raw {
    fn default() -> Self {
        Self {
            config: ServerConfig::new(Stdio::default()),
            stdio: Stdio::default(),
            endpoint: Endpoint::new(""),
            transport: None,
            keys: Vec::new(),
        }
    }
}

impl Raw {
    fn read(&mut self, property: &ObjectProp<'_>, fields: &mut Fields<'_, '_>) {
        let (value, at) = (&property.value, property.start());
        let key = OF_STDIO.iter().chain(&OF_ADDRESS).find(|key| **key == property.name.as_str());
        self.keys.extend(key.map(|key| (*key, at)));
        let (config, stdio) = (&mut self.config, &mut self.stdio);
        match property.name.as_str() {
            "type" => self.transport = Some(transport(value, fields)),
            "command" => set(&mut stdio.command, fields.some_text(value, "command")),
            "url" => set(&mut self.endpoint.url, address(value, fields)),
            "args" => set(&mut stdio.args, fields.texts(value, "args")),
            "cwd" => stdio.cwd = fields.some_text(value, "cwd"),
            "env" => set(&mut stdio.env, fields.map(value, "env", VARIABLE, Fields::variable)),
            "envFile" => stdio.env_file = fields.some_text(value, "envFile"),
            "headers" => set(&mut self.endpoint.headers, fields.map(value, "headers", HEADER, Fields::text)),
            "disabled" => set(&mut config.disabled, fields.flag(value, "disabled")),
            "timeout" => set(&mut config.timeout, fields.seconds(value, "timeout")),
            "startupTimeout" => set(&mut config.startup_timeout, fields.seconds(value, "startupTimeout")),
            "alwaysAllow" => set(&mut config.always_allow, patterns(value, "alwaysAllow", fields)),
            "disabledTools" => set(&mut config.disabled_tools, patterns(value, "disabledTools", fields)),
            "enabledTools" => config.enabled_tools = patterns(value, "enabledTools", fields),
            "watchPaths" => set(&mut config.watch_paths, fields.texts(value, "watchPaths")),
            name => {
                if let Some(kind) = keys::unknown_in_server(property) {
                    fields.wrong(at, &syntax::strange_key("", name), kind);
                }
            }
        }
    }

    /// Returns the launch; `server` is the place of the server.
    fn launch(&mut self, server: usize, fields: &mut Fields<'_, '_>) -> Option<Launch> {
        let place = |key: &str| self.keys.iter().find(|(known, _)| *known == key).map(|(_, at)| *at);
        let transport = match (self.transport, place("command"), place("url")) {
            (_, Some(command), Some(url)) => {
                fields.wrong(command.max(url), "", ProblemKind::TwoLaunches);
                return None;
            }
            (Some(transport), ..) => transport.ok()?,
            (None, Some(_), None) => Transport::Stdio,
            (None, None, Some(url)) => {
                fields.wrong(url, "url", ProblemKind::UrlWithoutType);
                return None;
            }
            (None, None, None) => {
                fields.wrong(server, "", ProblemKind::NoLaunch);
                return None;
            }
        };
        let (name, key, others) = match transport {
            Transport::Stdio => ("stdio", "command", &OF_ADDRESS[1..]),
            Transport::Http => ("streamable-http", "url", &OF_STDIO[1..]),
            Transport::Sse => ("sse", "url", &OF_STDIO[1..]),
        };
        if place(key).is_none() {
            fields.wrong(server, "", ProblemKind::Missing { transport: name, key });
        }
        for &(key, at) in self.keys.iter().filter(|(key, _)| others.contains(key)) {
            fields.wrong(at, key, ProblemKind::Unused(name));
        }
        let (stdio, endpoint) = (std::mem::take(&mut self.stdio), self.endpoint.clone());
        Some(match transport {
            Transport::Stdio => Launch::Stdio(stdio),
            Transport::Http => Launch::Http(endpoint),
            Transport::Sse => Launch::Sse(endpoint),
        })
    }
}

fn transport(value: &Value<'_>, fields: &mut Fields<'_, '_>) -> Result<Transport, ()> {
    let text = value.as_string_lit().map(|text| text.value.as_ref()).unwrap_or_default();
    match text {
        "stdio" => Ok(Transport::Stdio),
        "streamable-http" | "http" => Ok(Transport::Http),
        "sse" => Ok(Transport::Sse),
        other => {
            let suggestion = keys::type_meant(other);
            fields.wrong(value.start(), "type", ProblemKind::UnknownType { suggestion });
            Err(())
        }
    }
}

/// Reads an address. An address with variables is checked when their values are known.
fn address(value: &Value<'_>, fields: &mut Fields<'_, '_>) -> Option<String> {
    let url = fields.some_text(value, "url")?;
    if !url.contains("${") && !is_address(&url) {
        fields.wrong(value.start(), "url", ProblemKind::Expected(ADDRESS));
    }
    Some(url)
}

fn patterns(value: &Value<'_>, path: &str, fields: &mut Fields<'_, '_>) -> Option<Patterns> {
    Some(fields.texts(value, path)?.into_iter().collect())
}

/// Sets a valid value. An invalid one leaves the default: the server is broken anyway.
fn set<T>(field: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *field = value;
    }
}

fn is_variable_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(|c: char| c == '=' || c.is_control())
}

fn is_header_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}

/// The description of an address in messages.
pub(crate) const ADDRESS: &str = "an address that begins with http:// or https://";

/// The keys of programs, and those of addresses; the first one is required.
const OF_STDIO: [&str; 6] = ["command", "args", "cwd", "env", "envFile", "watchPaths"];
const OF_ADDRESS: [&str; 2] = ["url", "headers"];

const VARIABLE: (&str, fn(&str) -> bool) = ("an environment variable", is_variable_name);
const HEADER: (&str, fn(&str) -> bool) = ("a header", is_header_name);
