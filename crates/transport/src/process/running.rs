//! What the parts of an open process transport share.

use std::sync::{Arc, Mutex};

use super::{Kept, alarm::Alarm, grace::Grace, group::Group, guard::Guard, input::Input, stderr::Stderr};
use crate::{error::ExitReport, settled::Settled};

pub(super) struct Running {
    pub(super) group: Group,
    /// Ends the group where we can't, because we are dead.
    pub(super) guard: Arc<Guard>,
    pub(super) grace: Grace,
    pub(super) input: Input,
    pub(super) stderr: Stderr,
    /// Rings when `abandoned` is settled, for the threads in `poll`.
    pub(super) alarm: Alarm,
    /// The process has ended.
    pub(super) ended: Settled<ExitReport>,
    /// The process is reaped, and its group has ended.
    pub(super) gone: Settled<()>,
    /// Nobody needs the output any more: its end was read, or a thread has drained it.
    pub(super) output_done: Settled<()>,
    /// The process has ended and the grace for its pipes is over: what is in them is all that counts.
    pub(super) abandoned: Settled<()>,
    /// What lives as long as the process and its group.
    pub(super) keep: Mutex<Option<Kept>>,
}
