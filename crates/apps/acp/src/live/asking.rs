//! Permission requests and questions, asked to the client.

use std::sync::Arc;

use agent_client_protocol::{
    Error, JsonRpcRequest,
    v1::schema::{ElicitationSessionScope, RequestPermissionRequest},
};
use agentwire::{
    Decision,
    control::CallContext,
    hooks::{ElicitationHandler, PermissionHandler},
    protocol::{
        control::{CanUseTool, ElicitationAsked},
        elicitation::ElicitationReply,
        permission::Questions,
    },
};
use tokio::sync::{mpsc, oneshot};

use super::Command;
use crate::{failure::internal, features::Features, mapping::call_id, outbox::Outbox, permission, question};

/// Asks the client in the name of a session.
///
/// If the CLI withdraws its request, the request to the client is cancelled.
#[derive(Clone, Debug)]
pub(super) struct Asking {
    pub(super) session: Arc<str>,
    pub(super) outbox: Outbox,
    pub(super) commands: mpsc::Sender<Command>,
    pub(super) features: Features,
}

impl Asking {
    /// Returns the handler of permission requests and of the model's questions. An error is a denial.
    pub(super) fn permissions(self) -> PermissionHandler {
        PermissionHandler::new(move |request, context| {
            let asking = self.clone();
            async move { asked(context, asking.permit(request)).await }
        })
    }

    /// Returns the handler of questions of MCP servers. An error cancels the question.
    pub(super) fn elicitation(self) -> ElicitationHandler {
        ElicitationHandler::new(move |question, context| {
            let asking = self.clone();
            async move { asked(context, asking.elicit(question)).await }
        })
    }

    async fn permit(&self, request: CanUseTool) -> Result<Decision, Error> {
        self.flush().await;
        if let Ok(Some(questions)) = Questions::asked_by(&request) {
            let scope = self.scope().tool_call_id(call_id(&request.tool_use_id));
            let answer = self.send(question::form(&questions, scope)).await?;
            return Ok(question::decision(questions, answer.action));
        }
        let choices = permission::choices(&request);
        let options = choices.iter().map(|choice| choice.option.clone()).collect();
        let call = permission::tool_call(&request, &self.features);
        let answer =
            self.send(RequestPermissionRequest::new(Arc::clone(&self.session), call, options)).await?;
        Ok(permission::decision(choices, &answer.outcome))
    }

    async fn elicit(&self, asked: ElicitationAsked) -> Result<ElicitationReply, Error> {
        self.flush().await;
        let answer = self.send(question::of_server(&asked, self.scope(), &self.features)?).await?;
        question::reply(answer.action)
    }

    fn scope(&self) -> ElicitationSessionScope {
        ElicitationSessionScope::new(Arc::clone(&self.session))
    }

    async fn send<R: JsonRpcRequest>(&self, request: R) -> Result<R::Response, Error> {
        self.outbox.client().send_request(request).block_task().await
    }

    /// Waits until the updates before the request are sent, such as that of its tool call.
    async fn flush(&self) {
        let (done, is_done) = oneshot::channel();
        if self.commands.send(Command::Flush(done)).await.is_ok() {
            // A session that ends meanwhile cancels this request.
            let _ = is_done.await;
        }
    }
}

/// Returns the client's answer, or an error if the CLI withdraws its request before.
async fn asked<A>(context: CallContext, answer: impl Future<Output = Result<A, Error>>) -> Result<A, Error> {
    let answered = context.cancelled.run_until_cancelled(answer).await;
    answered.unwrap_or_else(|| Err(internal("the CLI has withdrawn the request")))
}
