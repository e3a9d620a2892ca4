//! The outcome of a turn: its text, its result and its structured output.

use std::sync::Arc;

use agentwire_codec::Incoming;
use agentwire_protocol::{
    Block, Message, Uuid,
    message::{TerminalReason, TurnResult},
    usage::Usage,
};
use serde::de::DeserializeOwned;

use super::{Schema, Turn};
use crate::Error;

/// The outcome of a successful turn.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TurnAnswer {
    /// All text of the main conversation that [`Turn::answer`] read, in order, with an empty line between text blocks.
    /// Messages that a later one replaces (`supersedes`) are left out.
    ///
    /// [`TurnResult::result`] contains only the last text.
    pub text: String,
    /// The result.
    pub result: Box<TurnResult>,
    schema: Option<Arc<Schema>>,
}

impl Turn<'_> {
    /// Reads to the end of the turn and returns its text and its result.
    ///
    /// The text does not include messages that were read before.
    ///
    /// # Cancel safety
    ///
    /// As [`finish`](Self::finish).
    ///
    /// # Errors
    ///
    /// As [`finish`](Self::finish), and:
    /// [`Error::TurnFailed`] if the result is an error, also for an interrupted turn;
    /// [`Error::NotLoggedIn`] if the reason is a missing login;
    /// [`Error::NoResult`] where [`finish`](Self::finish) returns `None`.
    pub async fn answer(mut self) -> Result<TurnAnswer, Error> {
        self.read_answer().await
    }

    async fn read_answer(&mut self) -> Result<TurnAnswer, Error> {
        let mut text = AnswerText::default();
        while let Some(next) = self.next_owned().await {
            let (incoming, is_own) = next?;
            self.session.discard(&incoming);
            if is_own {
                text.add(&incoming);
            }
        }
        let schema = self.session.schema.clone();
        let result = self.take_result()?;
        // A turn that a prompt with `Priority::Now` interrupts has a half answer, and a result that is no error.
        if result.is_error || result.was_aborted() {
            return Err(Error::turn_failed(result, self.failure.as_ref()));
        }
        Ok(TurnAnswer { text: text.text(), result, schema })
    }

    /// As [`answer`](Self::answer), but returns only the text.
    ///
    /// The text is empty if a hook refused the prompt ([`TurnResult::result`] has the reason) or ended the turn (only
    /// [`TurnResult::terminal_reason`] reports it).
    ///
    /// # Cancel safety
    ///
    /// As [`finish`](Self::finish).
    ///
    /// # Errors
    ///
    /// As [`answer`](Self::answer).
    pub async fn text(self) -> Result<String, Error> {
        Ok(self.answer().await?.text)
    }

    /// As [`answer`](Self::answer), but returns only the structured output: see [`TurnAnswer::structured`].
    ///
    /// # Cancel safety
    ///
    /// As [`finish`](Self::finish).
    ///
    /// # Errors
    ///
    /// As [`answer`](Self::answer) and [`TurnAnswer::structured`].
    pub async fn structured<T: DeserializeOwned>(self) -> Result<T, Error> {
        self.answer().await?.structured()
    }

    /// As [`structured`](Self::structured), but asks again in the same session, at most `retries` times, while the
    /// structured output is missing or does not match. The prompt of a retry contains the error.
    ///
    /// Each retry is a turn with its own cost. [`TurnResult::total_cost_usd`] of the next turn includes all of them;
    /// before that, [`Control::usage`](crate::Control::usage) with `skip_behaviors` reports the cost of the session
    /// (experimental).
    ///
    /// # Cancel safety
    ///
    /// As [`finish`](Self::finish), for the running turn.
    ///
    /// # Errors
    ///
    /// As [`structured`](Self::structured), with the error of the last attempt, and as
    /// [`Session::send`](crate::Session::send) if a retry can't be sent.
    pub async fn structured_retrying<T: DeserializeOwned>(mut self, retries: u32) -> Result<T, Error> {
        for _ in 0..retries {
            let error = match self.read_answer().await.and_then(|answer| answer.structured()) {
                Err(error) if error.is_of_output() => error,
                done => return done,
            };
            let prompt = format!("{error}. Answer again with structured output that matches the schema.");
            self = self.session.ask(prompt).await?;
        }
        self.structured().await
    }
}

impl TurnAnswer {
    /// Returns the tokens used by the turn's main conversation.
    pub fn usage(&self) -> Option<&Usage> {
        self.result.usage.as_ref()
    }

    /// Decodes the structured output.
    ///
    /// With the feature `structured` it is first validated against the schema of the session's `outputFormat`.
    ///
    /// # Errors
    ///
    /// [`Error::NoStructuredOutput`] if the model returned none, which the CLI reports as a success;
    /// [`Error::TurnFailed`] if the model did not get to answer, because a hook refused the prompt or ended the turn, a
    /// tool use was deferred, or a command of the CLI answered; [`Error::StructuredOutput`] if the output does not
    /// match the schema or the type.
    pub fn structured<T: DeserializeOwned>(&self) -> Result<T, Error> {
        let Some(output) = &self.result.structured_output else {
            let reason = self.result.terminal_reason.as_ref();
            // The model gets neither a refused prompt nor a command of the CLI.
            let is_complete =
                self.result.num_turns > 0 && reason.is_none_or(|reason| *reason == TerminalReason::Completed);
            return Err(if is_complete {
                Error::NoStructuredOutput { text: self.text.clone() }
            } else {
                Error::TurnFailed(self.result.clone())
            });
        };
        let wrong = |why: String| Error::StructuredOutput { why, output: output.clone() };
        if let Some(schema) = &self.schema {
            schema.check(output).map_err(wrong)?;
        }
        output.decode().map_err(|error| wrong(error.to_string()))
    }
}

/// The text of the main conversation so far.
#[derive(Debug, Default)]
struct AnswerText(Vec<(Option<Uuid>, String)>);

impl AnswerText {
    fn add(&mut self, incoming: &Incoming) {
        if let Some(Message::Assistant(message)) = incoming.message()
            && message.parent_tool_use_id.is_none()
        {
            if let Some(gone) = &message.supersedes {
                self.0.retain(|(uuid, _)| uuid.as_ref().is_none_or(|uuid| !gone.contains(uuid)));
            }
            let texts = message.message.content.iter().filter_map(Block::as_text);
            self.0.extend(texts.map(|text| (message.uuid.clone(), text.to_owned())));
        }
    }

    fn text(self) -> String {
        let texts: Vec<_> = self.0.into_iter().map(|(_, text)| text).collect();
        texts.join("\n\n")
    }
}
