//! The model and the course of the conversation.

use super::{
    Options,
    argv::Argv,
    lower::{Lower, Lowered},
};
use crate::Error;

pub(super) struct Group<'a>(pub(super) &'a Options);

impl Options {
    /// Sets the model.
    #[must_use]
    pub fn model(mut self, model: impl Into<String>) -> Self {
        self.model = Some(model.into());
        self
    }

    /// Sets the most rounds that a turn may have.
    #[must_use]
    pub fn max_turns(mut self, turns: u32) -> Self {
        self.max_turns = Some(turns);
        self
    }

    /// Has answers told as they stream.
    #[must_use]
    pub fn include_partial_messages(mut self) -> Self {
        self.include_partial_messages = true;
        self
    }

    /// Goes on with a stored session.
    #[must_use]
    pub fn resume(mut self, session_id: impl Into<String>) -> Self {
        self.resume = Some(session_id.into());
        self
    }
}

impl Lower for Group<'_> {
    fn lower(&self, to: &mut Lowered) -> Result<(), Error> {
        let refuse = |option, why: &str| Err(Error::Options { option, why: why.to_owned() });
        if self.0.model.as_deref() == Some("") {
            return refuse("model", "a model's name is not empty");
        }
        if self.0.resume.as_deref() == Some("") {
            return refuse("resume", "a session id is not empty");
        }
        if self.0.max_turns == Some(0) {
            return refuse("maxTurns", "a turn has at least one round");
        }
        to.flag("model", self.0.model.as_deref());
        to.flag("max-turns", self.0.max_turns);
        to.flag("resume", self.0.resume.as_deref());
        to.switch("include-partial-messages", self.0.include_partial_messages);
        Ok(())
    }
}
