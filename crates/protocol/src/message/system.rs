//! `system`: news of the session itself, by its `subtype`.

mod init;
mod session_state;
mod status;

pub use init::{Init, InitMcpServer, InitPlugin};
pub use session_state::{SessionState, SessionStateChanged};
pub use status::Status;

use crate::{SessionId, tagged::tagged};

tagged! {
    /// News of the session itself.
    ///
    /// Its second tag lies on the same object as the first, `"type": "system"`.
    pub enum System by "subtype" within "type" = "system" {
        /// A turn starts: what the session can do.
        Init(Box<Init>) = "init",
        /// What the CLI is busy with.
        Status(Box<Status>) = "status",
        /// The session went idle, runs, or waits for an answer.
        SessionStateChanged(Box<SessionStateChanged>) = "session_state_changed",
    }
}

impl System {
    /// The session that the message belongs to.
    pub fn session_id(&self) -> Option<SessionId> {
        match self {
            Self::Init(message) => Some(message.session_id.clone()),
            Self::Status(message) => message.session_id.clone(),
            Self::SessionStateChanged(message) => message.session_id.clone(),
            Self::Unknown(unknown) => unknown.field("session_id").ok().flatten(),
        }
    }
}
