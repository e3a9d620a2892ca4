//! Runs the user's callbacks.

use std::{
    future::Future,
    pin::{Pin, pin},
    sync::Arc,
};

use agentwire_control::panics::{catch_call, catch_polls};
use agentwire_protocol::RawJson;

use crate::{HookContext, IntoAnswer, error::HandlerError};

/// A type-erased hook handler: the event's input in, the reply out.
pub(crate) type Callback = Arc<
    dyn Fn(RawJson, HookContext) -> Pin<Box<dyn Future<Output = Result<RawJson, HandlerError>> + Send>>
        + Send
        + Sync,
>;

/// Calls a handler, runs it to its end and converts its output; an error is a failure or a panic.
pub(crate) async fn answer<F, A>(call: impl FnOnce() -> F) -> Result<A, HandlerError>
where
    F: Future<Output: IntoAnswer<A>>,
{
    let work = pin!(catch_call(call).map_err(HandlerError::Panicked)?);
    let output = catch_polls(work).await.map_err(HandlerError::Panicked)?;
    catch_call(|| output.into_answer()).map_err(HandlerError::Panicked)?.map_err(HandlerError::Failed)
}
