//! What a turn comes to: its text, its result, and its structured output.

use std::sync::Arc;

use agentwire_codec::Incoming;
use agentwire_protocol::{
    Block, Message, Uuid,
    message::{Assistant, AssistantError, TurnResult},
    usage::Usage,
};
use serde::de::DeserializeOwned;

use super::{Schema, Turn};
use crate::Error;

/// What a turn that succeeded came to.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Answer {
    /// All text of the main conversation that was read by [`Turn::answer`], in order, one text block a paragraph: joined
    /// by an empty line.
    ///
    /// [`TurnResult::result`] holds the last text alone.
    pub text: String,
    /// The result.
    pub result: Box<TurnResult>,
    schema: Option<Arc<Schema>>,
}

impl Turn<'_> {
    /// Reads to the end of the turn, and gives its text and its result.
    ///
    /// What was read before is not in its text.
    ///
    /// # Errors
    ///
    /// As [`finish`](Self::finish), and:
    /// [`Error::TurnFailed`] where the result is an error, an interrupted turn's included;
    /// [`Error::NotLoggedIn`] where that is for want of a login;
    /// [`Error::NoResult`] where the turn has no result, since the prompt was cancelled or the session ended well.
    pub async fn answer(mut self) -> Result<Answer, Error> {
        self.read_answer().await
    }

    async fn read_answer(&mut self) -> Result<Answer, Error> {
        let mut said = Said::default();
        while let Some(incoming) = self.next().await {
            let incoming = incoming?;
            if self.own {
                said.hear(&incoming);
            }
        }
        let schema = self.session.schema().cloned();
        let result = self.take_result()?.ok_or(Error::NoResult)?;
        if result.is_error {
            return Err(Error::turn_failed(result, said.error.as_ref()));
        }
        Ok(Answer { text: said.text(), result, schema })
    }

    /// As [`answer`](Self::answer), for its text alone.
    ///
    /// # Errors
    ///
    /// As [`answer`](Self::answer).
    pub async fn text(self) -> Result<String, Error> {
        Ok(self.answer().await?.text)
    }

    /// As [`answer`](Self::answer), for its structured output alone: see [`Answer::structured`].
    ///
    /// # Errors
    ///
    /// As [`answer`](Self::answer) and [`Answer::structured`].
    pub async fn structured<T: DeserializeOwned>(self) -> Result<T, Error> {
        self.answer().await?.structured()
    }

    /// As [`structured`](Self::structured), and asks again in the same session, at most `retries` times, while the answer
    /// has no structured output or one that does not fit. The prompt of a retry names the fault.
    ///
    /// Each retry is a turn of its own, with its own cost.
    ///
    /// # Errors
    ///
    /// As [`structured`](Self::structured); the error of the last attempt.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future leaves the running turn in the session, as dropping a [`Turn`] does.
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

impl Answer {
    /// The tokens that the turn's main conversation took.
    pub fn usage(&self) -> Option<&Usage> {
        self.result.usage.as_ref()
    }

    /// The structured output, decoded.
    ///
    /// It is checked first against the schema of the session's `outputFormat`, with the feature `structured`.
    ///
    /// # Errors
    ///
    /// [`Error::NoStructuredOutput`] where the model gave none, which the CLI lets pass as a success, and
    /// [`Error::StructuredOutput`] where it does not match the schema or the type.
    pub fn structured<T: DeserializeOwned>(&self) -> Result<T, Error> {
        let Some(output) = &self.result.structured_output else {
            return Err(Error::NoStructuredOutput { text: self.text.clone() });
        };
        let wrong = |why: String| Error::StructuredOutput { why, output: output.clone() };
        if let Some(schema) = &self.schema {
            schema.check(output).map_err(wrong)?;
        }
        output.decode().map_err(|error| wrong(error.to_string()))
    }
}

/// What was said in the main conversation.
#[derive(Debug, Default)]
struct Said {
    texts: Vec<(Option<Uuid>, String)>,
    /// The kind of failure that the last message stands for.
    error: Option<AssistantError>,
}

impl Said {
    fn hear(&mut self, incoming: &Incoming) {
        if let Some(Message::Assistant(said)) = incoming.message()
            && said.parent_tool_use_id.is_none()
        {
            self.error.clone_from(&said.error);
            self.take_back(said);
            let texts = said.message.content.iter().filter_map(Block::as_text);
            self.texts.extend(texts.map(|text| (said.uuid.clone(), text.to_owned())));
        }
    }

    /// Drops what the message takes the place of.
    fn take_back(&mut self, said: &Assistant) {
        if let Some(gone) = &said.supersedes {
            self.texts.retain(|(uuid, _)| uuid.as_ref().is_none_or(|uuid| !gone.contains(uuid)));
        }
    }

    fn text(self) -> String {
        let texts: Vec<_> = self.texts.into_iter().map(|(_, text)| text).collect();
        texts.join("\n\n")
    }
}
