//! CPU time, which does not depend on other load of the machine.

use std::time::Duration;

/// Returns the CPU time of this thread.
#[cfg(unix)]
pub(crate) fn time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::from_secs(time.tv_sec.unsigned_abs()) + Duration::from_nanos(time.tv_nsec.unsigned_abs())
}

/// Returns the wall-clock time, since CPU time is not available.
#[cfg(not(unix))]
pub(crate) fn time() -> Duration {
    static START: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);
    START.elapsed()
}
