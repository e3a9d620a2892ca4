//! The handle of a running session.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use agent_client_protocol::{
    Error,
    v1::{
        Responder,
        schema::{NewSessionResponse, PromptResponse, RequestId, SessionUpdate},
    },
};
use agentwire::{Block, Control, PermissionMode};
use tokio::sync::mpsc;
use tokio_util::{
    sync::{CancellationToken, DropGuard},
    task::TaskTracker,
};

use super::{Command, too_many};
use crate::{
    config::Config,
    failure::{internal, no_session},
    outbox::Outbox,
};

/// A session, as the requests of the client reach it.
#[derive(Clone, Debug)]
pub(crate) struct Handle {
    pub(crate) id: Arc<str>,
    pub(super) commands: mpsc::Sender<Command>,
    pub(super) control: Control,
    pub(super) config: Arc<Mutex<Config>>,
    pub(super) outbox: Outbox,
    pub(super) stop: CancellationToken,
    pub(super) ended: CancellationToken,
    /// Why the CLI has ended, unless the session was stopped.
    pub(super) failure: Arc<OnceLock<String>>,
}

impl Handle {
    /// Returns the answer to a request for a session, with its modes and options.
    pub(crate) fn opened(&self) -> NewSessionResponse {
        let config = self.config();
        NewSessionResponse::new(Arc::clone(&self.id)).modes(config.modes()).config_options(config.options())
    }

    /// Returns the current mode and model.
    pub(crate) fn config(&self) -> std::sync::MutexGuard<'_, Config> {
        self.config.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends updates to the client.
    pub(super) async fn show(&self, updates: Vec<SessionUpdate>) {
        self.outbox.show(&self.id, updates).await;
    }

    /// Queues a prompt.
    pub(crate) fn prompt(
        &self,
        blocks: Vec<Block>,
        responder: Responder<PromptResponse>,
    ) -> Result<(), Error> {
        match self.commands.try_reserve() {
            Ok(room) => {
                room.send(Command::Prompt(blocks, Box::new(responder)));
                Ok(())
            }
            Err(mpsc::error::TrySendError::Full(())) => responder.respond_with_error(too_many()),
            Err(mpsc::error::TrySendError::Closed(())) => {
                responder.respond_with_error(self.failure().unwrap_or_else(|| no_session(&self.id)))
            }
        }
    }

    /// Cancels the running turn and the prompts that were queued before. With a request id, does so only if one of these
    /// prompts has it.
    pub(crate) fn cancel(&self, request: Option<RequestId>, tasks: &TaskTracker) {
        // Queued at once, so that a later prompt does not overtake it. A session that has ended has nothing to cancel.
        let cancel = self.commands.try_send(Command::Cancel(request));
        if let Err(mpsc::error::TrySendError::Full(cancel)) = cancel {
            let commands = self.commands.clone();
            tasks.spawn(async move { commands.send(cancel).await.is_ok() });
        }
    }

    /// Sets the mode.
    pub(crate) async fn set_mode(&self, mode: &PermissionMode) -> Result<(), Error> {
        self.control.set_permission_mode(mode.clone()).await.map_err(refused)?;
        let updates = self.config().set_mode(mode);
        self.show(updates).await;
        Ok(())
    }

    /// Sets the model.
    pub(crate) async fn set_model(&self, model: &str) -> Result<(), Error> {
        self.control.set_model(Some(model)).await.map_err(refused)?;
        self.config().set_model(model);
        Ok(())
    }

    /// Returns the error for requests to a session with a CLI that has ended on its own.
    pub(crate) fn failure(&self) -> Option<Error> {
        let why = self.failure.get()?;
        Some(internal(format!(
            "the CLI of session {} has ended ({why}); load it again, or open a new one",
            self.id
        )))
    }

    /// Returns a guard that reports the end of the session when it is dropped.
    pub(crate) fn end_guard(&self) -> DropGuard {
        self.ended.clone().drop_guard()
    }

    /// Ends the session and waits until its end is reported.
    pub(crate) async fn close(&self) {
        self.stop();
        self.ended.cancelled().await;
    }

    /// Ends the session.
    pub(crate) fn stop(&self) {
        self.stop.cancel();
    }

    /// Returns whether both are handles of the same process.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.config, &other.config)
    }
}

fn refused(error: agentwire::ControlError) -> Error {
    internal(error.to_string())
}
