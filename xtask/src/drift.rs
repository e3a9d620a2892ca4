//! `cargo xtask drift`: what the declarations and the recordings have, and our types do not.

mod declared;
mod exceptions;
mod foreign;
mod names;
mod recorded;
mod sets;

pub(crate) use names::Names;

use std::fs;

use crate::cli;
use crate::failure::{Failure, While as _};
use crate::typescript::{self, Declarations};
use crate::workspace;
use agentwire_cli::drift::Findings;
use exceptions::Exceptions;

/// Compares our types with the published declarations and the recordings
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The version of the declarations
    #[arg(long, default_value = VERSION, conflicts_with = "recordings")]
    declarations: String,
    /// Compare only the recordings, which needs no npm
    #[arg(long)]
    recordings: bool,
    /// Write the list of declared names first
    #[arg(long, conflicts_with = "recordings")]
    write: bool,
}

/// `cargo xtask drift [--declarations VERSION] [--recordings] [--write]`.
///
/// Compares with the declarations of that version, those of the Messages API and all recordings; with `--recordings`,
/// only with the recordings, which needs no npm. With `--write`, first writes the list of declared names.
/// Fails if anything is missing without an exception in docs/internals/protocol.md, or if an exception there is stale.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let (version, only_recordings, write) = (&*args.declarations, args.recordings, args.write);
    let root = workspace::root()?;
    let mut findings = Findings::default();
    if !only_recordings {
        let declarations = published(SDK, version, "sdk.d.ts")?;
        let api = published(API, API_VERSION, "resources/beta/messages/messages.d.ts")?;
        let names = Names::of(&declarations);
        if write {
            names.write(&root)?;
        } else if version == VERSION && names != Names::load(&root)? {
            findings.add("names", "the list of declared names is not current: `cargo xtask drift --write`");
        }
        let known = sets::known(&root)?;
        declared::compare(&declarations, &known, &mut findings);
        declared::compare_api(&api, &known, &mut findings);
    }
    recorded::compare(&root, &mut findings)?;
    let exceptions = Exceptions::load(&root)?;
    let (missing, excepted) = exceptions.split(&findings);
    for (what, detail) in &missing {
        println!("{what}{}{detail}", if detail.is_empty() { "" } else { ": " });
    }
    // A partial comparison can't show that a row is stale.
    let stale = if only_recordings { Vec::new() } else { exceptions.stale(&findings) };
    for what in &stale {
        println!("docs/internals/protocol.md lists `{what}`, which is not missing");
    }
    println!("{} missing, {excepted} listed in docs/internals/protocol.md with a reason", missing.len());
    if missing.is_empty() && stale.is_empty() { Ok(()) } else { Err(Failure::already_reported()) }
}

/// The declarations in this file of a package; npm fetches the package once.
fn published(package: &str, version: &str, file: &str) -> Result<Declarations, Failure> {
    let file = cli::npm_package(package, version, file)?.join(file);
    let text = fs::read_to_string(&file).while_doing(|| format!("reading {}", file.display()))?;
    typescript::parse(&text)
}

/// The messages between the CLI and its hosts.
const SDK: &str = "@anthropic-ai/claude-agent-sdk";

/// The Messages API, whose messages, blocks and events the CLI passes on.
const API: &str = "@anthropic-ai/sdk";

/// The version of the declarations that the types were written from.
const VERSION: &str = "0.3.333";

/// The version of the Messages API's declarations that the types of blocks and events were written from.
const API_VERSION: &str = "1.12.0";
