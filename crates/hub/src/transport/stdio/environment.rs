//! The few variables of our environment that every server gets: a secret among the others is none of its business.

use std::ffi::OsString;

/// Of these variables, those that a program needs to find its way: its home, its tools, its language, its time.
pub(super) fn minimal(
    all: impl Iterator<Item = (OsString, OsString)>,
) -> impl Iterator<Item = (OsString, OsString)> {
    all.filter(|(name, _)| name.to_str().is_some_and(is_passed_on))
}

fn is_passed_on(name: &str) -> bool {
    let is_one = |some: &str| if cfg!(windows) { some.eq_ignore_ascii_case(name) } else { some == name };
    NAMES.iter().any(|some| is_one(some)) || name.starts_with("LC_")
}

#[cfg(not(windows))]
const NAMES: &[&str] = &["HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"];

#[cfg(windows)]
const NAMES: &[&str] = &[
    "APPDATA",
    "COMSPEC",
    "HOMEDRIVE",
    "HOMEPATH",
    "LANG",
    "LOCALAPPDATA",
    "PATH",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "PROGRAMFILES(X86)",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TERM",
    "TMP",
    "TZ",
    "USERNAME",
    "USERPROFILE",
    "WINDIR",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_not_passed_on() {
        let all = [("PATH", "/bin"), ("ANTHROPIC_API_KEY", "secret"), ("LC_ALL", "C"), ("PATHS", "x")];
        let all = all.map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let names: Vec<_> = minimal(all.into_iter()).map(|(name, _)| name).collect();
        assert_eq!(names, ["PATH", "LC_ALL"]);
    }
}
