//! A session: one CLI, and a conversation of many turns with it.

mod background;
mod builder;
mod deferral;
mod ending;
mod handshake;
mod launch;
mod lowering;
mod place;
mod private;
mod prompt_id;
mod prompts;
mod reading;
mod requests;
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

use agentwire_control::{Control, Messages, SessionEnd};
use agentwire_hooks::Hooks;

pub(crate) use background::{Background, Mark};
pub use builder::SessionBuilder;
pub use ending::{Closed, EndedBy};
use handshake::Handshake;
pub(crate) use place::{ExpectedTurn, Place, TurnOwner, settles};
use private::PrivateDir;
#[cfg(feature = "sessions")]
pub(crate) use prompt_id::fresh as fresh_id;
pub(crate) use prompts::send_all;
use reading::SkippedMessages;
pub use spare::{ClaimError, Spare, prewarm, startup};
use task::Task;

#[cfg(feature = "sessions")]
use crate::mirror::Mirror;
use crate::{Error, Options, Warning, observe::Watch, turn::Schema};

/// A session: one CLI, and a conversation of many turns with it.
///
/// Messages wait for you, in bounded memory; control requests work all the while, from any task, through
/// [`control`](Self::control).
///
/// # Dropping
///
/// Dropping a session ends its CLI in the background: end of input, a grace to store the conversation, then signals to
/// its whole process group.
/// Prompts that were sent and not written yet are written first, within that grace.
/// What is open is refused, and in a session with a hook that can refuse, a running turn is interrupted, prompts that wait
/// are dropped, and the CLI is told to end at once: it would go on without asking.
/// It works at once, also after its runtime has ended or while nobody drives that.
/// [`close`](Self::close) does the same and waits.
///
/// With a session store (`SessionBuilder::session_store`), what was read until then is still appended in the background,
/// within the time of a flush and while the runtime lives; what the CLI stores later is not read any more.
/// `close` reads to the end.
#[derive(Debug)]
pub struct Session {
    control: Control,
    messages: Messages,
    /// What goes to a store, where there is one.
    #[cfg(feature = "sessions")]
    mirror: Option<Mirror>,
    task: Task,
    background: Background,
    handshake: Handshake,
    schema: Option<Arc<Schema>>,
    /// Where the reader stands, in what has come.
    place: Place,
    aside: SkippedMessages,
    /// The most bytes that are set aside.
    most_aside: usize,
    ending: Option<Arc<SessionEnd>>,
    /// Whether each prompt says that the host put it together.
    client_composed: bool,
    watch: Arc<Watch>,
    warnings: Vec<Warning>,
    /// The hooks whose matchers the first `system/init` is checked against.
    unchecked: Option<Hooks>,
    /// What the CLI may read as long as it runs. Behind the task, so that it goes after it.
    #[expect(dead_code, reason = "it is kept to be dropped")]
    files: Vec<PrivateDir>,
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

    /// What is worth knowing of the options and the CLI's version, though the session works.
    ///
    /// The first `system/init` that is read adds those for hooks whose matchers fit none of the session's tools
    /// ([`HookWarning::MatchesNoTool`](agentwire_hooks::HookWarning::MatchesNoTool)).
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// The handle for control requests: clonable, usable from any task at any time.
    pub fn control(&self) -> &Control {
        &self.control
    }

    pub(crate) fn background(&self) -> &Background {
        &self.background
    }

    pub(crate) fn watch(&self) -> &Watch {
        &self.watch
    }

    pub(crate) fn place(&self) -> &Place {
        &self.place
    }

    /// The schema that structured output must match, where the options have one.
    pub(crate) fn schema(&self) -> Option<&Arc<Schema>> {
        self.schema.as_ref()
    }
}
