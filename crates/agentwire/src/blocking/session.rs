//! A session whose calls block.

use std::{future::Future, sync::Arc};

use agentwire_codec::Incoming;
use agentwire_control::PromptState;
use agentwire_protocol::{
    PermissionMode, Uuid,
    control::{ControlCall, InitializeReply, InterruptReply, SetModelReply, SetPermissionModeReply},
    message::UserInput,
};

use super::{Control, Query, Turn, runtime::Runtime};
use crate::{Closed, Error, Options, SessionBuilder, Warning};

/// A session whose calls block; see [`Session`](crate::Session) for what they do.
///
/// Dropping it ends the CLI in the background, as there.
/// Its runtime goes with it: where a session store is set, dropping it in mid-turn loses for the store what was not
/// appended yet, without a word; [`close`](Self::close) waits for the store.
#[derive(Debug)]
pub struct Session {
    // Before the runtime, which it must be dropped with.
    session: crate::Session,
    runtime: Arc<Runtime>,
}

impl SessionBuilder {
    /// As [`connect`](Self::connect), for programs without async: with a runtime of the session's own.
    ///
    /// # Errors
    ///
    /// As [`connect`](Self::connect), and [`Error::Start`] where no thread can be started.
    pub fn connect_blocking(self) -> Result<Session, Error> {
        let runtime = Runtime::start()?;
        let session = runtime.block_on(self.connect())?;
        Ok(Session { session, runtime })
    }
}

impl Session {
    /// A session to be put together; end with [`SessionBuilder::connect_blocking`].
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

    /// What the CLI said in the handshake.
    pub fn initialized(&self) -> &InitializeReply {
        self.session.initialized()
    }

    /// What is worth knowing of the options and the CLI's version, though the session works.
    pub fn warnings(&self) -> &[Warning] {
        self.session.warnings()
    }

    /// The handle for control requests, for this thread and others.
    pub fn control(&self) -> Control {
        Control::new(self.session.control().clone(), Arc::clone(&self.runtime))
    }

    /// Sends a prompt, and gives its id; its turn starts when the turns before it have ended.
    ///
    /// # Errors
    ///
    /// When the session has ended.
    pub fn send(&self, prompt: impl Into<UserInput>) -> Result<Uuid, Error> {
        self.block_on(self.session.send(prompt))
    }

    /// Waits until a prompt has come to something, and tells what: see [`Session::settled`](crate::Session::settled).
    ///
    /// # Errors
    ///
    /// As there.
    pub fn settled(&self, prompt: &Uuid) -> Result<PromptState, Error> {
        self.block_on(self.session.settled(prompt))
    }

    /// Cancels a prompt that waits for its turn: see [`Session::cancel_prompt`](crate::Session::cancel_prompt).
    ///
    /// # Errors
    ///
    /// As there.
    pub fn cancel_prompt(&self, prompt: &Uuid) -> Result<bool, Error> {
        self.block_on(self.session.cancel_prompt(prompt))
    }

    /// What comes until the next result.
    pub fn turn(&mut self) -> Turn<'_> {
        Turn::new(self.session.turn(), &self.runtime)
    }

    /// Sends a prompt and gives its turn.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send).
    pub fn ask(&mut self, prompt: impl Into<UserInput>) -> Result<Turn<'_>, Error> {
        let turn = self.runtime.block_on(self.session.ask(prompt))?;
        Ok(Turn::new(turn, &self.runtime))
    }

    /// Sends a last prompt, and gives all that comes until the CLI has ended.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send).
    pub fn into_query(self, prompt: impl Into<UserInput>) -> Result<Query, Error> {
        let query = self.runtime.block_on(self.session.into_query(prompt))?;
        Ok(Query::new(query, self.runtime))
    }

    /// The next thing that the CLI says, whichever turn it belongs to; `None` when the session has ended well.
    ///
    /// # Errors
    ///
    /// [`Error::Ended`], once, when the session has ended badly; `None` comes after it.
    #[expect(clippy::should_implement_trait, reason = "a session is no iterator: turns are")]
    pub fn next(&mut self) -> Option<Result<Incoming, Error>> {
        self.runtime.block_on(self.session.next())
    }

    /// Takes what turns of other prompts have said while the turn of an [`ask`](Self::ask) was read, in order.
    pub fn leftovers(&mut self) -> Vec<Incoming> {
        self.session.leftovers()
    }

    /// Stops the running turn; its result comes after the reply.
    ///
    /// # Errors
    ///
    /// When the CLI refuses or the session has ended.
    pub fn interrupt(&self) -> Result<InterruptReply, Error> {
        self.block_on(self.session.interrupt())
    }

    /// Sets the model from the next turn on; `None` for the default.
    ///
    /// # Errors
    ///
    /// As [`interrupt`](Self::interrupt).
    pub fn set_model(&self, model: Option<&str>) -> Result<SetModelReply, Error> {
        self.block_on(self.session.set_model(model))
    }

    /// Sets how tool uses are permitted.
    ///
    /// # Errors
    ///
    /// As [`interrupt`](Self::interrupt).
    pub fn set_permission_mode(&self, mode: PermissionMode) -> Result<SetPermissionModeReply, Error> {
        self.block_on(self.session.set_permission_mode(mode))
    }

    /// Asks anything.
    ///
    /// # Errors
    ///
    /// As [`interrupt`](Self::interrupt).
    pub fn call<C: ControlCall + Sync>(&self, call: &C) -> Result<C::Reply, Error> {
        self.block_on(self.session.call(call))
    }

    /// Says that no further prompt will come: the CLI ends when it is done.
    pub fn end_input(&self) {
        self.session.end_input();
    }

    /// Ends the session, and waits until the CLI is gone; what it still says is passed over.
    ///
    /// # Errors
    ///
    /// As [`Session::close`](crate::Session::close).
    pub fn close(self) -> Result<Closed, Error> {
        self.runtime.block_on(self.session.close())
    }

    fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.runtime.block_on(future)
    }
}
