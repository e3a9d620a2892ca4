//! Changes of configuration files that leave everything else in them as it is.

mod check;
mod container;
mod document;
mod entry;
mod error;
mod file;
mod list;
mod splice;

use std::path::Path;
use std::time::Duration;

use document::Document;
use entry::Json;
pub use error::{EditError, Refusal};
pub(crate) use file::Fingerprint;
pub use file::hold;
pub(crate) use file::is_temporary;
use list::List;
use splice::Splice;

use super::{ServerConfig, file::is_server_name};

/// A change of one server in a configuration file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Edit {
    /// `disabled`.
    Disabled(bool),
    /// `timeout`: whole seconds, or parts of them.
    Timeout(Duration),
    /// A tool in `alwaysAllow`, or no longer in it.
    AlwaysAllow {
        /// The tool, or a pattern.
        tool: String,
        /// Whether it is in the list afterwards.
        allowed: bool,
    },
    /// A tool out of `disabledTools`, and in `enabledTools` where there is such a list; or the other way round.
    ToolEnabled {
        /// The tool, or a pattern.
        tool: String,
        /// Whether it is enabled afterwards.
        enabled: bool,
    },
    /// A server that the file does not have yet.
    Add(Box<ServerConfig>),
    /// The server is gone from the file.
    Remove,
}

impl Edit {
    /// The text with this change; the same text where it says so already.
    ///
    /// What is changed is the value alone, or the lines that are added or removed: comments, the order, keys that we do
    /// not know, trailing commas, the indentation and the ends of lines all stay.
    /// Comments inside a server that is removed go with it.
    /// A text without servers gets those under the section's key.
    pub(crate) fn apply(&self, server: &str, text: &str, section: Section) -> Result<String, Refusal> {
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

    /// Makes the change in a file; a file that is not there, and its folders, are made where a server is added.
    ///
    /// This blocks.
    pub fn write(&self, server: &str, path: &Path) -> Result<(), EditError> {
        let is_vs_code = path.parent().and_then(Path::file_name).is_some_and(|folder| folder == ".vscode");
        let section = if is_vs_code { Section::Servers } else { Section::McpServers };
        file::change(path, |text| self.apply(server, text, section))
    }

    /// What is still to do: a key or a name that stands twice is removed one after the other.
    fn rest(&self, document: &Document<'_>, server: &str, section: Section) -> Result<Vec<Splice>, Refusal> {
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
        section: Section,
    ) -> Result<Vec<Splice>, Refusal> {
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

/// The key that a file gets its servers under, where it has none yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    /// `mcpServers`.
    McpServers,
    /// `servers`: a file of VS Code's.
    Servers,
}

impl Section {
    fn key(self) -> &'static str {
        match self {
            Self::McpServers => "mcpServers",
            Self::Servers => "servers",
        }
    }
}

/// One value of a server, replaced where it is or added behind the others.
fn set(document: &Document<'_>, server: &str, key: &str, value: Json) -> Result<Vec<Splice>, Refusal> {
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
    section: Section,
) -> Result<Vec<Splice>, Refusal> {
    if document.has_server(server)? {
        return Err(Refusal::Exists { server: server.into() });
    }
    if !is_server_name(server) {
        return Err(Refusal::ServerName);
    }
    let entry = entry::of(config, document.says_streamable_http());
    check::readable(server, &entry)?;
    let servers = Json::object([(server, entry.clone())]);
    Ok(match (document.section()?, document.root()?) {
        (Some(Ok(section)), _) => section.append(server, &entry),
        (Some(Err(null)), _) => vec![null.replace(servers.inline(true))],
        (None, Some(root)) => root.append(section.key(), &servers),
        (None, None) => vec![document.whole(&Json::object([(section.key(), servers)]))],
    })
}

fn seconds(timeout: Duration) -> Result<Json, Refusal> {
    if !(MIN_TIMEOUT..=MAX_TIMEOUT).contains(&timeout) {
        return Err(Refusal::Timeout);
    }
    Ok(entry::seconds(timeout))
}

/// A byte-order mark, which some editors put in front of a file.
const MARK: &str = "\u{feff}";
const MIN_TIMEOUT: Duration = Duration::from_secs(1);
const MAX_TIMEOUT: Duration = Duration::from_secs(3600);

#[cfg(test)]
mod tests;
