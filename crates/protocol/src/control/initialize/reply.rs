//! What the CLI says in the handshake.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::ManifestFate;
use crate::{
    DecodeError, PermissionMode, RawJson,
    account::AccountInfo,
    agent::AgentInfo,
    effort::{FastModeDisabledReason, FastModeState},
    model_info::ModelInfo,
    open_enum::open_enum,
    slash_command::SlashCommand,
};

/// What the CLI says in the handshake.
///
/// Nothing of it is needed to go on, so reading it never fails for its shape: a field that is missing or of another
/// type is as by default, and so are all where the reply is no object.
/// What came is kept as [`raw`](Self::raw).
/// Whoever wants to notice a changed shape writes what was read and compares: a field that did not fit is not there.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(remote = "Self", default)]
#[non_exhaustive]
pub struct InitializeReply {
    /// The slash commands.
    pub commands: Vec<SlashCommand>,
    /// The agents that can be started.
    pub agents: Vec<AgentInfo>,
    /// The models that can be chosen.
    pub models: Vec<ModelInfo>,
    /// Who is logged in.
    pub account: Option<AccountInfo>,
    /// Where the credentials come from, where there are two. Not declared, seen on the wire.
    pub auth_conflict: Option<AuthConflict>,
    /// The style of the answers.
    pub output_style: Option<Box<str>>,
    /// The styles that can be chosen.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub available_output_styles: Vec<Box<str>>,
    /// Where the user's own styles are kept. Not declared, seen on the wire.
    pub user_output_styles_dir: Option<String>,
    /// The process id. Not declared, seen on the wire; known since CLI 2.1.197.
    pub pid: Option<u32>,
    /// The CLI's version; absent from CLI 2.1.197.
    pub claude_code_version: Option<Box<str>>,
    /// The permission mode in force. Not declared, seen on the wire.
    pub current_permission_mode: Option<PermissionMode>,
    /// Whether the hooks of the request are in force; absent where it had none.
    pub hooks_applied: Option<bool>,
    /// Whether the CLI knows `onFailure` of hooks; absent where it does not, and then a failed callback blocks nothing.
    pub hook_on_failure_supported: Option<bool>,
    /// How many open hook requests of an earlier host are still waited for. Not declared, seen on the wire.
    pub hooks_when_unanswered_kept: Option<u64>,
    /// Whether another hook's wish to ask outranks the host's hooks. Not declared, seen on the wire.
    pub other_hook_ask_outranks_host: Option<bool>,
    /// Whether every plugin of the request is loaded; absent where it had none.
    pub plugins_applied: Option<bool>,
    /// Whether the `mcpServers` of the request were taken; absent where it had none, or the CLI takes none.
    ///
    /// It says nothing of their connections.
    pub mcp_servers_applied: Option<bool>,
    /// What became of each manifest of the request, by server; absent where it had none.
    pub sdk_mcp_manifests_parked: Option<BTreeMap<Box<str>, ManifestFate>>,
    /// Whether the session works. Not declared, seen on the wire.
    pub session_state: Option<HandshakeState>,
    /// What this CLI can do, by name. Not declared, seen on the wire.
    pub capabilities: Option<Vec<Box<str>>>,
    /// Whether answers come in fast mode.
    pub fast_mode_state: Option<FastModeState>,
    /// Why fast mode can't be had.
    pub fast_mode_disabled_reason: Option<FastModeDisabledReason>,
    /// How feedback is asked for. Not declared, seen on the wire.
    pub feedback_mode: Option<FeedbackMode>,
    /// Whether nothing is reported to the vendor. Not declared, seen on the wire.
    pub analytics_disabled: Option<bool>,
    /// Whether remote control turns itself on. Not declared, seen on the wire.
    pub remote_control_auto_enable: Option<bool>,
    /// Whether remote control connects by default. Not declared, seen on the wire.
    pub remote_control_auto_connect_default: Option<bool>,
    /// Whether remote control can be had. Not declared, seen on the wire.
    pub remote_control_available: Option<bool>,
    /// Whether remote control is on by default. Not declared, seen on the wire.
    pub remote_control_auto_on_by_default: Option<bool>,
    /// Whether an editor may turn remote control on. Not declared, seen on the wire.
    pub ide_rc_auto_enable_gate: Option<bool>,
    /// The reply as it came, fields that are not known here included; never written. `None` where none came.
    #[serde(skip)]
    pub raw: Option<RawJson>,
}

