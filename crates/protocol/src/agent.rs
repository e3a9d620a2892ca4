//! Subagents: their definition by the host, and the CLI's list of available agents.

use std::collections::BTreeMap;

use crate::{PermissionMode, effort::Effort, mcp::McpServerConfig};

/// A subagent that the host defines (`agents` of `initialize`).
#[wire(camelCase, new)]
pub struct AgentDefinition {
    /// When to use the subagent; the model reads this.
    pub description: String,
    /// The system prompt.
    pub prompt: String,
    /// The allowed tools; `None` for all tools of the parent.
    pub tools: Option<Vec<Box<str>>>,
    /// The denied tools; `mcp__server` stands for all tools of a server.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disallowed_tools: Vec<Box<str>>,
    /// The model, by alias or id; `inherit` for the main conversation's model, `None` for the default of subagents.
    pub model: Option<Box<str>>,
    /// The MCP servers, by name or with their configuration.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mcp_servers: Vec<AgentMcpServer>,
    /// A reminder after the system prompt; declared as experimental.
    #[serde(rename = "criticalSystemReminder_EXPERIMENTAL")]
    pub critical_system_reminder: Option<String>,
    /// Skills that are loaded from the start.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<Box<str>>,
    /// A first prompt, before the user's own; used if this is the main agent.
    pub initial_prompt: Option<String>,
    /// The maximum number of API requests.
    pub max_turns: Option<u64>,
    /// The number of tokens at which the conversation is compacted; it can only lower the inherited value.
    pub auto_compact_window: Option<u64>,
    /// Whether the subagent runs in the background.
    pub background: Option<bool>,
    /// Whether to leave out the instruction files of the user and the project.
    pub omit_claude_md: Option<bool>,
    /// The location of the subagent's memory; `None` for no memory.
    pub memory: Option<AgentMemory>,
    /// The effort level.
    pub effort: Option<Effort>,
    /// The permission mode.
    pub permission_mode: Option<PermissionMode>,
    /// Agents that observe this one while it runs: up to four, separated by commas.
    pub observer: Option<Box<str>>,
    /// Text appended to each report to the observers.
    pub observer_message: Option<String>,
}

impl AgentDefinition {
    /// Sets the allowed tools.
    #[must_use]
    pub fn tools<S: Into<Box<str>>>(mut self, tools: impl IntoIterator<Item = S>) -> Self {
        self.tools = Some(tools.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the denied tools.
    #[must_use]
    pub fn disallowed_tools<S: Into<Box<str>>>(mut self, tools: impl IntoIterator<Item = S>) -> Self {
        self.disallowed_tools = tools.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the model, by alias or id.
    #[must_use]
    pub fn model(mut self, model: impl Into<Box<str>>) -> Self {
        self.model = Some(model.into());
        self
    }

    /// Sets the MCP servers.
    #[must_use]
    pub fn mcp_servers(mut self, servers: impl IntoIterator<Item = AgentMcpServer>) -> Self {
        self.mcp_servers = servers.into_iter().collect();
        self
    }

    /// Sets the skills that are loaded from the start.
    #[must_use]
    pub fn skills<S: Into<Box<str>>>(mut self, skills: impl IntoIterator<Item = S>) -> Self {
        self.skills = skills.into_iter().map(Into::into).collect();
        self
    }

    /// Limits the number of API requests.
    #[must_use]
    pub fn max_turns(mut self, turns: u64) -> Self {
        self.max_turns = Some(turns);
        self
    }

    /// Makes the subagent run in the background.
    #[must_use]
    pub fn background(mut self) -> Self {
        self.background = Some(true);
        self
    }

    /// Sets the effort level.
    #[must_use]
    pub fn effort(mut self, effort: Effort) -> Self {
        self.effort = Some(effort);
        self
    }

    /// Sets the permission mode.
    #[must_use]
    pub fn permission_mode(mut self, mode: PermissionMode) -> Self {
        self.permission_mode = Some(mode);
        self
    }
}

/// The location of an agent's memory.
#[wire]
pub enum AgentMemory {
    /// With the user's configuration.
    User = "user",
    /// In the project.
    Project = "project",
    /// In the project, for this user only.
    Local = "local",
}

/// MCP servers of an agent.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum AgentMcpServer {
    /// A server of the session, by name.
    Name(Box<str>),
    /// Servers that only this agent uses, by name; the CLI ignores in-process ones.
    Inline(BTreeMap<Box<str>, McpServerConfig>),
}

crate::forms::forms! { AgentMcpServer, "a server's name or servers by name": text => Name, object => Inline }

/// An agent that the CLI can start.
#[wire(Eq)]
pub struct AgentInfo {
    /// The agent type, such as `Explore`.
    pub name: Box<str>,
    /// When to use the agent.
    #[serde(default)]
    pub description: String,
    /// The model, by alias or id; `inherit` for the parent's model, `None` for the default of subagents.
    pub model: Option<Box<str>>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{effort::EffortLevel, mcp::StdioServer};

    #[test]
    fn definition_round_trips() {
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
