//! What work costs by itself, on a machine that does other work too.

use std::time::Duration;

/// What this thread has computed so far.
#[cfg(unix)]
pub(crate) fn time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::from_secs(time.tv_sec.unsigned_abs()) + Duration::from_nanos(time.tv_nsec.unsigned_abs())
}

/// The time of day: the system does not tell.
#[cfg(not(unix))]
pub(crate) fn time() -> Duration {
    static START: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);
    START.elapsed()
}
