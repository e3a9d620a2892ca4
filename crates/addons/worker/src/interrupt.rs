//! The interrupt of a turn, and of prompts that wait for it.

use std::time::Duration;

use agentwire::{Incoming, Message, Session, TurnResult, protocol::Uuid};
use tokio::time::timeout;

use crate::observers::Observers;

/// Interrupts the turn of a session, if the CLI answers in time. Prompts that were sent into the turn do not run.
pub(crate) async fn interrupt(session: Option<&Session>) {
    if let Some(session) = session
        && let Ok(Err(error)) = timeout(INTERRUPT, session.control().interrupt_and_cancel_queued()).await
    {
        tracing::debug!("a turn was not interrupted: {error}");
    }
}

/// Cancels prompts that wait in the CLI, as long as it answers in time.
pub(crate) async fn cancel_queued(session: Option<&Session>, prompts: &[Uuid]) {
    let Some(session) = session else { return };
    for prompt in prompts {
        let Ok(Ok(_)) = timeout(INTERRUPT, session.cancel_prompt(prompt)).await else { return };
    }
}

/// Interrupts the turn of a session, and returns its result if it comes in time.
pub(crate) async fn interrupted(session: &mut Session, observers: &mut Observers) -> Option<Box<TurnResult>> {
    interrupt(Some(session)).await;
    let result = async {
        while let Some(Ok(incoming)) = session.next().await {
            observers.message(&incoming).await;
            if let Incoming::Message(Message::Result(result), _) = incoming {
                return Some(result);
            }
        }
        None
    };
    timeout(INTERRUPT, result).await.ok().flatten()
}

/// How long the CLI may take to accept an interrupt, and then to end the turn.
const INTERRUPT: Duration = Duration::from_secs(2);
