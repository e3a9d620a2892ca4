//! `cargo xtask sessions-agree`: whether we and the published Python SDK tell the same of the same stored sessions.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::args::Args;
use crate::failure::{Failure, While as _};
use crate::{machine, netns, program, workspace};

/// `cargo xtask sessions-agree [--seed N] [--folders N]`: makes folders of sessions by chance, and compares what is told
/// of each.
///
/// The SDK is installed below `target/sessions-agree`, once; the comparison itself runs without a network where the
/// machine can do that.
/// What is known to differ stands in `xtask/sessions-agree/agree.py`, with its reason; a line that nothing needs any more
/// is a failure too.
pub(crate) fn run(mut args: Args) -> Result<(), Failure> {
    let seed = args.option("--seed")?.unwrap_or_else(|| "1".to_owned());
    let folders = args.option("--folders")?.unwrap_or_else(|| "20".to_owned());
    args.finish()?;
    let (root, told, python) = (workspace::root()?, build()?, install()?);
    let script = root.join("xtask/sessions-agree/agree.py");
    for (folders, last) in [("3", &["--self-test"][..]), (&folders, &[])] {
        let mut compare = inside(&python)?;
        compare.arg(&script).arg(&told).args([&seed, folders]).args(last);
        program::run(&mut compare)?;
    }
    Ok(())
}

/// Our side: an example of the crate, which lies beside this program.
fn build() -> Result<PathBuf, Failure> {
    program::run(program::cargo()?.args([
        "build",
        "--quiet",
        "-p",
        "agentwire-sessions",
        "--example",
        "told",
    ]))?;
    let here = env::current_exe().while_doing(|| "asking where this program lies".to_owned())?;
    Ok(here.with_file_name("examples").join(format!("told{}", env::consts::EXE_SUFFIX)))
}

/// The SDK, with a Python of its own.
fn install() -> Result<PathBuf, Failure> {
    machine::provide(&[PYTHON])?;
    let folder = workspace::root()?.join("target/sessions-agree").join(VERSION);
    let programs = folder.join(if cfg!(windows) { "Scripts" } else { "bin" });
    let (python, done) = (programs.join("python"), folder.join("installed"));
    if !done.exists() {
        println!("installing claude-agent-sdk {VERSION} into {}", folder.display());
        program::output(Command::new(PYTHON).args(["-m", "venv"]).arg(&folder))?;
        let wanted = format!("claude-agent-sdk=={VERSION}");
        program::output(Command::new(programs.join("pip")).args(["install", "--quiet", &wanted]))?;
        fs::write(&done, "").while_doing(|| format!("writing {}", done.display()))?;
    }
    Ok(python)
}

fn inside(program: &Path) -> Result<Command, Failure> {
    if netns::way().is_ok() { netns::command_inside(program) } else { Ok(Command::new(program)) }
}

/// The version of the SDK whose reading is compared.
const VERSION: &str = "0.2.187";
pub(crate) const PYTHON: &str = "python3";
