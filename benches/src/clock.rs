//! The time that this thread was given: other programs on the machine do not count.

use std::time::Duration;

/// The time since some moment.
#[cfg(unix)]
pub fn now() -> Duration {
    at(rustix::time::ClockId::ThreadCPUTime)
}

/// The time that all threads of this process were given together.
#[cfg(unix)]
pub fn of_process() -> Duration {
    at(rustix::time::ClockId::ProcessCPUTime)
}

/// What a clock of the system's says.
#[cfg(unix)]
pub fn at(clock: rustix::time::ClockId) -> Duration {
    let time = rustix::time::clock_gettime(clock);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    Duration::from_secs(seconds) + Duration::from_nanos(u64::try_from(time.tv_nsec).unwrap_or_default())
}

/// The time since some moment; here other programs count too.
#[cfg(not(unix))]
pub fn now() -> Duration {
    static START: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);
    START.elapsed()
}

/// The time since some moment; here other programs count too.
#[cfg(not(unix))]
pub fn of_process() -> Duration {
    now()
}
