//! When conversations begin and end: `SessionStart`, `SessionEnd` and `Setup`.

use serde::{Deserialize, Serialize};

use super::{HookReply, NoOutput, ability::adds_context, declare::hook_event};
use crate::open_enum::open_enum;

hook_event! {
    /// A conversation begins.
    ///
    /// A callback is called after `/clear` and after a compaction, not when the CLI starts or resumes a session: that
    /// is over when the handshake declares it.
    /// The event can't refuse.
    SessionStart => SessionStartOutput, matched by "source", refusal |_| None;

    /// What `SessionStart` tells.
    SessionStartInput {
        /// Why it begins (`source`).
        source: SessionStartSource,
        /// The model (`model`).
        model: Option<Box<str>>,
        /// The session's title (`session_title`).
        session_title: Option<String>,
        /// How long ago the model last answered, in seconds, when resumed or forked (`seconds_since_last_response`).
        seconds_since_last_response: Option<f64>,
        /// How many tokens the resumed conversation has (`context_tokens`).
        #[serde(default, deserialize_with = "crate::lenient::optional_count")]
        context_tokens: Option<u64>,
        /// Whether the prompt cache is likely to have expired since (`prompt_cache_likely_expired`).
        prompt_cache_likely_expired: Option<bool>,
        /// What caching those tokens anew would cost, in US dollars (`estimated_cache_write_usd`).
        estimated_cache_write_usd: Option<f64>,
    }
}

open_enum! {
    /// Why a conversation begins.
    pub enum SessionStartSource {
        /// The CLI was started.
        Startup = "startup",
        /// A session was resumed.
        Resume = "resume",
        /// The conversation before was cleared.
        Clear = "clear",
        /// The conversation before was compacted.
        Compact = "compact",
        /// A session was forked.
        Fork = "fork",
    }
}

/// What only `SessionStart` can say.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SessionStartOutput {
    /// Text for the model (`additionalContext`).
    pub additional_context: Option<String>,
    /// A first prompt (`initialUserMessage`).
    pub initial_user_message: Option<String>,
    /// A title for the session (`sessionTitle`).
    pub session_title: Option<String>,
    /// Absolute paths to watch for `FileChanged` (`watchPaths`).
    pub watch_paths: Option<Vec<String>>,
    /// Whether to look again for skills and commands, where the hook has put some there (`reloadSkills`).
    pub reload_skills: Option<bool>,
}

adds_context!(SessionStart, Setup);

hook_event! {
    /// A conversation ends.
    ///
    /// Fires on `/clear`, and on `SIGTERM` while the CLI's input is open; not at the end of its input.
    /// The event can't refuse.
    SessionEnd => NoOutput, matched by "reason", refusal |_| None, within 1_500 ms;

    /// What `SessionEnd` tells.
    SessionEndInput {
        /// Why it ends (`reason`).
        reason: SessionEndReason,
    }
}

open_enum! {
    /// Why a conversation ends.
    pub enum SessionEndReason {
        /// It was cleared.
        Clear = "clear",
        /// Another one was resumed.
        Resume = "resume",
        /// The user logged out.
        Logout = "logout",
        /// The user left at the prompt.
        PromptInputExit = "prompt_input_exit",
        /// Another reason, such as a signal.
        Other = "other",
    }
}

hook_event! {
    /// The project is set up, with `--init` or `--maintenance`.
    ///
    /// Declared; a callback was never seen to be called for it.
    /// The event can't refuse.
    Setup => SetupOutput, matched by "trigger", refusal |_| None;

    /// What `Setup` tells.
    SetupInput {
        /// What set it off (`trigger`).
        trigger: SetupTrigger,
    }
}

open_enum! {
    /// What set off a set-up.
    pub enum SetupTrigger {
        /// The project is set up for the first time.
        Init = "init",
        /// It is maintained.
        Maintenance = "maintenance",
    }
}

/// What only `Setup` can say.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SetupOutput {
    /// Text for the model (`additionalContext`).
    pub additional_context: Option<String>,
}

impl HookReply<SessionStart> {
    /// The same reply, and skills and commands are looked for again, where the hook has put some there.
    #[must_use]
    pub fn reloading_skills(mut self) -> Self {
        self.output.get_or_insert_default().reload_skills = Some(true);
        self
    }

    /// The conversation begins with this prompt.
    pub fn initial_message(text: impl Into<String>) -> Self {
        let text = Some(text.into());
        Self::output(SessionStartOutput { initial_user_message: text, ..SessionStartOutput::default() })
    }
}
