//! What the guides promise of the code: it compiles, commands and names exist, numbers are current, and each error is
//! listed and provoked.

mod code;
mod commands;
mod declared;
mod errors;
mod names;
mod numbers;

use std::path::Path;

use super::Finding;
use super::sources::Source;
use declared::Declared;

/// Checks the guides.
pub(super) fn findings(root: &Path, sources: &[Source]) -> Vec<Finding> {
    let mut findings = errors::findings(sources);
    findings.extend(code::findings(sources));
    findings.extend(commands::findings(sources));
    findings.extend(names::findings(root, sources));
    findings.extend(numbers::findings(sources));
    findings.extend(coming_from(sources));
    findings
}

/// Decision records and changelogs use the names of their time.
fn is_guide(path: &str) -> bool {
    match path.strip_prefix("docs/") {
        Some(name) => name.ends_with(".md") && !name.starts_with("decisions/"),
        None => path.ends_with("README.md") || path == "CONTRIBUTING.md",
    }
}

fn finding(guide: &str, line: usize, what: impl Into<String>) -> Finding {
    Finding { rule: "guides", path: guide.to_owned(), line, what: what.into() }
}

/// Returns each line of a code block, and each span between backticks outside, with the number of its line and whether it
/// is in a block.
fn spans(text: &str) -> impl Iterator<Item = (usize, bool, &str)> {
    let mut is_code = false;
    text.lines().zip(1..).flat_map(move |(line, at)| {
        is_code ^= line.trim_start().starts_with("```");
        let spans: Vec<&str> =
            if is_code { vec![line] } else { line.split('`').skip(1).step_by(2).collect() };
        spans.into_iter().map(move |span| (at, is_code, span))
    })
}

/// Names of the table for users of other SDKs, which are those of the crates alone.
fn coming_from(sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let declared = Declared::of(sources);
    for source in sources.iter().filter(|source| source.path == COMING_FROM) {
        for (line, name) in cells(&source.text) {
            if !declared.has(name) {
                findings.push(finding(&source.path, line, format!("there is no `{name}`")));
            }
        }
    }
    findings
}

/// The names in the second column of each table, with their lines.
fn cells(text: &str) -> Vec<(usize, &str)> {
    let rows = text.lines().enumerate().filter(|(_, line)| line.starts_with('|'));
    let cells = rows.filter_map(|(at, line)| Some((at + 1, line.split('|').nth(2)?)));
    cells.flat_map(|(at, cell)| cell.split('`').skip(1).step_by(2).map(move |span| (at, span))).collect()
}

const COMING_FROM: &str = "docs/coming-from.md";

#[cfg(test)]
mod tests {
    use super::super::sources::Source;
    use super::coming_from;

    #[test]
    fn a_name_that_is_gone_is_found() {
        let code = Source::new("crates/a/src/lib.rs", "pub struct Session;\nimpl Session { fn ask() {} }\n");
        let guide = |cell: &str| Source::new(super::COMING_FROM, format!("| `x` | {cell} |\n"));
        let found = |cell: &str| coming_from(&[Source::new(&*code.path, &*code.text), guide(cell)]).len();
        assert_eq!(found("`Session::ask()`, `Session`"), 0);
        assert_eq!(found("`Session::tell`, then `Options`"), 2);
        assert_eq!(found("nothing"), 0);
    }
}
