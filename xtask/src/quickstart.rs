//! Records the quickstart's session with the example itself, because its callbacks are code.

use std::fs;
use std::path::PathBuf;

use agentwire_testkit::Transcript;

use crate::cli;
use crate::failure::Failure;
use crate::program;
use crate::scenarios;
use crate::workspace;

/// The name under which it is recorded beside the scenarios.
pub(crate) const NAME: &str = "quickstart";

/// Runs the example with the scripted model, and returns the redacted recording.
pub(crate) fn run() -> Result<Transcript, Failure> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("session.transcript");
    let mut example = program::cargo()?;
    example
        .args(["run", "-q", "--all-features", "--example", NAME, "--", "--scripted", "--record"])
        .arg(&file);
    program::run(&mut example)?;
    Ok(Transcript::parse(fs::read(&file)?)?)
}

/// The fixture, and the copy that the example embeds: a package contains only files of its own folder.
pub(crate) fn files() -> Result<[PathBuf; 2], Failure> {
    let copy = workspace::root()?.join("crates/agentwire/examples/quickstart/session.transcript");
    Ok([scenarios::fixture(cli::CURRENT, NAME)?, copy])
}

#[cfg(test)]
mod tests {
    use std::fs;

    #[test]
    fn the_example_embeds_the_fixture() {
        let [fixture, copy] = super::files().unwrap().map(|file| fs::read_to_string(file).unwrap());
        assert!(!fixture.is_empty());
        assert_eq!(fixture, copy, "record it again: cargo xtask record quickstart");
    }
}
