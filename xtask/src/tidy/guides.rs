//! What the guides promise of the code: that names exist, and that each error is told and provoked.

mod declared;
mod errors;

use super::Finding;
use super::sources::Source;
use declared::Declared;

/// What is wrong in the guides.
pub(super) fn findings(sources: &[Source]) -> Vec<Finding> {
    let mut findings = errors::findings(sources);
    let declared = Declared::of(sources);
    for source in sources.iter().filter(|source| source.path == COMING_FROM) {
        for (line, name) in names(&source.text) {
            if !declared.has(name) {
                let what = format!("there is no `{name}`");
                findings.push(Finding { rule: "guides", path: source.path.clone(), line, what });
            }
        }
    }
    findings
}

/// The names in the second column of each table, with their lines.
fn names(text: &str) -> Vec<(usize, &str)> {
    let rows = text.lines().enumerate().filter(|(_, line)| line.starts_with('|'));
    let cells = rows.filter_map(|(at, line)| Some((at + 1, line.split('|').nth(2)?)));
    cells.flat_map(|(at, cell)| cell.split('`').skip(1).step_by(2).map(move |span| (at, span))).collect()
}

const COMING_FROM: &str = "docs/coming-from.md";

#[cfg(test)]
mod tests {
    use super::super::sources::Source;
    use super::findings;

    #[test]
    fn a_name_that_is_gone_is_found() {
        let code = Source::new("crates/a/src/lib.rs", "pub struct Session;\nimpl Session { fn ask() {} }\n");
        let guide = |cell: &str| Source::new(super::COMING_FROM, format!("| `x` | {cell} |\n"));
        let found = |cell: &str| findings(&[Source::new(&*code.path, &*code.text), guide(cell)]).len();
        assert_eq!(found("`Session::ask()`, `Session`"), 0);
        assert_eq!(found("`Session::tell`, then `Options`"), 2);
        assert_eq!(found("nothing"), 0);
    }
}
