//! `cargo xtask leaving`: the table of guards that have not decided when their host goes away.

use std::fs;
use std::path::Path;

use crate::built;
use crate::cli;
use crate::failure::{Failure, While as _};
use crate::program;
use crate::section;
use crate::workspace;

/// Checks that guards hold when their host goes away, and writes the table of docs/hook-failures.md
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Fail where the table is not current
    #[arg(long)]
    check: bool,
}

/// `cargo xtask leaving [--check]`: tries every guard with every way of going away on each version of the CLI,
/// and writes the table of docs/hook-failures.md.
///
/// With `--check` the table must be current.
/// A guard that is passed fails the command.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let folder = workspace::root()?.join("target/leaving");
    try_all(&folder)?;
    let mut runs = Vec::new();
    for version in cli::ALL {
        let file = folder.join(version);
        let rows = fs::read_to_string(&file).while_doing(|| format!("reading {}", file.display()))?;
        runs.push((*version, rows));
    }
    let table = table(&runs);
    section::update(PAGE, "cargo xtask leaving", &table, args.check)?;
    if table.contains(PASSES) {
        return Err(Failure::new(format!("a guard is passed: see {PAGE}")));
    }
    println!("{PAGE} is current");
    Ok(())
}

/// Runs the live test on each version of the CLI, which writes a file of rows.
fn try_all(folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder).while_doing(|| format!("creating {}", folder.display()))?;
    for version in cli::ALL {
        let program = cli::ensure(version)?;
        println!("every guard and every way with CLI {version}");
        let mut tests = built::ignored_tests(&format!("package(agentwire-judge) & test(={TEST})"), true)?;
        program::run(tests.env(cli::VARIABLE, program).env(ROWS, folder.join(version)))?;
    }
    Ok(())
}

/// The table: guards down, ways across.
fn table(runs: &[(&str, String)]) -> String {
    let mut guards: Vec<&str> = Vec::new();
    let mut ways: Vec<&str> = Vec::new();
    let mut passed = Vec::new();
    for (version, rows) in runs {
        for line in rows.lines() {
            let mut words = line.split('\t');
            let (Some(guard), Some(way), Some(outcome)) = (words.next(), words.next(), words.next()) else {
                continue;
            };
            if !guards.contains(&guard) {
                guards.push(guard);
            }
            if !ways.contains(&way) {
                ways.push(way);
            }
            if outcome != "holds" {
                passed.push((guard, way, *version));
            }
        }
    }
    let mut table = format!("| guard | {} |\n|---|{}\n", ways.join(" | "), "---|".repeat(ways.len()));
    for guard in guards {
        let cells = ways.iter().map(|way| {
            let versions = passed.iter().filter(|(of, at, _)| (of, at) == (&guard, way));
            let versions: Vec<&str> = versions.map(|(_, _, version)| *version).collect();
            if versions.is_empty() {
                "holds".to_owned()
            } else {
                format!("{PASSES} ({})", versions.join(", "))
            }
        });
        let cells: Vec<String> = cells.collect();
        table.push_str(&format!("| {guard} | {} |\n", cells.join(" | ")));
    }
    table
}

const PAGE: &str = "docs/hook-failures.md";
const PASSES: &str = "**passes**";
/// The test of every guard, which runs for minutes.
pub(crate) const TEST: &str = "live::leaving::guards_hold_with_every_way_of_leaving";
const ROWS: &str = "AGENTWIRE_LEAVING_ROWS";

#[cfg(test)]
mod tests {
    use super::table;

    #[test]
    fn table_has_guards_down_and_ways_across() {
        let runs = [
            ("2", "A\tclose\tholds\nA\tdrop\tholds\n".to_owned()),
            ("1", "A\tclose\tholds\nA\tdrop\tpasses\n".to_owned()),
        ];
        let table = table(&runs);
        assert_eq!(table, "| guard | close | drop |\n|---|---|---|\n| A | holds | **passes** (1) |\n");
    }
}
