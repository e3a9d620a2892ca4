//! `cargo xtask sessions-agree`: whether we and the reference SDK for Python read the same from stored sessions.

use std::process::Command;

use crate::failure::Failure;
use crate::{built, netns, program, python, workspace};

/// Compares how we and the reference SDK for Python read stored sessions
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Seed of the generated sessions
    #[arg(long, default_value_t = 1)]
    seed: u32,
    /// Number of generated folders
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    folders: u32,
}

/// Generates random folders of sessions, and compares what both sides read of each.
///
/// The SDK is installed below `target/sessions-agree`, once; the comparison itself runs without a network where the
/// machine can do that.
/// `xtask/sessions-agree/agree.py` lists the known differences with their reasons; an unused one is a failure too.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let folder = workspace::root()?.join("target/sessions-agree/python");
    let (root, example, python) = (
        workspace::root()?,
        built::example("sessions", "print_sessions")?,
        python::environment(&folder, &[SDK])?,
    );
    let script = root.join("xtask/sessions-agree/agree.py");
    for (folders, last) in [(3, &["--self-test"][..]), (args.folders, &[])] {
        let mut compare = Command::new(&python);
        compare.arg(&script).arg(&example).args([args.seed, folders].map(|number| number.to_string()));
        compare.args(last);
        let mut compare = if netns::way().is_ok() { netns::inside(compare)? } else { compare };
        program::run(&mut compare)?;
    }
    Ok(())
}

const SDK: &str = "claude-agent-sdk==0.2.187";
