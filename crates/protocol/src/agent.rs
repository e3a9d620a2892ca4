//! Subagents: how the host defines one, and how the CLI tells of those that there are.

use std::{collections::BTreeMap, fmt};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{MapAccess, Visitor, value::MapAccessDeserializer},
};

use crate::{PermissionMode, effort::Effort, mcp::McpServerConfig, open_enum::open_enum};

/// A subagent of the host's own (`agents` of `initialize`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AgentDefinition {
    /// When to use it, in words for the model.
    pub description: String,
    /// Its system prompt.
    pub prompt: String,
    /// The tools that it may use; `None` for all of its parent's.
    pub tools: Option<Vec<Box<str>>>,
    /// The tools that it may not use; `mcp__server` stands for all of a server's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disallowed_tools: Vec<Box<str>>,
    /// Its model, by alias or id; `inherit` for that of the main conversation, `None` for the default of subagents.
    pub model: Option<Box<str>>,
    /// The MCP servers that it may use, by name or with their configuration.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mcp_servers: Vec<AgentMcpServer>,
    /// A reminder behind its system prompt; declared as experimental.
    #[serde(rename = "criticalSystemReminder_EXPERIMENTAL")]
    pub critical_system_reminder: Option<String>,
    /// The skills that are in its context from the start.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<Box<str>>,
    /// A first prompt that it sends to itself where it is the main agent, in front of the user's own.
    pub initial_prompt: Option<String>,
    /// How often it may ask the API.
    pub max_turns: Option<u64>,
    /// From how many tokens on it compacts its conversation; it only lowers what it would inherit.
    pub auto_compact_window: Option<u64>,
    /// Whether it runs in the background.
    pub background: Option<bool>,
    /// Whether it goes without the instruction files of the user and the project.
    pub omit_claude_md: Option<bool>,
    /// Where its memory is kept; `None` for none.
    pub memory: Option<AgentMemory>,
    /// How much effort it makes.
    pub effort: Option<Effort>,
    /// How its tool uses are permitted.
    pub permission_mode: Option<PermissionMode>,
    /// Agents that watch it while it runs, up to four, with commas between them.
    pub observer: Option<Box<str>>,
    /// Text behind each report that its observers get.
    pub observer_message: Option<String>,
}

impl AgentDefinition {
    /// A subagent that is used for this, with this system prompt.
    pub fn new(description: impl Into<String>, prompt: impl Into<String>) -> Self {
        Self {
            description: description.into(),
            prompt: prompt.into(),
            tools: None,
            disallowed_tools: Vec::new(),
            model: None,
            mcp_servers: Vec::new(),
            critical_system_reminder: None,
            skills: Vec::new(),
            initial_prompt: None,
            max_turns: None,
            auto_compact_window: None,
            background: None,
            omit_claude_md: None,
            memory: None,
            effort: None,
            permission_mode: None,
            observer: None,
            observer_message: None,
        }
    }

    /// Sets the tools that it may use.
    #[must_use]
    pub fn tools<S: Into<Box<str>>>(mut self, tools: impl IntoIterator<Item = S>) -> Self {
        self.tools = Some(tools.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the tools that it may not use.
    #[must_use]
    pub fn disallowed_tools<S: Into<Box<str>>>(mut self, tools: impl IntoIterator<Item = S>) -> Self {
        self.disallowed_tools = tools.into_iter().map(Into::into).collect();
        self
    }

    /// Sets its model, by alias or id.
    #[must_use]
    pub fn model(mut self, model: impl Into<Box<str>>) -> Self {
        self.model = Some(model.into());
        self
    }

    /// Sets the MCP servers that it may use.
    #[must_use]
    pub fn mcp_servers(mut self, servers: impl IntoIterator<Item = AgentMcpServer>) -> Self {
        self.mcp_servers = servers.into_iter().collect();
        self
    }

    /// Sets the skills that are in its context from the start.
    #[must_use]
    pub fn skills<S: Into<Box<str>>>(mut self, skills: impl IntoIterator<Item = S>) -> Self {
        self.skills = skills.into_iter().map(Into::into).collect();
        self
    }

    /// Limits how often it may ask the API.
    #[must_use]
    pub fn max_turns(mut self, turns: u64) -> Self {
        self.max_turns = Some(turns);
        self
    }

    /// Runs it in the background.
    #[must_use]
    pub fn background(mut self) -> Self {
        self.background = Some(true);
        self
    }

    /// Sets how much effort it makes.
    #[must_use]
    pub fn effort(mut self, effort: Effort) -> Self {
        self.effort = Some(effort);
        self
    }

    /// Sets how its tool uses are permitted.
    #[must_use]
    pub fn permission_mode(mut self, mode: PermissionMode) -> Self {
        self.permission_mode = Some(mode);
        self
    }
}

open_enum! {
    /// Where an agent's memory is kept.
    pub enum AgentMemory {
        /// With the user's configuration.
        User = "user",
        /// In the project.
        Project = "project",
        /// In the project, for this user only.
        Local = "local",
    }
}

/// MCP servers of an agent.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum AgentMcpServer {
    /// One of the session's, by name.
    Name(Box<str>),
    /// Servers of the agent's own, by name.
    Inline(BTreeMap<Box<str>, McpServerConfig>),
}

impl Serialize for AgentMcpServer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Name(name) => name.serialize(serializer),
            Self::Inline(servers) => servers.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for AgentMcpServer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AgentMcpServerVisitor)
    }
}

struct AgentMcpServerVisitor;

impl<'de> Visitor<'de> for AgentMcpServerVisitor {
    type Value = AgentMcpServer;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a server's name or servers by name")
    }

    fn visit_str<E>(self, name: &str) -> Result<AgentMcpServer, E> {
        Ok(AgentMcpServer::Name(name.into()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<AgentMcpServer, A::Error> {
        BTreeMap::deserialize(MapAccessDeserializer::new(map)).map(AgentMcpServer::Inline)
    }
}

/// An agent that can be started, as the CLI tells it.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct AgentInfo {
    /// Its type, such as `Explore`.
    pub name: Box<str>,
    /// When to use it.
    #[serde(default)]
    pub description: String,
    /// Its model, by alias or id; `inherit` for its parent's, `None` for the default of subagents.
    pub model: Option<Box<str>>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{effort::EffortLevel, mcp::StdioServer};

    #[test]
    fn a_definition_comes_back_as_it_was() {
        let mut agent = AgentDefinition::new("for tests", "Be terse.");
        agent.effort = Some(EffortLevel::Low.into());
        agent.memory = Some(AgentMemory::Project);
        let own = McpServerConfig::Stdio(StdioServer::new("srv", Vec::new()));
        agent.mcp_servers = vec![
            AgentMcpServer::Name("far".into()),
            AgentMcpServer::Inline(BTreeMap::from([("own".into(), own)])),
        ];
        let text = r#"{"description":"for tests","prompt":"Be terse.","mcpServers":["far",{"own":{"type":"stdio","command":"srv","args":[]}}],"memory":"project","effort":"low"}"#;
        assert_eq!(serde_json::to_string(&agent).unwrap(), text);
        assert_eq!(serde_json::from_str::<AgentDefinition>(text).unwrap(), agent);
    }
}
