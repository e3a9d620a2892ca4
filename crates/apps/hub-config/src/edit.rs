//! Edits of configuration files that leave everything else in the text unchanged.

mod container;
mod document;
mod entry;
mod error;
mod file;
mod list;
mod splice;

use std::path::Path;
use std::time::Duration;

use document::{Document, Section};
use entry::Json;
pub use error::{EditError, EditRefusal};
pub(crate) use file::Fingerprint;
pub use file::hold;
pub(crate) use file::is_temporary;
use list::List;
use splice::Splice;

use crate::file::{Entry, is_server_name, parse};
use crate::{Origin, Problem, ServerConfig, Severity, syntax};

/// A change of one server in a configuration file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Edit {
    /// Sets `disabled`.
    Disabled(bool),
    /// Sets `timeout`, in seconds with a fraction if needed.
    Timeout(Duration),
    /// Adds a tool to `alwaysAllow`, or removes it.
    AlwaysAllow {
        /// The tool, or a pattern.
        tool: String,
        /// Whether it is in the list afterwards.
        allowed: bool,
    },
    /// Removes a tool from `disabledTools` and adds it to `enabledTools` if that list exists; or disables the tool.
    ToolEnabled {
        /// The tool, or a pattern.
        tool: String,
        /// Whether it is enabled afterwards.
        enabled: bool,
    },
    /// Adds a server that the file does not contain yet.
    Add(Box<ServerConfig>),
    /// Removes the server from the file.
    Remove,
}

impl Edit {
    /// Returns the text with this change, or the same text if nothing is to be changed.
    ///
    /// Only the value changes, or lines are added or removed: comments, order, unknown keys, trailing commas,
    /// indentation and line endings stay. Comments inside a removed server are removed with it.
    /// A text without servers gets them under the key `section`.
    pub(crate) fn apply(&self, server: &str, text: &str, section: &str) -> Result<String, EditRefusal> {
        let (mark, text) = text.strip_prefix(MARK).map_or(("", text), |rest| (MARK, rest));
        let mut text = text.to_owned();
        let mut splices = self.splices(&Document::parse(&text)?, server, section)?;
        while !splices.is_empty() {
            text = splice::apply(&text, splices);
            splices = self.rest(&Document::parse(&text)?, server, section)?;
        }
        text.insert_str(0, mark);
        Ok(text)
    }

    /// Applies the change to a file. If a server is added, the file and its folders are created if they do not exist.
    ///
    /// This blocks.
    pub fn write(&self, server: &str, path: &Path) -> Result<(), EditError> {
        let is_vs_code = path.parent().and_then(Path::file_name).is_some_and(|folder| folder == ".vscode");
        let section = if is_vs_code { SERVERS } else { MCP_SERVERS };
        file::change(path, |text| {
            let after = self.apply(server, text, section)?;
            self.check_in_force(server, &after)?;
            Ok(after)
        })
    }

    /// Refuses to change a server that has another error: the change would not take effect.
    fn check_in_force(&self, server: &str, text: &str) -> Result<(), EditRefusal> {
        if matches!(self, Self::Add(_) | Self::Remove) {
            return Ok(());
        }
        let contents = parse(text.strip_prefix(MARK).unwrap_or(text), &Origin::Program, None);
        let is_valid = |entry: &Entry| entry.name.as_str() != server || entry.configured.is_some();
        if !contents.broken && contents.servers.iter().all(is_valid) {
            return Ok(());
        }
        let of_server = |problem: &Problem| match &problem.server {
            Some(name) => name.as_str() == server,
            None => contents.broken,
        };
        Err(invalid(server, contents.problems.into_iter().filter(of_server)))
    }

    /// Returns the remaining changes; duplicate keys are removed one at a time.
    fn rest(&self, document: &Document<'_>, server: &str, section: &str) -> Result<Vec<Splice>, EditRefusal> {
        match self {
            Self::Add(_) => Ok(Vec::new()),
            Self::Remove if !document.has_server(server)? => Ok(Vec::new()),
            _ => self.splices(document, server, section),
        }
    }

