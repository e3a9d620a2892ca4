//! A session with blocking calls.

use std::sync::Arc;

use agentwire_codec::Incoming;
use agentwire_control::PromptState;
use agentwire_protocol::{
    PermissionMode, SessionId, Uuid,
    control::{
        ControlCall, InitializeReply, InterruptReply, McpStatusReply, SetModelReply, SetPermissionModeReply,
    },
    message::UserInput,
};

use super::{ControlHandle, Query, Turn, runtime::Runtime};
#[cfg(feature = "sessions")]
use crate::StoreHandle;
use crate::{Closed, Error, Observations, Options, SessionBuilder, Warning};

/// A session with blocking calls; see [`Session`](crate::Session) for what they do.
///
/// Dropping it ends the CLI in the background.
/// Its runtime is dropped with it: dropped during a turn, a session with a session store silently loses the entries
/// that were not appended yet. [`close`](Self::close) waits for the store.
#[derive(Debug)]
pub struct Session {
    // Declared before the runtime, so that it is dropped first.
    session: crate::Session,
    runtime: Arc<Runtime>,
}

impl SessionBuilder {
    /// As [`connect`](Self::connect) with a runtime of the session's own, for programs without async.
    ///
    /// # Errors
    ///
    /// As [`connect`](Self::connect), and [`Error::Start`] if no thread can be started.
    pub fn connect_blocking(self) -> Result<Session, Error> {
        let runtime = Runtime::start()?;
        let session = runtime.block_on(self.connect())?;
        Ok(Session { session, runtime })
    }
}

impl Session {
    /// Returns a builder for a session; finish it with [`SessionBuilder::connect_blocking`].
    pub fn builder() -> SessionBuilder {
        SessionBuilder::default()
    }

    /// Starts the CLI with these options and no callbacks.
    ///
    /// # Errors
    ///
    /// As [`SessionBuilder::connect_blocking`].
    pub fn connect(options: Options) -> Result<Self, Error> {
        Self::builder().options(options).connect_blocking()
    }

    /// Returns the session's id: see [`Session::id`](crate::Session::id).
    pub fn id(&self) -> Option<&SessionId> {
        self.session.id()
    }

    /// Returns the CLI's reply to the handshake.
    pub fn initialized(&self) -> &InitializeReply {
        self.session.initialized()
    }

    /// Returns warnings about the options and the CLI's version. The session works in spite of them.
    pub fn warnings(&self) -> &[Warning] {
        self.session.warnings()
    }

    /// Returns the handle for control requests, for this thread and others.
    pub fn control(&self) -> ControlHandle {
        ControlHandle::new(self.session.control(), &self.runtime)
    }

    /// Repeats the handshake: see [`Session::reinitialize`](crate::Session::reinitialize).
    ///
    /// # Errors
    ///
    /// As [`Session::reinitialize`](crate::Session::reinitialize).
    pub fn reinitialize(&mut self) -> Result<&InitializeReply, Error> {
        self.runtime.block_on(self.session.reinitialize())
    }

    /// Returns a stream of activities: see [`Session::observe`](crate::Session::observe).
    ///
    /// Wait for each observation with [`ControlHandle::wait`], also on another thread.
    pub fn observe(&self) -> Observations {
        self.session.observe()
    }

    /// Returns a handle that reports which entries of the session are stored; `None` for a session without a store.
    ///
    /// Pass its futures to [`ControlHandle::wait`].
    #[cfg(feature = "sessions")]
    pub fn store_handle(&self) -> Option<StoreHandle> {
        self.session.store_handle()
    }

    /// Sends a prompt and returns its id. Its turn starts when the turns before it have ended.
    ///
    /// # Errors
    ///
    /// As [`Session::send`](crate::Session::send).
    pub fn send(&self, prompt: impl Into<UserInput>) -> Result<Uuid, Error> {
        self.runtime.block_on(self.session.send(prompt))
    }

