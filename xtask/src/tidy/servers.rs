//! A test that needs a server runs in a step.

use super::{Hit, Source};
use crate::services;

/// `cargo xtask services` runs the ignored tests of the crates that it lists, and no other step runs them.
pub(super) fn find(source: &Source) -> Vec<Hit> {
    let is_ignored = |line: &str| line.trim_start().starts_with("#[ignore") && line.contains(COMMAND);
    let Some(at) = source.text.lines().position(is_ignored) else { return Vec::new() };
    let folder = source.path.split("/tests/").next().and_then(|path| path.split("/src/").next());
    let name = folder.and_then(|folder| folder.rsplit('/').next()).unwrap_or_default();
    let package = format!("agentwire-{name}");
    if services::crates().any(|listed| listed == package) {
        return Vec::new();
    }
    vec![(at + 1, format!("no step runs this test: add `{package}` to SERVICES in xtask/src/services.rs"))]
}

const COMMAND: &str = "cargo xtask services";

#[cfg(test)]
mod tests {
    use super::{Source, find};

    #[test]
    fn a_test_that_no_step_runs_is_found() {
        let text = "//! A.\n#[test]\n#[ignore = \"needs Redis: cargo xtask services\"]\nfn a() {}\n";
        let lines = |path: &str, text: &str| -> Vec<usize> {
            find(&Source::new(path, text)).iter().map(|hit| hit.0).collect()
        };
        assert_eq!(lines("crates/addons/store-new/tests/it/server.rs", text), [3]);
        assert_eq!(lines("crates/addons/store-new/src/tests.rs", text), [3]);
        assert!(lines("crates/addons/store-redis/tests/it/server.rs", text).is_empty());
        let other = text.replace("services", "live-tests");
        assert!(lines("crates/addons/store-new/tests/it/server.rs", &other).is_empty());
    }
}