    fn splices(
        &self,
        document: &Document<'_>,
        server: &str,
        section: &str,
    ) -> Result<Vec<Splice>, EditRefusal> {
        match self {
            Self::Disabled(disabled) => set(document, server, "disabled", Json::raw(*disabled)),
            Self::Timeout(timeout) => set(document, server, "timeout", seconds(*timeout)?),
            Self::AlwaysAllow { tool, allowed: true } => {
                List::of(document, server, "alwaysAllow")?.have(tool)
            }
            Self::AlwaysAllow { tool, allowed: false } => {
                List::of(document, server, "alwaysAllow")?.lack(tool)
            }
            Self::ToolEnabled { tool, enabled: true } => {
                let mut splices = List::of(document, server, "disabledTools")?.lack(tool)?;
                let allowed = List::of(document, server, "enabledTools")?;
                if allowed.is_there() {
                    splices.extend(allowed.have(tool)?);
                }
                Ok(splices)
            }
            Self::ToolEnabled { tool, enabled: false } => {
                let allowed = List::of(document, server, "enabledTools")?;
                if allowed.is_there() && !allowed.has(tool) {
                    return Ok(Vec::new());
                }
                List::of(document, server, "disabledTools")?.have(tool)
            }
            Self::Add(config) => add(document, server, config, section),
            Self::Remove => Ok(document.entry(server)?.remove()),
        }
    }
}

/// Sets one value of a server: replaces it, or adds it after the other members.
fn set(document: &Document<'_>, server: &str, key: &str, value: Json) -> Result<Vec<Splice>, EditRefusal> {
    let object = document.server(server)?;
    Ok(match object.member(key) {
        Some(member) if member.text() == value.inline(true) => Vec::new(),
        Some(member) => vec![member.replace(value.inline(true))],
        None => object.append(key, &value),
    })
}

fn add(
    document: &Document<'_>,
    server: &str,
    config: &ServerConfig,
    section: &str,
) -> Result<Vec<Splice>, EditRefusal> {
    if document.has_server(server)? {
        return Err(EditRefusal::Exists { server: server.into() });
    }
    if !is_server_name(server) {
        return Err(EditRefusal::ServerName);
    }
    let entry = entry::of(config, document.has_streamable_http());
    check_readable(server, &entry)?;
    let servers = Json::object([(server, entry.clone())]);
    Ok(match document.section()? {
        Section::Servers(members) => members.append(server, &entry),
        Section::Null(null) => vec![null.replace(servers.inline(true))],
        Section::Missing(root) => root.append(section, &servers),
        Section::Empty => vec![document.whole(&Json::object([(section, servers)]))],
    })
}

/// Refuses a server that would be refused when its file is read, by reading it.
///
/// The entry is read alone, so other problems of the file do not prevent the change.
fn check_readable(server: &str, entry: &Json) -> Result<(), EditRefusal> {
    let text = Json::object([(MCP_SERVERS, Json::object([(server, entry.clone())]))]).inline(true);
    let contents = parse(&text, &Origin::Program, None);
    if contents.problems.iter().all(|problem| problem.severity() != Severity::Error) {
        return Ok(());
    }
    Err(invalid(server, contents.problems.into_iter()))
}

/// Returns the refusal of a server with these errors, without positions: the text is in no file.
fn invalid(server: &str, problems: impl Iterator<Item = Problem>) -> EditRefusal {
    let above = [MCP_SERVERS, SERVERS].map(|section| syntax::key(section, server));
    let problems = problems.filter(|problem| problem.severity() == Severity::Error).map(|problem| {
        let below = above.iter().find_map(|above| problem.path.strip_prefix(&**above));
        let path = below.unwrap_or(&problem.path).trim_start_matches('.').to_owned();
        Problem { position: None, path, ..problem }
    });
    EditRefusal::Invalid { problems: problems.collect() }
}

fn seconds(timeout: Duration) -> Result<Json, EditRefusal> {
    if !(MIN_TIMEOUT..=MAX_TIMEOUT).contains(&timeout) {
        return Err(EditRefusal::Timeout);
    }
    Ok(entry::seconds(timeout))
}

/// The byte order mark that some editors write at the start of a file.
const MARK: &str = "\u{feff}";
const MCP_SERVERS: &str = "mcpServers";
const SERVERS: &str = "servers";
const MIN_TIMEOUT: Duration = Duration::from_secs(1);
const MAX_TIMEOUT: Duration = Duration::from_secs(3600);

#[cfg(test)]
mod tests;
