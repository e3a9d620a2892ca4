//! The end of a request: its answer, or what it is given up for.

use std::{
    future::{Future as _, poll_fn},
    pin::pin,
    sync::Arc,
    task::Poll,
};

use agentwire_control::{CallContext, CallbackError};
use agentwire_hooks::catch_panic;
use agentwire_protocol::RawJson;

use super::{calls::Call, slot::Instance};
use crate::{ResponseFuture, failure::note_panic, rpc};

/// Waits for the answer to a request, as a control response carries it, or for the request's end.
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
        instance.spoken().await;
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
    let mut response = pin!(catch_panic(response));
    let given_up = call.given_up.is() || context.cancelled.is_cancelled();
    // Most answers are there at once, and nobody then waits for the tokens.
    let at_once =
        poll_fn(|task| Poll::Ready(if given_up { Poll::Pending } else { response.as_mut().poll(task) }));
    Ok(match at_once.await {
        Poll::Ready(answer) => answered(answer),
        Poll::Pending => tokio::select! {
            biased;
            () = call.given_up.told() => error(rpc::CANCELLED, "the request was cancelled"),
            () = context.cancelled.cancelled() => return Err("the request was cancelled".into()),
            answer = response => answered(answer),
            () = instance.ended.cancelled() => failed("the MCP server has ended"),
        },
    })
}
