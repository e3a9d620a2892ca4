//! Permission requests and questions, asked to the client.

use std::sync::Arc;

use agent_client_protocol::{
    Error,
    v1::schema::{PermissionOption, RequestPermissionOutcome, RequestPermissionRequest, ToolCallUpdate},
};
use agentwire::{
    Decision,
    hooks::PermissionHandler,
    protocol::{control::CanUseTool, permission::Questions},
};
use tokio::sync::{mpsc, oneshot};

use super::Command;
use crate::{failure::internal, features::Features, outbox::Outbox, permission};

/// Asks the client in the name of a session.
#[derive(Clone, Debug)]
pub(super) struct Asking {
    pub(super) session: Arc<str>,
    pub(super) outbox: Outbox,
    pub(super) commands: mpsc::Sender<Command>,
    pub(super) features: Features,
}

impl Asking {
    /// Returns the handler. An error is a denial.
    ///
    /// If the CLI withdraws its request, the request to the client is cancelled.
    pub(super) fn handler(self) -> PermissionHandler {
        PermissionHandler::new(move |request, context| {
            let asking = self.clone();
            async move {
                let answered = context.cancelled.run_until_cancelled(asking.ask(request)).await;
                answered.unwrap_or_else(|| Err(internal("the CLI has withdrawn the request")))
            }
        })
    }

    async fn ask(&self, request: CanUseTool) -> Result<Decision, Error> {
        self.flush().await;
        if let Ok(Some(questions)) = Questions::asked_by(&request) {
            return self.question(&request, questions).await;
        }
        let choices = permission::choices(&request);
        let options = choices.iter().map(|choice| choice.option.clone()).collect();
        let outcome = self.outcome(permission::tool_call(&request, None, &self.features), options).await?;
        Ok(permission::decision(choices, &outcome))
    }

    /// Asks the questions one after the other. A question without an answer denies.
    async fn question(&self, request: &CanUseTool, mut questions: Questions) -> Result<Decision, Error> {
        for question in &mut questions.questions {
            let call = permission::tool_call(request, Some(&question.question), &self.features);
            let outcome = self.outcome(call, permission::answers(question)).await?;
            let Some(answer) = permission::answer(question, &outcome) else {
                return Ok(permission::decision(Vec::new(), &outcome));
            };
            question.answer = Some(answer);
        }
        Ok(questions.allow().into())
    }

    async fn outcome(
        &self,
        call: ToolCallUpdate,
        options: Vec<PermissionOption>,
    ) -> Result<RequestPermissionOutcome, Error> {
        let request = RequestPermissionRequest::new(Arc::clone(&self.session), call, options);
        Ok(self.outbox.client().send_request(request).block_task().await?.outcome)
    }

    /// Waits until the update of the tool call is sent.
    async fn flush(&self) {
        let (done, is_done) = oneshot::channel();
        if self.commands.send(Command::Flush(done)).await.is_ok() {
            // A session that ends meanwhile cancels this request.
            let _ = is_done.await;
        }
    }
}
