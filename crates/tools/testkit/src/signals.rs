//! The names of signals in transcripts.

/// Returns the name of a signal; `SIG` and the number for one without a name here.
pub(crate) fn name(number: i32) -> String {
    let known = SIGNALS.iter().find(|(_, known)| *known == number);
    known.map_or_else(|| format!("SIG{number}"), |(name, _)| (*name).to_owned())
}

/// Returns the number of a signal; 0 for an unknown name.
#[cfg(feature = "replay")]
pub(crate) fn number(name: &str) -> i32 {
    let known = SIGNALS.iter().find(|(known, _)| *known == name).map(|(_, number)| *number);
    known.or_else(|| name.strip_prefix("SIG")?.parse().ok()).unwrap_or(0)
}

/// The numbers that are the same on every Unix.
#[rustfmt::skip]
const SIGNALS: &[(&str, i32)] = &[
    ("SIGHUP", 1), ("SIGINT", 2), ("SIGQUIT", 3), ("SIGILL", 4), ("SIGTRAP", 5), ("SIGABRT", 6),
    ("SIGFPE", 8), ("SIGKILL", 9), ("SIGSEGV", 11), ("SIGPIPE", 13), ("SIGALRM", 14), ("SIGTERM", 15),
];
