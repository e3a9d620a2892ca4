//! The loop.

use agentwire_hub::{Hub, Naming, Offers, llm};
use serde_json::{Value, json};

use crate::{Api, ChatError, Form, Step, calls::Calls, turn};

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

/// What the model has answered.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Answer {
    /// The text of its last message.
    pub text: String,
    /// Why it stopped (`stop_reason`): `end_turn`, or `max_tokens` where the text is cut.
    pub stop_reason: Option<String>,
    /// How many times it was asked.
    pub rounds: usize,
}

impl Chat {
    /// A conversation that begins.
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

    /// How the model calls tools; [`Form::Native`] by default.
    pub fn form(self, form: Form) -> Self {
        Self { form, ..self }
    }

    /// What to tell the model first; the description of the servers comes after it.
    pub fn system(self, system: impl Into<String>) -> Self {
        Self { system: system.into(), ..self }
    }

    /// How many times the model may be asked for one answer; 25 by default, and at least one.
    pub fn rounds(self, rounds: usize) -> Self {
        Self { rounds: rounds.max(1), ..self }
    }

    /// How many tokens each reply may have; 8,192 by default.
    pub fn max_tokens(self, max_tokens: u32) -> Self {
        Self { max_tokens, ..self }
    }

    /// The conversation so far, as the API has it.
    pub fn messages(&self) -> &[Value] {
        &self.messages
    }

    /// Asks the model, and calls the tools that it chooses, until it is done; `step` hears of everything on the way.
    ///
    /// # Cancellation
    ///
    /// Dropping the future cancels the calls that are under way.
    /// A message of the model's whose calls were not all answered is then no part of the conversation; the prompt is.
    ///
    /// # Errors
    ///
    /// [`ChatError`], after which the conversation stands as it does when the future is dropped.
    pub async fn ask(
        &mut self,
        prompt: impl Into<String>,
        mut step: impl FnMut(Step) + Send,
    ) -> Result<Answer, ChatError> {
        self.messages.push(json!({ "role": "user", "content": prompt.into() }));
        for rounds in 1..=self.rounds {
            let offers = self.hub.offers(Naming::default());
            let reply = self.api.send(&self.request(&offers)).await?;
            let text = turn::text(&reply.content);
            if !text.is_empty() {
                step(Step::Said(text.clone()));
            }
            let answers = match self.form {
                Form::Native => {
                    let calls = Calls { hub: &self.hub, offers: &offers, step: &mut step };
                    turn::native(&reply, calls).await
                }
                form => {
                    let calls = Calls { hub: &self.hub, offers: &offers, step: &mut step };
                    turn::from_text(&text, form, reply.stop_reason.as_deref(), calls).await
                }
            };
            // The API takes no message without content.
            if !reply.content.is_empty() {
                self.messages.push(json!({ "role": "assistant", "content": reply.content }));
            }
            let is_paused = reply.stop_reason.as_deref() == Some("pause_turn");
            match answers {
                Some(answers) => self.messages.push(json!({ "role": "user", "content": answers })),
                None if is_paused => {}
                None => return Ok(Answer { text, stop_reason: reply.stop_reason, rounds }),
            }
        }
        Err(ChatError::TooManyRounds(self.rounds))
    }

    fn request(&self, offers: &Offers) -> Value {
        let section = llm::section(&offers.described(), self.form);
        let system = match &*self.system {
            "" => section,
            system => format!("{system}\n\n{section}"),
        };
        let mut request = json!({
            "model": self.api.model,
            "max_tokens": self.max_tokens,
            "system": system,
            "messages": self.messages,
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
