//! The expected outcome of each scenario: lines of `scenario`, `versions`, `passes` or `fails`, and why it fails, with
//! ` | ` between them.

use crate::failure::Failure;

/// A scenario and its expected outcome.
#[derive(Debug, PartialEq)]
pub(super) struct Row {
    pub(super) scenario: String,
    /// The versions of MCP with which it is played.
    pub(super) versions: Vec<String>,
    pub(super) passes: bool,
}

/// Reads the table; lines that begin with `#` are notes.
pub(super) fn read(text: &str) -> Result<Vec<Row>, Failure> {
    let lines = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    lines.map(row).collect()
}

fn row(line: &str) -> Result<Row, Failure> {
    let (scenario, versions, passes) = match line.split(" | ").collect::<Vec<_>>()[..] {
        [scenario, versions, "passes"] => (scenario, versions, true),
        [scenario, versions, "fails", reason] if !reason.is_empty() => (scenario, versions, false),
        _ => return Err(Failure::new(format!("neither `passes` nor `fails` with a reason: {line}"))),
    };
    let versions = versions.split(',').map(str::to_owned).collect();
    Ok(Row { scenario: scenario.to_owned(), versions, passes })
}

/// The scenarios below a heading of the suite's list: `  - name [versions]`.
pub(super) fn scenarios(listed: &str, heading: &str) -> Vec<String> {
    let lines = listed.lines().skip_while(|line| !line.starts_with(heading)).skip(1);
    let entries = lines.map_while(|line| line.trim_start().strip_prefix("- "));
    entries.filter_map(|entry| entry.split_whitespace().next()).map(str::to_owned).collect()
}

/// Compares the table with the suite's list.
pub(super) fn missing(rows: &[Row], listed: &[String]) -> Vec<String> {
    let unlisted = listed.iter().filter(|name| !rows.iter().any(|row| row.scenario == **name));
    let gone = rows.iter().filter(|row| !listed.contains(&row.scenario));
    let empty = listed.is_empty().then(|| "the suite lists no scenarios".to_owned());
    unlisted
        .map(|name| format!("{name} is not in the table"))
        .chain(gone.map(|row| format!("{} is not in the suite", row.scenario)))
        .chain(empty)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{missing, read, scenarios};

    #[test]
    fn a_row_states_why_it_fails() {
        let rows =
            read("# note\n\na | 2025-11-25 | passes\nb | 2026-07-28 | fails | not supported yet\n").unwrap();
        assert_eq!(rows.iter().map(|row| row.passes).collect::<Vec<_>>(), [true, false]);
        for wrong in
            ["a | 2025-11-25 | fails", "a | 2025-11-25 | fails | ", "a | passes", "a | 1 | passes | why"]
        {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn table_and_suite_have_the_same_scenarios() {
        let list = "Server scenarios:\n  - ping [1]\n\nClient scenarios (…):\n  - a [1,2]\n  - b [2]\n\nOther:\n  - c\n";
        let listed = scenarios(list, "Client scenarios");
        assert_eq!(listed, ["a", "b"]);
        assert_eq!(scenarios(list, "Server scenarios"), ["ping"]);
        let rows = read("a | 1 | passes\nz | 1 | passes\n").unwrap();
        assert_eq!(missing(&rows, &listed), ["b is not in the table", "z is not in the suite"]);
        assert_eq!(missing(&[], &[]).len(), 1);
    }
}
