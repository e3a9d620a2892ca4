//! The environment variables that every server inherits. The others may be secrets.

use std::ffi::OsString;

/// Returns the variables that any program needs: home, tools, language and time zone.
pub(super) fn minimal(
    all: impl Iterator<Item = (OsString, OsString)>,
) -> impl Iterator<Item = (OsString, OsString)> {
    all.filter(|(name, _)| name.to_str().is_some_and(is_passed_on))
}

fn is_passed_on(name: &str) -> bool {
    NAMES.contains(&name) || name.starts_with("LC_")
}

const NAMES: &[&str] = &["HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"];

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
