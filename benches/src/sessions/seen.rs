//! What one process has seen: a line of JSON, from the child to the program that started it.

use std::{
    env,
    error::Error,
    process::{Command, Stdio},
};

use serde::{Deserialize, Serialize};

/// What a child does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "there is no third")]
pub enum Play {
    /// Sessions over replays.
    Sessions,
    /// Replays alone, up to the same point: what the measure itself holds.
    Replays,
}

impl Play {
    /// What the child's argument says.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sessions => "sessions",
            Self::Replays => "replays",
        }
    }

    /// The one of this name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Sessions, Self::Replays].into_iter().find(|play| play.name() == name)
    }
}

/// What was measured, of all together.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Seen {
    /// The bytes of memory by which the process grew while all of them became idle.
    pub resident: f64,
    /// The bytes of the heap by which it grew.
    pub heap: f64,
    /// Seconds from the first to the last handshake.
    pub connecting: f64,
    /// Seconds in which all did their turns, and were closed.
    pub playing: f64,
    /// Seconds of the processors' time for both together.
    pub cpu: f64,
}

impl Seen {
    /// Has a process of its own do it.
    ///
    /// # Errors
    ///
    /// When it can't be started, or fails: not every turn was done, or not as recorded.
    pub fn of(play: Play, sessions: usize) -> Result<Self, Box<dyn Error>> {
        let mut command = Command::new(env::current_exe()?);
        command.args(["sessions", CHILD, play.name(), &sessions.to_string()]).stderr(Stdio::inherit());
        let output = command.output()?;
        if !output.status.success() {
            return Err(format!("{sessions} {} ended with {}", play.name(), output.status).into());
        }
        Ok(serde_json::from_slice(&output.stdout)?)
    }
}

/// The first argument of a child.
pub const CHILD: &str = "--child";
