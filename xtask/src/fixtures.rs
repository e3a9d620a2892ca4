//! `cargo xtask fixtures list`: which recorded scenarios reach which declared parts of the protocol.

mod coverage;
mod table;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::drift::Names;
use crate::failure::{Failure, While as _};
use crate::section;
use crate::workspace;
use coverage::Coverage;

/// Lists the declared messages that the recordings reach
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The table
    #[arg(value_parser = ["list"])]
    what: String,
    /// Write the table into docs/internals/protocol.md
    #[arg(long, conflicts_with = "check")]
    write: bool,
    /// Fail if the table in docs/internals/protocol.md is not current
    #[arg(long)]
    check: bool,
}

/// `cargo xtask fixtures list [--write] [--check]`.
///
/// Prints the table; with `--write` it is put into docs/internals/protocol.md, and with `--check` it must be there already.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let text = list(&workspace::root()?)?;
    if args.check {
        println!("{}", text.lines().next().unwrap_or_default());
    } else {
        print!("{text}");
    }
    if args.check || args.write {
        section::update(FILE, "cargo xtask fixtures list --write", &text, args.check)?;
    }
    Ok(())
}

/// The totals and the tables.
fn list(root: &Path) -> Result<String, Failure> {
    let coverage = Coverage::load(&root.join("fixtures/sessions"))?;
    let names = Names::load(root)?;
    let by_hand = by_hand(&root.join("crates/protocol/fixtures/messages"))?;
    Ok(table::text(&names, &coverage, &by_hand))
}

/// The kinds that have a fixture written by hand, as `system.init`.
fn by_hand(folder: &Path) -> Result<BTreeSet<String>, Failure> {
    let entries = fs::read_dir(folder).while_doing(|| format!("listing {}", folder.display()))?;
    entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
}

const FILE: &str = "docs/internals/protocol.md";

#[cfg(test)]
mod tests;
