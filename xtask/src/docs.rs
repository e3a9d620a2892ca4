//! `cargo xtask docs`: the pages that are made from tables in the code.

mod options;

use std::fs;

use crate::failure::{Failure, While as _};
use crate::workspace;

/// Writes the pages that are generated from the code
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Fail where a page is not current
    #[arg(long)]
    check: bool,
}

/// `cargo xtask docs [--check]`.
///
/// Writes the generated pages; with `--check` they must be as they would be written.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let root = workspace::root()?;
    let mut old = Vec::new();
    for (name, page) in PAGES {
        let (file, text) = (root.join(name), page());
        if !args.check {
            fs::write(&file, text).while_doing(|| format!("writing {name}"))?;
        } else if fs::read_to_string(&file).while_doing(|| format!("reading {name}"))? != text {
            old.push(*name);
        }
    }
    if old.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!("not current: {}; run `cargo xtask docs`", old.join(", "))))
}

/// The path of a generated page, and the function that returns its text.
type Page = (&'static str, fn() -> String);

const PAGES: &[Page] =
    &[("docs/options-table.md", options::table), ("docs/options-differences.md", options::differences)];
