//! A session: one CLI, and a conversation of many turns with it.

mod builder;
mod handshake;
mod quiet;
mod spare;
mod task;

use std::sync::Arc;

use agentwire_codec::Incoming;
use agentwire_control::{Control, Delivery, Ending, Messages};
use agentwire_protocol::{
    PermissionMode,
    control::{
        ControlCall, Interrupt, InterruptReply, McpStatus, McpStatusReply, SetModel, SetModelReply,
        SetPermissionMode, SetPermissionModeReply,
    },
    message::UserInput,
};
use tokio::time::{error::Elapsed, timeout};

pub use builder::SessionBuilder;
use handshake::Handshake;
use quiet::Quiet;
pub use spare::{ClaimError, Spare, prewarm, startup};
use task::Task;

use crate::{Error, Options, Turn};

/// A session: one CLI, and a conversation of many turns with it.
///
/// Messages wait for you, in bounded memory; control requests work all the while, from any task, through
/// [`control`](Self::control).
///
/// # Dropping
///
/// Dropping a session ends its CLI in the background: end of input, a grace to store the conversation, then signals to
/// its whole process group.
/// It works at once, also after its runtime has ended or while nobody drives that; prompts that were sent and not
/// written yet are lost with it.
/// [`close`](Self::close) does the same and waits.
#[derive(Debug)]
pub struct Session {
    control: Control,
    messages: Messages,
    task: Task,
    quiet: Quiet,
    handshake: Handshake,
    ending: Option<Arc<Ending>>,
}

impl Session {
    /// A session to be put together: options, callbacks, servers, transport.
    pub fn builder() -> SessionBuilder {
        SessionBuilder::default()
    }

    /// Starts the CLI with these options and no callbacks.
    ///
    /// # Errors
    ///
    /// As [`SessionBuilder::connect`].
    pub async fn connect(options: Options) -> Result<Self, Error> {
        Self::builder().options(options).connect().await
    }

    fn new(control: Control, messages: Messages, task: Task, quiet: Quiet, handshake: Handshake) -> Self {
        Self { control, messages, task, quiet, handshake, ending: None }
    }

    /// The handle for control requests: clonable, usable from any task at any time.
    pub fn control(&self) -> &Control {
        &self.control
    }

    /// Sends a prompt; its turn starts when the turns before it have ended.
    ///
    /// # Errors
    ///
    /// When the session has ended.
    pub async fn send(&self, prompt: impl Into<UserInput>) -> Result<(), Error> {
        Ok(self.control.send(&prompt.into()).await?)
    }

