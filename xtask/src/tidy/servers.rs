//! A test that needs a server runs in a step.

use super::{Hit, Source};
use crate::services;

/// `cargo xtask services` runs the ignored tests of the crates and modules that it lists, and no other step runs them.
pub(super) fn find(source: &Source) -> Vec<Hit> {
    let is_ignored = |line: &str| line.trim_start().starts_with("#[ignore") && line.contains(COMMAND);
    let Some(at) = source.text.lines().position(is_ignored) else { return Vec::new() };
    let (folder, file) = source.path.split_once("/tests/it/").unwrap_or_default();
    let folder = folder.rsplit('/').next().unwrap_or_default();
    let module = file.split(['/', '.']).next().unwrap_or_default();
    if services::runs(folder, module) {
        return Vec::new();
    }
    vec![(at + 1, LACKING.to_owned())]
}

const COMMAND: &str = "cargo xtask services";
const LACKING: &str = "no step runs this test: it needs the module `server` or `proof` in tests/it, \
    its crate in SERVICES of xtask/src/services.rs, and for `proof` its server in PROVED";

#[cfg(test)]
mod tests {
    use super::{Source, find};

    #[test]
    fn a_test_that_no_step_runs_is_found() {
        let text = "//! A.\n#[test]\n#[ignore = \"needs Redis: cargo xtask services\"]\nfn a() {}\n";
        let lines = |path: &str, text: &str| -> Vec<usize> {
            find(&Source::new(path, text)).iter().map(|hit| hit.0).collect()
        };
        for found in [
            "crates/addons/store-new/tests/it/server.rs",
            "crates/addons/store-redis/tests/it/tls.rs",
            "crates/addons/store-redis/src/tests.rs",
            "crates/addons/store-object/tests/it/proof.rs",
        ] {
            assert_eq!(lines(found, text), [3], "{found}");
        }
        for run in ["server.rs", "server/tls.rs", "proof.rs"] {
            let path = format!("crates/addons/store-redis/tests/it/{run}");
            assert!(lines(&path, text).is_empty(), "{path}");
        }
        let other = text.replace("services", "live-tests");
        assert!(lines("crates/addons/store-new/tests/it/server.rs", &other).is_empty());
    }
}
