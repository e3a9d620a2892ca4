//! Facts of the whole session, for the head of the page.

use agentwire_protocol::{
    Message,
    message::{Init, TurnResult},
    usage::Usage,
};

use super::escape;
use agentwire_testkit::Transcript;

/// The facts of a session.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// Every id that the session had; clearing it gives a new one.
    pub(super) sessions: Vec<String>,
    pub(super) model: Option<String>,
    pub(super) cli: Option<String>,
    pub(super) cwd: Option<String>,
    pub(super) mode: Option<String>,
    pub(super) recorded: Option<String>,
    pub(super) redacted: bool,
    /// The cost so far, from the last result.
    pub(super) cost: Option<f64>,
    pub(super) tokens_in: u64,
    pub(super) tokens_out: u64,
    /// The sum of the turn durations that the results report, in milliseconds.
    pub(super) reported_millis: u64,
}

impl Facts {
    pub(super) fn of_header(session: &Transcript) -> Self {
        let header = &session.header;
        Self {
            cli: header.cli.as_deref().map(str::to_owned),
            recorded: header.recorded.as_deref().map(str::to_owned),
            redacted: header.redacted == Some(true),
            ..Self::default()
        }
    }

    pub(super) fn take_ids(&mut self, message: &Message) {
        let Some(id) = message.session_id().map(|id| id.to_string()).filter(|id| !id.is_empty()) else {
            return;
        };
        if self.sessions.last() != Some(&id) && self.sessions.len() < SESSIONS && !self.sessions.contains(&id)
        {
            self.sessions.push(id);
        }
    }

    pub(super) fn take_init(&mut self, init: &Init) {
        self.model.get_or_insert_with(|| init.model.to_string());
        self.cwd.get_or_insert_with(|| init.cwd.clone());
        if let Some(version) = &init.claude_code_version {
            self.cli.get_or_insert_with(|| version.to_string());
        }
        if let Some(mode) = &init.permission_mode {
            self.mode.get_or_insert_with(|| mode.as_str().to_owned());
        }
    }

    /// Takes the model of an answer, since a stored session has no `init`.
    pub(super) fn take_model(&mut self, model: &str) {
        // The model of messages that the CLI has written itself.
        if model != "<synthetic>" {
            self.model.get_or_insert_with(|| model.to_owned());
        }
    }

    pub(super) fn take_result(&mut self, result: &TurnResult) {
        self.cost = Some(result.total_cost_usd);
        self.reported_millis = self.reported_millis.saturating_add(result.duration_ms);
        if let Some(usage) = &result.usage {
            self.tokens_in = self.tokens_in.saturating_add(tokens_in(usage));
            self.tokens_out = self.tokens_out.saturating_add(usage.output_tokens);
        }
    }
}

/// Returns usage, cost and time of a turn, from its result.
pub(super) fn result_note(result: &TurnResult) -> String {
    let mut note =
        format!("{} reported · ${:.4} so far", escape::time(result.duration_ms), result.total_cost_usd);
    if let Some(usage) = &result.usage {
        note = format!("{} tokens in, {} out · {note}", tokens_in(usage), usage.output_tokens);
    }
    note
}

/// Returns the tokens of the input, those that were written to the cache or read from it included.
fn tokens_in(usage: &Usage) -> u64 {
    let cached = [usage.cache_creation_input_tokens, usage.cache_read_input_tokens];
    cached.into_iter().flatten().fold(usage.input_tokens, u64::saturating_add)
}

/// More ids than these are not listed.
const SESSIONS: usize = 8;
