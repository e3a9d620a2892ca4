//! Integration tests and examples, as the programs that cargo built of them.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::failure::{Failure, While as _};
use crate::program;

/// What cargo built: the programs called `it` of all crates.
pub(crate) struct BuiltTests(Vec<Value>);

impl BuiltTests {
    /// Builds them.
    pub(crate) fn build() -> Result<Self, Failure> {
        // All crates, since fewer would lend each other fewer features: then nothing that CI has built could be used.
        messages(&["test", "--test", "it", "--no-run", "--workspace", "--all-features"]).map(Self)
    }

    /// The tests of the crate in this folder of `crates/` that are ignored unless they are asked for, and called so.
    ///
    /// Where there is none this fails: nothing would have been tested.
    pub(crate) fn chosen(&self, folder: &str, called: &str) -> Result<Chosen, Failure> {
        let program = self.0.iter().find_map(|message| executable(message, folder, "it"));
        let program = program.ok_or_else(|| Failure::new(format!("cargo built no tests of {folder}")))?;
        let arguments = ["--ignored".to_owned(), called.to_owned()];
        let listed = program::output(Command::new(&program).args(&arguments).arg("--list"))?;
        match count(&listed) {
            0 => Err(Failure::new(format!("{folder}: no test was chosen by `{}`", arguments.join(" ")))),
            number => Ok(Chosen { program, arguments, number }),
        }
    }
}

/// Tests that are to be run.
pub(crate) struct Chosen {
    pub(crate) program: PathBuf,
    pub(crate) arguments: [String; 2],
    pub(crate) number: usize,
}

/// Builds an example of the crate in this folder of `crates/`, and says where it lies.
pub(crate) fn example(folder: &str, name: &str) -> Result<PathBuf, Failure> {
    found(&messages(&["build", "--example", name, "--workspace", "--all-features"])?, folder, name)
}

/// Builds examples of one crate, and returns their programs by name.
pub(crate) fn examples<'a>(
    folder: &str,
    names: &BTreeSet<&'a str>,
) -> Result<HashMap<&'a str, PathBuf>, Failure> {
    let chosen = names.iter().flat_map(|name| ["--example", name]);
    let words: Vec<&str> = ["build", "--workspace", "--all-features"].into_iter().chain(chosen).collect();
    let built = messages(&words)?;
    names.iter().map(|name| Ok((*name, found(&built, folder, name)?))).collect()
}

/// Builds an example optimised, and with the features of its crate alone.
pub(crate) fn optimised(folder: &str, name: &str) -> Result<PathBuf, Failure> {
    let package = format!("agentwire-{folder}");
    let words = ["build", "--example", name, "--package", &package, "--profile", "counted"];
    found(&messages(&words)?, folder, name)
}

fn found(messages: &[Value], folder: &str, name: &str) -> Result<PathBuf, Failure> {
    let built = messages.iter().find_map(|message| executable(message, folder, name));
    built.ok_or_else(|| Failure::new(format!("cargo built no example {name} of {folder}")))
}

/// What cargo tells of what it builds.
fn messages(words: &[&str]) -> Result<Vec<Value>, Failure> {
    let mut cargo = program::cargo()?;
    cargo.args(words).arg("--message-format=json-render-diagnostics").stderr(Stdio::inherit());
    let built = program::output(&mut cargo)?;
    let read = |line| serde_json::from_str(line).while_doing(|| format!("reading `{line}`"));
    built.lines().map(read).collect()
}

/// The program that one of cargo's messages tells of, where it is this one of this crate's.
fn executable(message: &Value, folder: &str, name: &str) -> Option<PathBuf> {
    let manifest = message["manifest_path"].as_str()?.replace('\\', "/");
    let right =
        manifest.ends_with(&format!("/crates/{folder}/Cargo.toml")) && message["target"]["name"] == name;
    right.then(|| message["executable"].as_str().map(PathBuf::from))?
}

/// How many tests a list has; other lines tell their number and what is no test.
fn count(listed: &str) -> usize {
    listed.lines().filter(|line| line.ends_with(": test")).count()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use serde_json::json;

    use super::{count, executable};

    #[test]
    fn the_tests_of_a_crate_are_found_among_what_cargo_built() {
        let message = |manifest: &str, target: &str| {
            json!({
                "reason": "compiler-artifact", "manifest_path": manifest, "target": {"name": target},
                "executable": "/built/it-1",
            })
        };
        let right = message("/somewhere/crates/store-redis/Cargo.toml", "it");
        assert_eq!(executable(&right, "store-redis", "it"), Some(PathBuf::from("/built/it-1")));
        assert_eq!(executable(&right, "store-postgres", "it"), None);
        let another = message("/somewhere/crates/store-redis/Cargo.toml", "soak");
        assert_eq!(executable(&another, "store-redis", "it"), None);
        assert_eq!(
            executable(&json!({"reason": "build-finished", "success": true}), "store-redis", "it"),
            None
        );
    }

    #[test]
    fn none_is_told_from_some() {
        assert_eq!(count("live::one: test\nlive::two: test\n\n2 tests, 0 benchmarks\n"), 2);
        assert_eq!(count("\n0 tests, 0 benchmarks\n"), 0);
    }
}
