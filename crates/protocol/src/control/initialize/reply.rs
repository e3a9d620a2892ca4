//! The reply to `initialize`.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::ManifestFate;
use crate::{
    Hidden, PermissionMode, RawJson,
    account::AccountInfo,
    agent::AgentInfo,
    decode,
    effort::{FastModeDisabledReason, FastModeState},
    message::SessionState,
    model_info::ModelInfo,
    slash_command::SlashCommand,
};

/// The reply to `initialize`.
///
/// A host needs none of these fields to continue, so reading never fails because of the shape: a part that is missing
/// or malformed gets its default or is left out, and if the reply is not an object, every field gets its default. The
/// original reply is in [`raw`](Self::raw).
/// To detect a changed shape, serialize this value and compare it with `raw`: malformed parts are missing.
#[wire(Default)]
#[serde(remote = "Self", default)]
pub struct InitializeReply {
    /// The slash commands.
    pub commands: Vec<SlashCommand>,
    /// The available agents.
    pub agents: Vec<AgentInfo>,
    /// The available models.
    pub models: Vec<ModelInfo>,
    /// The logged-in account.
    pub account: Option<AccountInfo>,
    /// The sources of credentials, if there are two. Not declared, seen on the wire.
    pub auth_conflict: Option<AuthConflict>,
    /// The output style.
    pub output_style: Option<Box<str>>,
    /// The available output styles.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub available_output_styles: Vec<Box<str>>,
    /// The directory of the user's output styles. Not declared, seen on the wire.
    pub user_output_styles_dir: Option<String>,
    /// The process id. Not declared, seen on the wire; known since CLI 2.1.197.
    pub pid: Option<u32>,
    /// The CLI's version; absent from CLI 2.1.197.
    pub claude_code_version: Option<Box<str>>,
    /// The current permission mode. Not declared, seen on the wire.
    pub current_permission_mode: Option<PermissionMode>,
    /// Whether the hooks of the request were registered; absent if it had none.
    pub hooks_applied: Option<bool>,
    /// Whether the CLI supports `onFailure` of hooks; absent means no, and then a failed callback blocks nothing.
    pub hook_on_failure_supported: Option<bool>,
    /// The number of hook requests of an earlier host that are still open. Not declared, seen on the wire.
    pub hooks_when_unanswered_kept: Option<u64>,
    /// Whether an `ask` of another hook takes precedence over the host's hooks. Not declared, seen on the wire.
    pub other_hook_ask_outranks_host: Option<bool>,
    /// Whether the CLI took the plugins of the request; absent if it had none.
    ///
    /// Those that it could not load are in [`Init::plugin_errors`](crate::message::Init::plugin_errors).
    pub plugins_applied: Option<bool>,
    /// Whether the CLI accepted the `mcpServers` of the request; absent if it had none or the CLI does not support
    /// them.
    ///
    /// This does not include their connections.
    pub mcp_servers_applied: Option<bool>,
    /// The outcome of each manifest of the request, by server; absent if it had none.
    pub sdk_mcp_manifests_parked: Option<BTreeMap<Box<str>, ManifestFate>>,
    /// The state of the session. Not declared, seen on the wire.
    pub session_state: Option<SessionState>,
    /// The capabilities of this CLI, by name. Not declared, seen on the wire.
    pub capabilities: Option<Vec<Box<str>>>,
    /// The state of fast mode.
    pub fast_mode_state: Option<FastModeState>,
    /// Why fast mode is unavailable.
    pub fast_mode_disabled_reason: Option<FastModeDisabledReason>,
    /// The feedback settings. Not declared, seen on the wire.
    pub feedback_mode: Option<FeedbackMode>,
    /// Whether the sandbox is enabled; known since CLI 2.1.332. Not declared, seen on the wire.
    pub sandbox_enabled: Option<bool>,
    /// Whether analytics are disabled. Not declared, seen on the wire.
    pub analytics_disabled: Option<bool>,
    /// Whether remote control is enabled automatically. Not declared, seen on the wire.
    pub remote_control_auto_enable: Option<bool>,
    /// Whether remote control connects by default. Not declared, seen on the wire.
    pub remote_control_auto_connect_default: Option<bool>,
    /// Whether remote control is available. Not declared, seen on the wire.
    pub remote_control_available: Option<bool>,
    /// Whether remote control is on by default. Not declared, seen on the wire.
    pub remote_control_auto_on_by_default: Option<bool>,
    /// Whether an editor may enable remote control. Not declared, seen on the wire.
    pub ide_rc_auto_enable_gate: Option<bool>,
    /// The original reply with unknown fields. `None` if there was no reply.
    ///
    /// It is never written. `==` compares its text, so replies with different spacing differ.
    #[serde(skip)]
    #[shown(self.raw.as_ref().map(Hidden))]
    pub raw: Option<RawJson>,
}