open_enum! {
    /// Whether the session works (`session_state` of the handshake).
    pub enum HandshakeState {
        /// It waits for a prompt.
        Idle = "idle",
        /// It works.
        Running = "running",
        /// It waits for an answer.
        RequiresAction = "requires_action",
    }
}

/// Two sources of credentials at once; their names, never the credentials. Not declared, seen on the wire.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct AuthConflict {
    /// Where the token comes from.
    pub token_source: Box<str>,
    /// Where the API key comes from.
    pub api_key_source: Box<str>,
}

/// How feedback is asked for. Not declared, seen on the wire.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct FeedbackMode {
    /// How; `disabled` is the only word seen.
    pub kind: Box<str>,
}

impl InitializeReply {
    /// Reads a reply that must have the shape that is known here; `raw` is not kept.
    fn deserialize_strictly<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::deserialize(deserializer)
    }

    /// Reads what can be read: each field that has its shape.
    fn read_what_fits(raw: &RawJson) -> Self {
        let fields: BTreeMap<Box<str>, RawJson> = raw.decode().unwrap_or_default();
        let fits = |name: &str, value: &RawJson| {
            RawJson::encode(&BTreeMap::from([(name, value)])).is_ok_and(|one| one.decode::<Strict>().is_ok())
        };
        let fitting: BTreeMap<_, _> = fields.iter().filter(|(name, value)| fits(name, value)).collect();
        let read = |all: RawJson| -> Result<Strict, DecodeError> { all.decode() };
        RawJson::encode(&fitting)
            .ok()
            .and_then(|all| read(all).ok())
            .map(|Strict(reply)| reply)
            .unwrap_or_default()
    }
}

/// A reply that must have the shape that is known here.
#[derive(Deserialize)]
struct Strict(#[serde(deserialize_with = "InitializeReply::deserialize_strictly")] InitializeReply);

impl<'de> Deserialize<'de> for InitializeReply {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = RawJson::deserialize(deserializer)?;
        let mut reply = match raw.decode() {
            Ok(Strict(reply)) => reply,
            Err(_) => Self::read_what_fits(&raw),
        };
        // It is kept as long as the session.
        reply.commands.shrink_to_fit();
        reply.agents.shrink_to_fit();
        reply.models.shrink_to_fit();
        reply.raw = Some(raw);
        Ok(reply)
    }
}

impl Serialize for InitializeReply {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
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
    fn a_field_that_comes_twice_is_no_reason_to_fail() {
        let reply = read(r#"{"pid":1,"pid":2,"output_style":"terse"}"#);
        assert_eq!((reply.pid, reply.output_style.as_deref()), (Some(2), Some("terse")));
    }

    #[test]
    fn a_reply_that_is_no_object_is_kept() {
        for text in ["[]", "null", "7", r#""hello""#] {
            let raw = Some(RawJson::parse(text).unwrap());
            assert_eq!(read(text), InitializeReply { raw, ..InitializeReply::default() });
        }
    }

    #[test]
    fn what_did_not_fit_is_not_written() {
        let written =
            serde_json::to_string(&read(r#"{"pid":7,"session_state":"idle","feedback_mode":1}"#)).unwrap();
        assert_eq!(written, r#"{"commands":[],"agents":[],"models":[],"pid":7,"session_state":"idle"}"#);
    }
}
