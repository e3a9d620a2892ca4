//! Conversations of subagents, which are in separate files.

use std::path::{Path, PathBuf};
use std::{fs, io, iter};

use agentwire_protocol::decode::decode_bytes;
use agentwire_protocol::session_info::SessionMessage;
use agentwire_protocol::{SessionId, ToolUseId};
use serde::Deserialize;
use serde_json::Value;

use super::graph::Graph;
use super::queued::Queued;
use super::{entries_of, message, talk};
use crate::sessions::{Inside, SessionError, SessionFile, Sessions, read_dir};
use crate::{Page, RawEntry};

impl Sessions {
    /// Returns the ids of the session's subagents, sorted by folder and name; `None` if the session does not exist.
    ///
    /// # Errors
    ///
    /// If the id is not a UUID, or the projects folder can't be read.
    pub fn subagents(&self, id: &SessionId) -> Result<Option<Vec<String>>, SessionError> {
        Ok(self.subagent_files(id)?.map(|files| files.into_iter().map(|(agent, _)| agent).collect()))
    }

    /// Returns the messages of a subagent and its prompts; `None` if the session or the subagent does not exist.
    ///
    /// Each message has the id of the tool use that started the subagent, if known.
    ///
    /// # Errors
    ///
    /// If the id is not a UUID, or the projects folder or the file can't be read.
    pub fn subagent_messages(
        &self,
        id: &SessionId,
        agent: &str,
        page: Page,
    ) -> Result<Option<Vec<SessionMessage>>, SessionError> {
        let files = self.subagent_files(id)?.into_iter().flatten();
        let Some((_, path)) = files.into_iter().find(|(name, _)| name == agent) else { return Ok(None) };
        let entries = entries_of(&path)?;
        let metadata = Inside::of(self.projects()).file(path.with_extension("meta.json"));
        let metadata = metadata.and_then(|path| read_metadata(&path).ok()?);
        let metadata = metadata.and_then(|text| decode_bytes(&text).ok()).unwrap_or_default();
        Ok(Some(page.of(agent_conversation(&entries, &metadata).into_iter()).collect()))
    }

    /// Returns the files of the session's subagents, with their ids.
    pub(crate) fn subagent_files(
        &self,
        id: &SessionId,
    ) -> Result<Option<Vec<(String, PathBuf)>>, SessionError> {
        Ok(self.find(id)?.map(|file| self.agent_files(&file)))
    }

    /// Returns the files of the subagents of the session in this file, with their ids.
    fn agent_files(&self, file: &SessionFile) -> Vec<(String, PathBuf)> {
        let agent = |(name, path): (String, PathBuf)| Some((name.strip_prefix("agent-")?.to_owned(), path));
        self.files_beneath(file).into_iter().filter_map(agent).collect()
    }

    /// Returns the files beneath the session in this file, by name: conversations of subagents and journals of workflows.
    pub(crate) fn files_beneath(&self, file: &SessionFile) -> Vec<(String, PathBuf)> {
        let mut files = Vec::new();
        let inside = Inside::of(self.projects());
        if let Some(folder) =
            inside.folder(file.folder()).and_then(|folder| inside.folder(folder.join("subagents")))
        {
            collect(&folder, 0, &mut files);
        }
        files
    }

    /// Returns the files with a session's entries: its own and, if requested, those of its subagents.
    pub(crate) fn sources(&self, file: SessionFile, subagents: bool) -> Vec<Source> {
        let agents = if subagents { self.agent_files(&file) } else { Vec::new() };
        let own = Source { session: file.id.clone(), agent: None, path: file.path };
        let agents = agents.into_iter().map(|(agent, path)| Source {
            session: file.id.clone(),
            agent: Some(agent),
            path,
        });
        iter::once(own).chain(agents).collect()
    }
}

/// A file with entries of a session.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) session: SessionId,
    /// `None` for the session's own file.
    pub(crate) agent: Option<String>,
    pub(crate) path: PathBuf,
}

/// Metadata of a subagent (`agent-<id>.meta.json`).
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct AgentMetadata {
    tool_use_id: Value,
    parent_agent_id: Value,
}

/// Reads a file of metadata; returns `None` for a file that is too long.
pub(crate) fn read_metadata(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let is_long = fs::metadata(path)?.len() > MAX_METADATA;
    if is_long { Ok(None) } else { fs::read(path).map(Some) }
}

/// Returns the conversation in a subagent's entries, up to the last message.
pub(crate) fn agent_conversation(entries: &[RawEntry], metadata: &AgentMetadata) -> Vec<SessionMessage> {
    let entries = &*talk::as_messages(entries);
    let graph = Graph::as_written(entries);
    let messages = (0..graph.links.len()).filter(|link| graph.links[*link].kind.is_message());
    let Some(leaf) = messages.max_by_key(|link| graph.links[*link].entry) else { return Vec::new() };
    let way = graph.way_to(leaf);
    // Prompts of other agents may be marked as generated.
    let queued = Queued::of(&graph, &way, way.len(), entries, true);
    let messages = way.iter().enumerate().filter_map(|(at, &link)| {
        let (link, entry) = (&graph.links[link], &entries[graph.links[link].entry]);
        let is_message = link.kind.is_message();
        let mut message = if is_message { message(link, entry) } else { queued.message(at, link, entry)? };
        message.parent_tool_use_id = metadata.tool_use_id.as_str().map(ToolUseId::from);
        message.parent_agent_id = metadata.parent_agent_id.as_str().map(Box::from);
        Some(message)
    });
    messages.collect()
}

/// Collects the conversations and journals in a folder and its subfolders, without following links.
fn collect(folder: &Path, depth: usize, files: &mut Vec<(String, PathBuf)>) {
    let mut entries: Vec<_> = read_dir(folder).into_iter().flatten().collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (Ok(kind), name) = (entry.file_type(), entry.file_name()) else { continue };
        let stem = name.to_str().and_then(|name| name.strip_suffix(".jsonl"));
        if let Some(stem) = stem.filter(|_| kind.is_file()) {
            files.push((stem.to_owned(), entry.path()));
        } else if kind.is_dir() && depth < MAX_DEPTH {
            collect(&entry.path(), depth + 1, files);
        }
    }
}

/// The longest metadata file that is read, in bytes.
const MAX_METADATA: u64 = 1 << 20;
/// The maximum depth of subfolders; the CLI creates three levels (`workflows/<run>/…`).
const MAX_DEPTH: usize = 16;