    /// Waits for the outcome of a prompt: see [`Session::settled`](crate::Session::settled).
    ///
    /// # Errors
    ///
    /// As [`Session::settled`](crate::Session::settled).
    pub fn settled(&self, prompt: &Uuid) -> Result<PromptState, Error> {
        self.runtime.block_on(self.session.settled(prompt))
    }

    /// Cancels a queued prompt: see [`Session::cancel_prompt`](crate::Session::cancel_prompt).
    ///
    /// # Errors
    ///
    /// As [`Session::cancel_prompt`](crate::Session::cancel_prompt).
    pub fn cancel_prompt(&self, prompt: &Uuid) -> Result<bool, Error> {
        self.runtime.block_on(self.session.cancel_prompt(prompt))
    }

    /// Returns the messages up to the next result.
    pub fn turn(&mut self) -> Turn<'_> {
        Turn { turn: self.session.turn(), runtime: &self.runtime }
    }

    /// Sends a prompt and returns its turn.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send).
    pub fn ask(&mut self, prompt: impl Into<UserInput>) -> Result<Turn<'_>, Error> {
        let turn = self.runtime.block_on(self.session.ask(prompt))?;
        Ok(Turn { turn, runtime: &self.runtime })
    }

    /// Sends a last prompt and returns all messages until the CLI has exited.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send).
    pub fn into_query(self, prompt: impl Into<UserInput>) -> Result<Query, Error> {
        let query = self.runtime.block_on(self.session.into_query(prompt))?;
        Ok(Query { query, runtime: self.runtime })
    }

    /// Returns the next message of any turn; `None` when the session has ended without an error.
    ///
    /// # Errors
    ///
    /// As [`Session::next`](crate::Session::next).
    #[expect(clippy::should_implement_trait, reason = "a session is not an iterator: turns are")]
    pub fn next(&mut self) -> Option<Result<Incoming, Error>> {
        self.runtime.block_on(self.session.next())
    }

    /// Removes and returns the messages of other turns that an [`ask`](Self::ask) skipped, in order.
    pub fn leftovers(&mut self) -> Vec<Incoming> {
        self.session.leftovers()
    }

    /// Interrupts the running turn. Its result arrives after the reply.
    ///
    /// # Errors
    ///
    /// As [`Session::interrupt`](crate::Session::interrupt).
    pub fn interrupt(&self) -> Result<InterruptReply, Error> {
        self.runtime.block_on(self.session.interrupt())
    }

    /// Sets the model for all API requests from now on, even within the running turn; `None` selects the default.
    ///
    /// # Errors
    ///
    /// As [`interrupt`](Self::interrupt).
    pub fn set_model(&self, model: Option<&str>) -> Result<SetModelReply, Error> {
        self.runtime.block_on(self.session.set_model(model))
    }

    /// Sets the permission mode.
    ///
    /// # Errors
    ///
    /// As [`interrupt`](Self::interrupt).
    pub fn set_permission_mode(&self, mode: PermissionMode) -> Result<SetPermissionModeReply, Error> {
        self.runtime.block_on(self.session.set_permission_mode(mode))
    }

    /// Returns the status of the MCP servers.
    ///
    /// # Errors
    ///
    /// As [`interrupt`](Self::interrupt).
    pub fn mcp_status(&self) -> Result<McpStatusReply, Error> {
        self.runtime.block_on(self.session.mcp_status())
    }

    /// Sends any control request.
    ///
    /// # Errors
    ///
    /// As [`interrupt`](Self::interrupt).
    pub fn call<C: ControlCall + Sync>(&self, call: &C) -> Result<C::Reply, Error> {
        self.runtime.block_on(self.session.call(call))
    }

    /// Ends the CLI's input: no further prompt can be sent, and the CLI exits when it is done.
    pub fn end_input(&self) {
        self.session.end_input();
    }

    /// Closes the session and waits for the CLI to exit. Remaining output is discarded.
    ///
    /// # Errors
    ///
    /// As [`Session::close`](crate::Session::close).
    pub fn close(self) -> Result<Closed, Error> {
        self.runtime.block_on(self.session.close())
    }
}
