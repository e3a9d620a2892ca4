//! Waits for the end of a request: its answer, its cancellation, or the end of its server.

use std::sync::Arc;

use agentwire_control::{CallContext, CallbackError};
use agentwire_hooks::catch_panic;
use agentwire_protocol::RawJson;

use super::{calls::Call, slot::Instance};
use crate::{ResponseFuture, failure::note_panic, rpc};

/// Waits for the answer to a request, in the form of a control response, or for its cancellation.
pub(super) async fn settle(
    instance: Arc<Instance>,
    response: ResponseFuture,
    id: RawJson,
    call: Call,
    context: CallContext,
) -> Result<RawJson, CallbackError> {
    let error = |code, why: &str| rpc::carried(&rpc::error(&id, code, why));
    let failed = |why: &str| error(rpc::INTERNAL_ERROR, why);
    let response = async {
        let answer = response.await;
        instance.flush().await;
        instance.has_ended();
        answer
    };
    let answered = |answer: Result<_, String>| match answer {
        Ok(Some(answer)) => answer,
        Ok(None) => failed("the MCP server gave no answer"),
        Err(panic) => {
            note_panic(&panic);
            failed(&format!("the MCP server panicked: {panic}"))
        }
    };
    Ok(tokio::select! {
        biased;
        () = call.cancelled.cancelled() => error(rpc::CANCELLED, "the request was cancelled"),
        () = context.cancelled.cancelled() => return Err("the request was cancelled".into()),
        answer = catch_panic(response) => answered(answer),
        () = instance.ended.cancelled() => failed("the MCP server has ended"),
    })
}
