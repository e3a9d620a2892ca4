//! A session: one CLI process and a conversation of many turns with it.

mod background;
mod builder;
mod close;
mod deferral;
mod handshake;
mod launch;
mod plan;
mod private_files;
mod prompts;
mod reading;
#[cfg(feature = "sessions")]
mod resume;
mod runtime;
mod spare;
mod start;
#[cfg(feature = "sessions")]
mod stored;
mod task;
mod user;

use std::sync::Arc;

use agentwire_control::{Control, Messages, SessionExit};
use agentwire_hooks::Hooks;
use agentwire_protocol::{
    PermissionMode, SessionId,
    control::{
        ControlCall, InitializeReply, Interrupt, InterruptReply, McpStatus, McpStatusReply, SetModel,
        SetModelReply, SetPermissionMode, SetPermissionModeReply,
    },
};

pub(crate) use background::{BackgroundWork, CallbackMark};
pub use builder::SessionBuilder;
pub use close::{Closed, EndedBy};
use handshake::Handshake;
use private_files::PrivateDir;
pub(crate) use prompts::send_all;
use reading::SkippedMessages;
pub use spare::{ClaimError, Spare, prewarm};
use task::Task;

#[cfg(feature = "sessions")]
use crate::mirror::Mirror;
use crate::{Error, Observations, Options, Warning, observe::Watch, turn::Schema};

/// A session: one CLI process and a conversation of many turns with it.
///
/// Unread messages are buffered up to a limit. Control requests work at any time and from any task, through
/// [`control`](Self::control).
///
/// # Dropping
///
/// Dropping a session shuts its CLI down in the background: end of input, a grace period to store the conversation,
/// then signals to the whole process group.
/// Prompts that were sent but not yet written are written first, within that grace period.
/// Open requests of the CLI are refused. In a session with a hook that can refuse, the drop also interrupts the running
/// turn, drops queued prompts and asks the CLI to end immediately, because it would otherwise continue without its
/// hooks.
/// The shutdown starts immediately, even if the runtime has ended or is not being polled.
/// [`close`](Self::close) does the same and waits.
///
/// With a session store (`SessionBuilder::session_store`), entries read before the drop are still appended in the
/// background, within one flush timeout and while the runtime lives. Entries that the CLI writes later are not read;
/// `close` reads to the end.
pub struct Session {
    control: Control,
    messages: Messages,
    /// Copies the entries of the session to the session store, if there is one.
    #[cfg(feature = "sessions")]
    mirror: Option<Mirror>,
    /// Whether a `mirror_error` was read by a method that returns no messages.
    discarded_store_failure: bool,
    task: Task,
    pub(crate) background: BackgroundWork,
    handshake: Handshake,
    id: Option<SessionId>,
    /// The schema for structured output, if the options set one.
    pub(crate) schema: Option<Arc<Schema>>,
    skipped: SkippedMessages,
    /// The limit of skipped messages, in bytes.
    max_skipped_bytes: usize,
    ending: Option<Arc<SessionExit>>,
    watch: Arc<Watch>,
    warnings: Vec<Warning>,
    /// The hooks, until their matchers are checked against the first `system/init` with tools.
    unchecked: Option<Hooks>,
    /// Files that the CLI reads when it starts. Declared after `task`, so that its shutdown begins before they are removed.
    #[expect(dead_code, reason = "it is kept to be dropped")]
    files: Vec<PrivateDir>,
}

impl Session {
    /// Returns a builder for a session: options, callbacks, servers and transport.
    pub fn builder() -> SessionBuilder {
        SessionBuilder::default()
    }

    /// Starts the CLI with these options and no callbacks.
    ///
    /// # Cancel safety
    ///
    /// As [`SessionBuilder::connect`].
    ///
    /// # Errors
    ///
    /// As [`SessionBuilder::connect`].
    pub async fn connect(options: Options) -> Result<Self, Error> {
        Self::builder().options(options).connect().await
    }

    /// Returns warnings about the options and the CLI's version. The session works in spite of them.
    ///
    /// Reading a `system/init`, at the start of a turn, adds a warning for each hook with a matcher that fits none of the
    /// session's tools ([`HookWarning::MatchesNoTool`](agentwire_hooks::HookWarning::MatchesNoTool)), and for each error
    /// of a plugin ([`Warning::Plugin`]), once.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Returns the handle for control requests. It can be cloned and used from any task at any time.
    pub fn control(&self) -> &Control {
        &self.control
    }

    /// Returns the session's id, with which [`Options::resume`](crate::Options::resume) resumes it.
    ///
    /// The CLI sends it in the `system/init` of each turn: `None` until the first one was read, and a new id after
    /// `/clear`. After [`Spare::claim`] it is known at once.
    pub fn id(&self) -> Option<&SessionId> {
        self.id.as_ref()
    }

