//! Session events: `SessionStart`, `SessionEnd` and `Setup`.

use super::{ContextOutput, NoOutput, declare::hook_event};

hook_event! {
    /// A conversation starts.
    ///
    /// Callbacks fire after `/clear` and after a compaction, but not when the CLI starts or resumes a session: that
    /// happens before the handshake registers them.
    /// This event can't be blocked.
    SessionStart => SessionStartOutput, matched by "source", refusal |_| None, adds context;

    /// The input of `SessionStart`.
    SessionStartInput {
        /// The reason (`source`).
        source: SessionStartSource,
        /// The model (`model`).
        model: Option<Box<str>>,
        /// The session title (`session_title`).
        session_title: Option<String>,
        /// The time since the model's last answer in seconds, if resumed or forked (`seconds_since_last_response`).
        seconds_since_last_response: Option<f64>,
        /// The number of tokens in the resumed conversation (`context_tokens`).
        #[serde(default, deserialize_with = "crate::lenient::optional_count")]
        context_tokens: Option<u64>,
        /// Whether the prompt cache has probably expired (`prompt_cache_likely_expired`).
        prompt_cache_likely_expired: Option<bool>,
        /// The estimated cost of caching those tokens again, in US dollars (`estimated_cache_write_usd`).
        estimated_cache_write_usd: Option<f64>,
    }
}

/// The reason why a conversation starts.
#[wire]
pub enum SessionStartSource {
    /// The CLI was started.
    Startup = "startup",
    /// A session was resumed.
    Resume = "resume",
    /// The previous conversation was cleared.
    Clear = "clear",
    /// The previous conversation was compacted.
    Compact = "compact",
    /// A session was forked.
    Fork = "fork",
}

/// The event-specific output of `SessionStart`.
#[wire(Default, camelCase)]
pub struct SessionStartOutput {
    /// Additional text for the model (`additionalContext`).
    pub additional_context: Option<String>,
    /// A first prompt (`initialUserMessage`); CLI 2.1.330 ignores it in the reply of a callback.
    pub initial_user_message: Option<String>,
    /// A title for the session (`sessionTitle`); CLI 2.1.330 ignores it in the reply of a callback.
    pub session_title: Option<String>,
    /// Absolute paths to watch for `FileChanged` (`watchPaths`).
    pub watch_paths: Option<Vec<String>>,
    /// Whether to reload skills and commands, if the hook added some (`reloadSkills`).
    pub reload_skills: Option<bool>,
}

hook_event! {
    /// A conversation ends.
    ///
    /// Fires on `/clear`, and on `SIGTERM` while the CLI's input is open, but not at the end of its input.
    /// This event can't be blocked.
    SessionEnd => NoOutput, matched by "reason", refusal |_| None, within 1_500 ms;

    /// The input of `SessionEnd`.
    SessionEndInput {
        /// The reason (`reason`).
        reason: SessionEndReason,
    }
}

/// The reason why a conversation ends.
#[wire]
pub enum SessionEndReason {
    /// The conversation was cleared.
    Clear = "clear",
    /// Another conversation was resumed.
    Resume = "resume",
    /// The user logged out.
    Logout = "logout",
    /// The user exited at the prompt.
    PromptInputExit = "prompt_input_exit",
    /// Another reason, such as a signal.
    Other = "other",
}

hook_event! {
    /// The project is set up, with `--init` or `--maintenance`.
    ///
    /// Declared, but a callback was never seen to fire for it.
    /// This event can't be blocked.
    Setup => ContextOutput, matched by "trigger", refusal |_| None, adds context;

    /// The input of `Setup`.
    SetupInput {
        /// The trigger (`trigger`).
        trigger: SetupTrigger,
    }
}

/// The trigger of a set-up.
#[wire]
pub enum SetupTrigger {
    /// The first set-up of the project.
    Init = "init",
    /// Maintenance.
    Maintenance = "maintenance",
}