    /// What comes until the next result.
    pub fn turn(&mut self) -> Turn<'_> {
        Turn::new(self)
    }

    /// Sends a prompt and gives its turn.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send).
    pub async fn ask(&mut self, prompt: impl Into<UserInput>) -> Result<Turn<'_>, Error> {
        self.send(prompt).await?;
        Ok(self.turn())
    }

    /// The next thing that the CLI says, whichever turn it belongs to; `None` when the session has ended well.
    ///
    /// # Cancellation
    ///
    /// Cancel-safe: nothing is lost when the future is dropped.
    ///
    /// # Errors
    ///
    /// [`Error::Ended`], once, when the session has ended badly; `None` comes after it.
    pub async fn next(&mut self) -> Option<Result<Incoming, Error>> {
        loop {
            match self.next_delivery().await? {
                Ok(Delivery::Incoming(incoming)) => return Some(Ok(incoming)),
                Ok(_) => {}
                Err(error) => return Some(Err(error)),
            }
        }
    }

    /// As [`next`](Self::next), with the ends of turns.
    pub(crate) async fn next_delivery(&mut self) -> Option<Result<Delivery, Error>> {
        if self.ending.is_some() {
            return None;
        }
        match self.messages.next().await {
            Ok(delivery) => {
                if matches!(delivery, Delivery::RunOver) {
                    self.task.run_over();
                }
                Some(Ok(delivery))
            }
            Err(ending) => {
                let ending = self.with_pressure(ending);
                self.ending = Some(Arc::clone(&ending));
                (!ending.is_clean()).then_some(Err(Error::Ended(ending)))
            }
        }
    }

    /// As [`next_delivery`](Self::next_delivery), in bounded time.
    ///
    /// # Errors
    ///
    /// When nothing came for [`SessionBuilder::quiet_limit`], and no callback ran in that time.
    pub(crate) async fn next_delivery_in_time(&mut self) -> Result<Option<Result<Delivery, Error>>, Elapsed> {
        loop {
            let mark = self.quiet.mark();
            match timeout(self.quiet.limit, self.next_delivery()).await {
                Err(_) if self.quiet.was_busy_since(mark) => {}
                outcome => return outcome,
            }
        }
    }

    /// Ends the CLI's input, and bounds its life from now on, whatever may still run.
    pub(crate) fn give_up(&self) {
        self.task.close();
    }

    /// The bad ending, with what we ourselves did to bring it about.
    fn with_pressure(&self, ending: Arc<Ending>) -> Arc<Ending> {
        match self.task.pressure() {
            Some(pressure) if !ending.is_clean() => {
                let mut told = (*ending).clone();
                told.transport = Some(pressure.to_owned());
                Arc::new(told)
            }
            _ => ending,
        }
    }

    /// Stops the running turn; its result comes after the reply.
    ///
    /// # Errors
    ///
    /// When the CLI refuses or the session has ended.
    pub async fn interrupt(&self) -> Result<InterruptReply, Error> {
        self.call(&Interrupt::default()).await
    }

    /// Sets the model from the next turn on; `None` for the default.
    ///
    /// # Errors
    ///
    /// As [`interrupt`](Self::interrupt).
    pub async fn set_model(&self, model: Option<&str>) -> Result<SetModelReply, Error> {
        self.call(&SetModel::new(model)).await
    }

    /// Sets how tool uses are permitted.
    ///
    /// # Errors
    ///
    /// As [`interrupt`](Self::interrupt).
    pub async fn set_permission_mode(&self, mode: PermissionMode) -> Result<SetPermissionModeReply, Error> {
        self.call(&SetPermissionMode::new(mode)).await
    }

    /// Asks how the MCP servers stand.
    ///
    /// # Errors
    ///
    /// As [`interrupt`](Self::interrupt).
    pub async fn mcp_status(&self) -> Result<McpStatusReply, Error> {
        self.call(&McpStatus::default()).await
    }

    /// Asks anything.
    ///
    /// # Errors
    ///
    /// As [`interrupt`](Self::interrupt).
    pub async fn call<C: ControlCall + Sync>(&self, call: &C) -> Result<C::Reply, Error> {
        Ok(self.control.call(call).await?)
    }

    /// Says that no further prompt will come: the CLI ends when it is done. Reading goes on as before.
    ///
    /// Turns that run or wait are still done, but what needs an answer of ours fails from now on: callbacks and
    /// in-process servers can't be reached any more.
    /// When nothing runs any more, a CLI that does not end is made to, after the graces of [`SessionBuilder::grace`].
    pub fn end_input(&self) {
        self.task.end_input();
    }

    /// Ends the session, and waits until the CLI is gone; what it still says is passed over.
    ///
    /// When it returns, the process is reaped, and what it started in its group has ended.
    ///
    /// A running turn has the first grace of [`SessionBuilder::grace`] to come to its end.
    ///
    /// # Cancellation
    ///
    /// Dropping the future drops the session, which then ends in the background.
    ///
    /// # Errors
    ///
    /// [`Error::Ended`] where it ended badly, a turn being cut by this included.
    pub async fn close(mut self) -> Result<(), Error> {
        self.task.close();
        let mut outcome = Ok(());
        while let Some(delivery) = self.next_delivery().await {
            if let Err(error) = delivery {
                outcome = Err(error);
            }
        }
        self.task.ended().await;
        outcome
    }
}