    /// Returns the CLI's reply to the last handshake.
    ///
    /// Its commands may change later, for example when an MCP server has connected:
    /// [`System::CommandsChanged`](agentwire_protocol::System::CommandsChanged) has the new list.
    pub fn initialized(&self) -> &InitializeReply {
        &self.handshake.reply
    }

    /// Repeats the handshake (`initialize`) with the original request, for example after a connection gap.
    ///
    /// The CLI registers the hooks again.
    /// It cancels running callbacks, because they may have changed: a tool use guarded by such a hook is refused and
    /// may be retried.
    /// Open questions stay open. The CLI's reply lists them. One that is not open here goes to its handler again,
    /// because a gap of the transport lost it or its answer. A question that is answered during the handshake may be
    /// asked again; the CLI ignores the second answer.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future cancels the request, but the CLI may already have registered the hooks again;
    /// [`initialized`](Self::initialized) then returns the earlier reply.
    ///
    /// # Errors
    ///
    /// As [`SessionBuilder::connect`] after the CLI has started, but the reply is not checked against the hooks again.
    pub async fn reinitialize(&mut self) -> Result<&InitializeReply, Error> {
        let Handshake { request, limit, .. } = &self.handshake;
        self.handshake.reply = Handshake::exchange(&self.control.within(*limit), request).await?;
        Ok(self.initialized())
    }

    /// Interrupts the running turn. Its result arrives after the reply.
    ///
    /// The reply lists the prompts that are still queued and will run (`still_queued`); `interrupt_and_cancel_queued`
    /// on [`control`](Self::control) cancels those too (`cancelled`).
    ///
    /// # Cancel safety
    ///
    /// Dropping the future cancels the request; a late reply is ignored. The CLI may have acted on it.
    ///
    /// # Errors
    ///
    /// [`Error::Control`] with the cause, for example if the CLI refuses, does not answer within
    /// [`Config::call_limit`](crate::control::Config::call_limit), or reading has stopped at the limit of unread
    /// messages.
    /// [`Error::Ended`], or [`Error::NotLoggedIn`] for a missing login, if the session has ended.
    pub async fn interrupt(&self) -> Result<InterruptReply, Error> {
        self.call(&Interrupt::default()).await
    }

    /// Sets the model for all API requests from now on, even within the running turn; `None` selects the default.
    ///
    /// # Cancel safety
    ///
    /// As [`interrupt`](Self::interrupt).
    ///
    /// # Errors
    ///
    /// As [`interrupt`](Self::interrupt).
    pub async fn set_model(&self, model: Option<&str>) -> Result<SetModelReply, Error> {
        self.call(&SetModel::new(model)).await
    }

    /// Sets the permission mode.
    ///
    /// # Cancel safety
    ///
    /// As [`interrupt`](Self::interrupt).
    ///
    /// # Errors
    ///
    /// As [`interrupt`](Self::interrupt).
    pub async fn set_permission_mode(&self, mode: PermissionMode) -> Result<SetPermissionModeReply, Error> {
        self.call(&SetPermissionMode::new(mode)).await
    }

    /// Returns the status of the MCP servers.
    ///
    /// # Cancel safety
    ///
    /// As [`interrupt`](Self::interrupt).
    ///
    /// # Errors
    ///
    /// As [`interrupt`](Self::interrupt).
    pub async fn mcp_status(&self) -> Result<McpStatusReply, Error> {
        self.call(&McpStatus::default()).await
    }

    /// Sends any control request.
    ///
    /// # Cancel safety
    ///
    /// As [`interrupt`](Self::interrupt).
    ///
    /// # Errors
    ///
    /// As [`interrupt`](Self::interrupt).
    pub async fn call<C: ControlCall + Sync>(&self, call: &C) -> Result<C::Reply, Error> {
        Ok(self.control.call(call).await?)
    }

    /// Returns a stream of activities (turns, tool uses, callbacks), each with a start and an end event.
    ///
    /// It starts with the activities that are open now, the session first; its last observation is the end of the
    /// session.
    /// Events are emitted when the CLI's messages arrive, even if the session is not read, and in order: a callback
    /// starts after the messages before it, and ends before its answer is sent.
    /// Contents are included only with [`SessionBuilder::observe_contents`].
    ///
    /// Several streams may exist, and each receives all events.
    /// A stream that is read too slowly loses its oldest events and receives their number; the session never waits.
    /// While no stream exists and the session's span is not recorded, turns and tool uses are not tracked: a stream
    /// created during a turn sees only the activities that begin later.
    ///
    /// The guide `docs/observing.md` describes the equivalent spans.
    pub fn observe(&self) -> Observations {
        self.watch.observe()
    }
}

// Without the handshake: it contains prompts, server configurations and the user's account.
agentwire_control::debug_by_name!(Session { ending });
