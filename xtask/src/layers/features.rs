//! The features of dependencies, which must be the same with and without the tests.
//!
//! A dependency with more features in the tests is compiled twice, and so is every crate above it.

use std::collections::BTreeSet;

use crate::failure::Failure;
use crate::program;

/// Returns a finding for each dependency that gets more features from the tests of the workspace.
pub(super) fn check() -> Result<Vec<String>, Failure> {
    Ok(only_without_tests(&dependencies("normal,build")?, &dependencies("normal,build,dev")?))
}

/// Returns the output of `cargo tree`: a line `name v1.2.3 feature,…` for each dependency.
fn dependencies(edges: &str) -> Result<String, Failure> {
    let mut command = program::cargo()?;
    command.args(["tree", "--workspace", "--all-features", "--prefix", "none"]);
    command.args(["--format", "{p} {f}", "-e", edges]);
    program::output(&mut command)
}

fn only_without_tests(without: &str, with: &str) -> Vec<String> {
    lines(without)
        .difference(&lines(with))
        .map(|line| format!("the tests need more features than `{line}`: list them in xtask/Cargo.toml"))
        .collect()
}

/// Returns the lines without the mark of a repetition, below which cargo lists no dependencies again.
fn lines(text: &str) -> BTreeSet<&str> {
    text.lines().map(|line| line.trim_end_matches(" (*)")).collect()
}

#[cfg(test)]
mod tests {
    use super::only_without_tests;

    #[test]
    fn feature_of_the_tests_alone_is_found() {
        let without = "serde v1.0.1 derive\nrustix v1.1.6 fs\nserde v1.0.1 derive (*)\n";
        let found = only_without_tests(without, "serde v1.0.1 derive\nrustix v1.1.6 fs,pty\ninsta v1.0.1 \n");
        assert!(matches!(&found[..], [one] if one.contains("`rustix v1.1.6 fs`")), "{found:?}");
    }
}
