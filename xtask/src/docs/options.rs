//! The lists of docs/options-table.md and docs/options-differences.md, from the table of the facade.

use std::fmt::Write as _;

use agentwire::{OptionInfo, OptionOrigin, Options};

/// Returns the tables of all options.
pub(super) fn table() -> String {
    let mut text = String::new();
    rows(&mut text, OptionOrigin::Reference, "Options of TypeScript");
    rows(&mut text, OptionOrigin::Python, "Options of Python only");
    rows(&mut text, OptionOrigin::Own, "Options of agentwire only");
    text
}

/// Returns the table of the options that differ from the reference SDKs.
pub(super) fn differences() -> String {
    let mut text = "| option | difference |\n|---|---|\n".to_owned();
    for option in Options::described().iter().filter(|option| !option.differs.is_empty()) {
        line(&mut text, &[&format!("`{}`", option.name), option.differs]);
    }
    text
}

fn rows(page: &mut String, origin: OptionOrigin, title: &str) {
    let options: Vec<&OptionInfo> =
        Options::described().iter().filter(|option| option.origin == origin).collect();
    let _ = write!(page, "## {title}\n\n{} options.\n\n", options.len());
    page.push_str("| option | type | default | becomes | known to CLI |\n|---|---|---|---|---|\n");
    for option in options {
        line(
            page,
            &[&format!("`{}`", option.name), option.kind, option.default, option.becomes, option.since],
        );
    }
    page.push('\n');
}

fn line(page: &mut String, cells: &[&str]) {
    let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
    let _ = writeln!(page, "| {} |", cells.join(" | "));
}
