//! `cargo xtask sdks`: the reference SDKs for Python and TypeScript, unchanged, over `agentwire record` and `replay`.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::failure::{Failure, While as _};
use crate::{built, cli, netns, program, python, workspace};

/// Runs the reference SDKs over `agentwire record` and `agentwire replay`
#[derive(Debug, clap::Args)]
pub(crate) struct Args;

/// Records a session of each SDK with the real CLI, and replays it to the same program without a CLI.
///
/// The CLI path of the SDK is the program `agentwire` both times, without a script between them.
pub(crate) fn run(_: &Args) -> Result<(), Failure> {
    let root = workspace::root()?;
    let (cli, agentwire) = (cli::ensure(cli::CURRENT)?, built::binary("cli", "agentwire")?);
    let sdks = [python(&root)?, typescript(&root)?];
    netns::within(|| {
        for sdk in &sdks {
            let recorded = sdk.check(&root, &agentwire, &cli).while_doing(|| sdk.name.to_owned())?;
            println!("{}: recorded, replayed and checked: {}", sdk.name, recorded.trim());
        }
        Ok(())
    })
}

/// A program on an SDK. Its last argument is the CLI path, and it prints the events that it saw.
struct Sdk {
    name: &'static str,
    command: Vec<OsString>,
}

impl Sdk {
    /// Returns what the program saw of the real CLI and of the replay, which must be the same.
    fn check(&self, root: &Path, agentwire: &Path, cli: &Path) -> Result<String, Failure> {
        let folder = tempfile::Builder::new().prefix("agentwire-sdks-").tempdir()?;
        let (home, work) = (folder.path().join("home"), folder.path().join("work"));
        fs::create_dir(&home)?;
        fs::create_dir(&work)?;
        let transcripts = folder.path().join("transcripts");
        fs::create_dir(&transcripts)?;
        let mut record = Command::new(agentwire);
        record.arg("mock").arg(root.join("xtask/sdks/script.json")).arg("--home").arg(&home);
        record.arg("--").args(&self.command).arg(agentwire).current_dir(&work);
        record.env("AGENTWIRE_RECORD", &transcripts).env("AGENTWIRE_CLI", cli);
        let recorded = program::output(&mut record)?;
        let transcript = transcripts.join("session-1.transcript");
        program::output(Command::new(agentwire).arg("check").arg(&transcript).arg("--facade"))?;
        let mut replay = Command::new(&self.command[0]);
        replay.args(&self.command[1..]).arg(agentwire).current_dir(&work).env_clear();
        replay.env("PATH", env::var_os("PATH").unwrap_or_default()).env("HOME", &home);
        replay.env("AGENTWIRE_REPLAY", &transcript);
        let replayed = program::output(&mut replay)?;
        if replayed != recorded {
            return Err(Failure::new(format!("the replay differs:\n{replayed}{recorded}")));
        }
        match EXPECTED.iter().find(|expected| !recorded.contains(*expected)) {
            None => Ok(recorded),
            Some(missing) => Err(Failure::new(format!("it did not see {missing}: {recorded}"))),
        }
    }
}

fn python(root: &Path) -> Result<Sdk, Failure> {
    let python = python::environment(&root.join("target/sdks/python"), &[PYTHON_SDK])?;
    let command = vec![python.into(), root.join("xtask/sdks/session.py").into()];
    Ok(Sdk { name: "Python", command })
}

fn typescript(root: &Path) -> Result<Sdk, Failure> {
    let package = cli::npm_package("@anthropic-ai/claude-agent-sdk", "0.3.330", "sdk.mjs")?;
    let command = vec!["node".into(), root.join("xtask/sdks/session.mjs").into(), package.into()];
    Ok(Sdk { name: "TypeScript", command })
}

const PYTHON_SDK: &str = "claude-agent-sdk==0.2.187";
/// The hook, the permission callback, the tool and the end of the turn.
const EXPECTED: &[&str] = &["hooks", "mcp__calc__add", "The sum is 5.", "success"];
