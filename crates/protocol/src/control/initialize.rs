//! `initialize`: the handshake.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Deserializer, Serialize, de::DeserializeOwned};

use super::ControlCall;
use crate::{PermissionMode, RawJson, open_enum::open_enum};

/// The handshake (`initialize`): what the host brings, and how the session is to be.
///
/// A second one replaces the first one's hooks.
/// `Debug` does not show the MCP servers' configurations, which may hold keys.
#[derive(Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Initialize {
    /// Hook callbacks by event name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub hooks: BTreeMap<Box<str>, Vec<HookMatcher>>,
    /// The names of the in-process MCP servers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sdk_mcp_servers: Vec<Box<str>>,
    /// The system prompt, as parts; `Some` of one empty part is an empty prompt, `None` the CLI's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<Vec<String>>,
    /// Text behind the CLI's own system prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub append_system_prompt: Option<String>,
    /// MCP servers for the CLI to run, by name; honoured with `--await-initialize`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mcp_servers: Option<RawJson>,
}

impl fmt::Debug for Initialize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { hooks, sdk_mcp_servers, system_prompt, append_system_prompt, mcp_servers } = self;
        f.debug_struct("Initialize")
            .field("hooks", hooks)
            .field("sdk_mcp_servers", sdk_mcp_servers)
            .field("system_prompt", system_prompt)
            .field("append_system_prompt", append_system_prompt)
            .field("mcp_servers", &mcp_servers.as_ref().map(|_| format_args!("<hidden>")))
            .finish()
    }
}

impl ControlCall for Initialize {
    const SUBTYPE: &'static str = "initialize";
    type Reply = InitializeReply;
}

/// Hook callbacks of one event that share a matcher.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct HookMatcher {
    /// A tool name, several (`A|B`) or a pattern; `None` matches all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matcher: Option<Box<str>>,
    /// The callbacks, by ids of the host's choice.
    pub hook_callback_ids: Vec<Box<str>>,
    /// The limit for each callback, in seconds, applied by the CLI.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout: Option<f64>,
    /// What the CLI does when a callback fails.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_failure: Option<HookFailure>,
}

open_enum! {
    /// What the CLI does when a hook callback fails.
    pub enum HookFailure {
        /// It refuses what the hook guards.
        Block = "block",
        /// It goes ahead.
        Continue = "continue",
    }
}

/// What the CLI says in the handshake.
///
/// Nothing of it is needed to go on, so reading it from JSON never fails for its shape: a field that is missing or of
/// another type is as by default, and so are all where the reply is no object.
/// What came is kept as [`raw`](Self::raw).
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct InitializeReply {
    /// The slash commands.
    pub commands: Vec<RawJson>,
    /// The agents that can be started.
    pub agents: Vec<RawJson>,
    /// The models that can be chosen.
    pub models: Vec<RawJson>,
    /// Who is logged in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account: Option<RawJson>,
    /// The style of the answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_style: Option<Box<str>>,
    /// The process id; not declared, seen on the wire.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// The permission mode in force; not declared, seen on the wire.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_permission_mode: Option<PermissionMode>,
    /// What this CLI can do; not declared, seen on the wire.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<RawJson>,
    /// The reply as it came, fields that are not known here included; never written. `None` where none came.
    #[serde(skip)]
    pub raw: Option<RawJson>,
}

impl<'de> Deserialize<'de> for InitializeReply {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = RawJson::deserialize(deserializer)?;
        let fields = Fields(raw.decode().unwrap_or_default());
        Ok(Self {
            commands: fields.read("commands"),
            agents: fields.read("agents"),
            models: fields.read("models"),
            account: fields.read("account"),
            output_style: fields.read("output_style"),
            pid: fields.read("pid"),
            current_permission_mode: fields.read("current_permission_mode"),
            capabilities: fields.read("capabilities"),
            raw: Some(raw),
        })
    }
}

/// The fields of an object, each to be read by itself.
struct Fields(BTreeMap<Box<str>, RawJson>);

impl Fields {
    /// The field, or the default where it is missing or of another type.
    fn read<T: DeserializeOwned + Default>(&self, name: &str) -> T {
        self.0.get(name).and_then(|raw| raw.decode().ok()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> InitializeReply {
        RawJson::parse(text).unwrap().decode().unwrap()
    }

    #[test]
    fn each_field_is_read_by_itself() {
        let text = r#"{"commands":{},"agents":[{"name":"a"}],"models":null,"pid":"7","output_style":"terse","later":1}"#;
        let reply = read(text);
        assert!(reply.commands.is_empty() && reply.models.is_empty());
        assert_eq!((reply.agents.len(), reply.pid, reply.output_style.as_deref()), (1, None, Some("terse")));
        assert_eq!(reply.raw.unwrap().as_str(), text);
    }

    #[test]
    fn a_reply_that_is_no_object_is_kept() {
        for text in ["[]", "null", "7"] {
            let raw = Some(RawJson::parse(text).unwrap());
            assert_eq!(read(text), InitializeReply { raw, ..InitializeReply::default() });
        }
    }
}