/// The names of two conflicting sources of credentials, without the credentials. Not declared, seen on the wire.
#[wire(Eq)]
pub struct AuthConflict {
    /// The source of the token.
    pub token_source: Box<str>,
    /// The source of the API key.
    pub api_key_source: Box<str>,
}

/// The feedback settings. Not declared, seen on the wire.
#[wire(Eq)]
pub struct FeedbackMode {
    /// The kind; only `disabled` was seen.
    pub kind: Box<str>,
}

/// A reply in which every field must fit; `raw` is not kept.
#[derive(Deserialize)]
struct Strict(#[serde(with = "InitializeReply")] InitializeReply);

impl<'de> Deserialize<'de> for InitializeReply {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = RawJson::deserialize(deserializer)?;
        // A reply with too many faulty parts loses the fields that contain them.
        let read = decode::tolerant(raw.as_str(), |_, _| true)
            .or_else(|_| decode::tolerant(raw.as_str(), |_, path| path.len() == 1));
        let mut reply = read.map(|(Strict(reply), _)| reply).unwrap_or_default();
        // Saves memory, since the session keeps the reply.
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
    fn fields_are_read_independently() {
        let text = r#"{"commands":{},"agents":[{"name":"a"},{}],"models":null,"pid":"7","output_style":"terse","x":1}"#;
        let reply = read(text);
        assert!(reply.commands.is_empty() && reply.models.is_empty());
        assert_eq!((reply.agents.len(), reply.pid, reply.output_style.as_deref()), (1, None, Some("terse")));
        assert_eq!(reply.raw.unwrap().as_str(), text);
    }

    #[test]
    fn repeated_field_is_not_an_error() {
        let reply = read(r#"{"pid":1,"pid":2,"output_style":"terse"}"#);
        assert_eq!((reply.pid, reply.output_style.as_deref()), (Some(2), Some("terse")));
    }

    #[test]
    fn too_many_faulty_parts_lose_only_their_field() {
        let commands = vec![r#"{"name":"c","description":"d","argumentHint":["a"]}"#; 1001].join(",");
        let reply = read(&format!(r#"{{"commands":[{commands}],"pid":7}}"#));
        assert_eq!((reply.commands.len(), reply.pid), (0, Some(7)));
    }

    #[test]
    fn debug_hides_the_original_reply() {
        let shown = format!("{:?}", read(r#"{"pid":7,"later":"s3cret"}"#));
        assert!(shown.contains("raw: Some(<hidden>)") && !shown.contains("s3cret"), "{shown}");
    }

    #[test]
    fn reply_that_is_not_an_object_is_kept() {
        for text in ["[]", "null", "7", r#""hello""#] {
            let raw = Some(RawJson::parse(text).unwrap());
            assert_eq!(read(text), InitializeReply { raw, ..InitializeReply::default() });
        }
    }

    #[test]
    fn field_that_did_not_fit_is_not_written() {
        let written =
            serde_json::to_string(&read(r#"{"pid":7,"session_state":"idle","feedback_mode":1}"#)).unwrap();
        assert_eq!(written, r#"{"commands":[],"agents":[],"models":[],"pid":7,"session_state":"idle"}"#);
    }
}
