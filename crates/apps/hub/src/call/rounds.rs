//! Requests that need more input: each is sent again with the input until there is a result.

use std::time::Duration;

use rmcp::model::{ClientRequest, InputRequiredResult, InputResponses};
use tokio::time::sleep;

use crate::{
    client::{Caller, Client},
    excerpt::excerpt,
};

/// Counts how often the server requested more input.
#[derive(Debug, Default)]
pub(super) struct Rounds {
    all: u32,
    /// The rounds in a row without questions.
    empty: u32,
}

impl Rounds {
    /// Answers the server's questions, and puts the answers into the next request.
    ///
    /// # Errors
    ///
    /// The reason why there is no next request.
    pub(super) async fn answer(
        &mut self,
        wanted: InputRequiredResult,
        next: &mut ClientRequest,
        client: &Client,
        caller: Option<&Caller>,
    ) -> Result<(), String> {
        self.all += 1;
        if self.all > MAX_ROUNDS {
            return Err(format!("it has asked for more input more than {MAX_ROUNDS} times"));
        }
        let InputRequiredResult { input_requests, request_state, .. } = wanted;
        let asks = input_requests.unwrap_or_default();
        if asks.is_empty() && request_state.is_none() {
            return Err("it asks for more input, and does not say for which".to_owned());
        }
        if asks.is_empty() {
            sleep(PAUSE * (1 << self.empty.min(3))).await;
            self.empty += 1;
        } else {
            self.empty = 0;
        }
        let answers = client.provide(asks, caller).await;
        let answers = answers.map_err(|error| {
            format!("it asks for input that it can't be given: {}", excerpt(&error.message))
        })?;
        continued(next, answers, request_state)
    }
}

/// Puts answers and state into a request, instead of those of an earlier round.
fn continued(
    request: &mut ClientRequest,
    answers: InputResponses,
    state: Option<String>,
) -> Result<(), String> {
    let (inputs, request_state) = match request {
        ClientRequest::CallToolRequest(call) => {
            (&mut call.params.input_responses, &mut call.params.request_state)
        }
        ClientRequest::GetPromptRequest(get) => {
            (&mut get.params.input_responses, &mut get.params.request_state)
        }
        ClientRequest::ReadResourceRequest(read) => {
            (&mut read.params.input_responses, &mut read.params.request_state)
        }
        _ => return Err("it asks for more input, which this request can't have".to_owned()),
    };
    *inputs = (!answers.is_empty()).then_some(answers);
    *request_state = state;
    Ok(())
}

/// How often a server may request more input.
const MAX_ROUNDS: u32 = 10;
/// The delay before a request is sent again without input. It doubles three times.
const PAUSE: Duration = Duration::from_millis(50);
