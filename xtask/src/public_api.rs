//! `cargo xtask public-api`: the public API of each published library is that of its baseline in `xtask/api/`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::failure::{Failure, While as _};
use crate::machine;
use crate::metadata::Metadata;
use crate::program;
use crate::workspace;

/// Compares the public API of each published library with its baseline in `xtask/api/`
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Write the baselines instead
    #[arg(long)]
    bless: bool,
}

/// `cargo xtask public-api [--bless]`: fails with the items that a baseline lacks or has in addition.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let root = workspace::root()?;
    let mut doc = program::cargo()?;
    doc.args(["doc", "--quiet", "--workspace", "--lib", "--no-deps", "--all-features"]);
    // Cargo builds again when these flags change, but not when `RUSTDOC` does.
    doc.env("RUSTDOCFLAGS", "-Z unstable-options --output-format json");
    program::run(doc.env("RUSTDOC", root.join("xtask/scripts/rustdoc-json.sh")))?;
    let mut changes = Vec::new();
    let metadata = Metadata::load()?;
    for package in metadata.members().filter(|package| package.is_published() && package.name != INTERNAL) {
        let name = package.name.replace('-', "_");
        let json = metadata.target_directory.join("doc").join(name).with_extension("json");
        let file = root.join("xtask/api").join(&package.name).with_extension("txt");
        let api = items(&json)?;
        if args.bless {
            fs::write(&file, &api).while_doing(|| format!("writing {}", file.display()))?;
        } else {
            let baseline = fs::read_to_string(&file).while_doing(|| format!("reading {}", file.display()))?;
            changes.extend(difference(&baseline, &api));
        }
        println!("    {}: {} items", package.name, api.lines().count());
    }
    if changes.is_empty() {
        return Ok(());
    }
    let list = changes.join("\n  ");
    Err(Failure::new(format!(
        "{} changes of the public API\n  {list}\n`cargo xtask public-api --bless` writes the baselines",
        changes.len()
    )))
}

/// Returns one line for each public item, without the implementations that the compiler derives.
fn items(json: &Path) -> Result<String, Failure> {
    let mut command = machine::cargo_tool("public-api")?;
    program::output(command.args(["-sss", "--color=never", "--rustdoc-json"]).arg(json))
}

fn difference(baseline: &str, api: &str) -> Vec<String> {
    let (old, new): (BTreeSet<&str>, BTreeSet<&str>) = (baseline.lines().collect(), api.lines().collect());
    let removed = old.difference(&new).map(|item| format!("- {item}"));
    removed.chain(new.difference(&old).map(|item| format!("+ {item}"))).collect()
}

/// The library of the workspace's macros, which promises nothing (docs/stability.md).
const INTERNAL: &str = "agentwire-protocol-macros";

#[cfg(test)]
mod tests {
    use super::difference;

    #[test]
    fn removed_and_added_items_are_listed() {
        assert!(difference("pub fn a()\n", "pub fn a()\n").is_empty());
        assert_eq!(
            difference("pub fn a()\npub fn b()\n", "pub fn b()\npub fn c()\n"),
            ["- pub fn a()", "+ pub fn c()"]
        );
    }
}
