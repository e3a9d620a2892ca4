//! The chat loop.

use agentwire_hub::{Hub, Naming, Offers, llm};
use serde_json::{Value, json};

use crate::{Api, ApiError, ChatError, Form, Step, api::Reply, calls::Calls, turn};

/// A conversation with a model that has the tools of a hub.
#[derive(Debug)]
pub struct Chat {
    api: Api,
    hub: Hub,
    form: Form,
    system: String,
    rounds: usize,
    max_tokens: u32,
    messages: Vec<Value>,
}

/// The model's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChatAnswer {
    /// The text of the last message.
    pub text: String,
    /// The stop reason (`stop_reason`): `end_turn`, or `max_tokens` if the text is truncated.
    pub stop_reason: Option<String>,
    /// How many replies of the model were needed.
    pub rounds: usize,
}

impl Chat {
    /// Starts a conversation.
    pub fn new(api: Api, hub: Hub) -> Self {
        Self {
            api,
            hub,
            form: Form::Native,
            system: String::new(),
            rounds: ROUNDS,
            max_tokens: MAX_TOKENS,
            messages: Vec::new(),
        }
    }

    /// Sets how the model calls tools; the default is [`Form::Native`].
    pub fn form(self, form: Form) -> Self {
        Self { form, ..self }
    }

    /// Sets the system prompt; the description of the servers is appended.
    pub fn system(self, system: impl Into<String>) -> Self {
        Self { system: system.into(), ..self }
    }

    /// Sets the maximum number of replies for one answer; the default is 25, the minimum is one.
    pub fn rounds(self, rounds: usize) -> Self {
        Self { rounds: rounds.max(1), ..self }
    }

    /// Sets the maximum number of tokens in each reply; the default is 8,192.
    pub fn max_tokens(self, max_tokens: u32) -> Self {
        Self { max_tokens, ..self }
    }

    /// Returns the conversation so far, as the API represents it.
    pub fn messages(&self) -> &[Value] {
        &self.messages
    }

    /// Sends a prompt, and calls the tools that the model requests until it is done; `step` is called on each step.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future cancels the running calls.
    /// A message of the model is then dropped from the conversation unless all its calls were answered; the prompt
    /// stays.
    ///
    /// # Errors
    ///
    /// Returns a [`ChatError`]; the conversation is then as after dropping the future.
    /// But if the API refuses the prompt with status 400 or 413, the prompts since the last answer are removed from the
    /// conversation.
    pub async fn ask(
        &mut self,
        prompt: impl Into<String>,
        mut step: impl FnMut(Step) + Send,
    ) -> Result<ChatAnswer, ChatError> {
        self.messages.push(json!({ "role": "user", "content": prompt.into() }));
        for rounds in 1..=self.rounds {
            let offers = self.hub.offers(Naming::default());
            let reply = match self.send(&offers).await {
                Err(error @ ApiError::Refused { status: 400 | 413, .. }) if rounds == 1 => {
                    self.remove_prompts();
                    return Err(error.into());
                }
                sent => sent?,
            };
            let text = turn::text(&reply.content);
            if !text.is_empty() {
                step(Step::Text(text.clone()));
            }
            let calls = Calls { hub: &self.hub, offers: &offers, step: &mut step };
            let answers = match self.form {
                Form::Native => turn::native(&reply, calls).await,
                form => turn::from_text(&text, form, reply.stop_reason.as_deref(), calls).await,
            };
            // The API rejects messages without content.
            if !reply.content.is_empty() {
                self.messages.push(json!({ "role": "assistant", "content": reply.content }));
            }
            let is_paused = reply.stop_reason.as_deref() == Some("pause_turn");
            match answers {
                Some(answers) => self.messages.push(json!({ "role": "user", "content": answers })),
                None if is_paused => {}
                None => return Ok(ChatAnswer { text, stop_reason: reply.stop_reason, rounds }),
            }
        }
        Err(ChatError::TooManyRounds(self.rounds))
    }

    /// Sends the conversation. If the API refuses it with the last results, sends it once more with an error in their
    /// place: otherwise it would be refused for good.
    async fn send(&mut self, offers: &Offers) -> Result<Reply, ApiError> {
        let refusal = match self.api.send(&self.request(&self.messages, offers)).await {
            Err(error @ ApiError::Refused { status: 400 | 413, .. }) => error,
            sent => return sent,
        };
        let mut messages = self.messages.clone();
        if !turn::drop_results(&mut messages, &refusal) {
            return Err(refusal);
        }
        // The results stay if the API refuses the conversation without them too.
        let reply = self.api.send(&self.request(&messages, offers)).await?;
        self.messages = messages;
        Ok(reply)
    }

    /// Removes the prompts since the last answer: the API would refuse each later request with them too. Any of them may
    /// be the cause, because a prompt whose request has failed otherwise stays.
    fn remove_prompts(&mut self) {
        // The content of a prompt is a string; that of answers and results is an array.
        let last = self.messages.iter().rposition(|message| message["content"].is_array());
        self.messages.truncate(last.map_or(0, |at| at + 1));
    }

    fn request(&self, messages: &[Value], offers: &Offers) -> Value {
        let section = llm::section(&offers.described(), self.form);
        let system = match &*self.system {
            "" => section,
            system => format!("{system}\n\n{section}"),
        };
        let mut request = json!({
            "model": self.api.model,
            "max_tokens": self.max_tokens,
            "system": system,
            "messages": messages,
        });
        if self.form == Form::Native {
            let mut tools: Vec<_> = offers.tools().iter().map(llm::messages_definition).collect();
            tools.extend(turn::reader(offers));
            if !tools.is_empty() {
                request["tools"] = Value::Array(tools);
            }
        }
        request
    }
}

const ROUNDS: usize = 25;
const MAX_TOKENS: u32 = 8_192;
