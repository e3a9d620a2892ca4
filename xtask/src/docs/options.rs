//! docs/options.md, from the table of the facade.

use std::fmt::Write as _;

use agentwire::{OptionInfo, OptionOrigin, Options};

/// The whole page.
pub(super) fn page() -> String {
    let (mut options, mut differences) = (String::new(), String::new());
    table(&mut options, OptionOrigin::Reference, "Of the reference SDKs");
    table(&mut options, OptionOrigin::Python, "Of the Python SDK alone");
    table(&mut options, OptionOrigin::Own, "Of this crate alone");
    for option in Options::described().iter().filter(|option| !option.differs.is_empty()) {
        line(&mut differences, &[&format!("`{}`", option.name), option.differs]);
    }
    TEMPLATE.replace("{{options}}", &options).replace("{{differences}}", &differences)
}

fn table(page: &mut String, origin: OptionOrigin, title: &str) {
    let options: Vec<&OptionInfo> =
        Options::described().iter().filter(|option| option.origin == origin).collect();
    let _ = write!(page, "\n## {title}\n\n{} options.\n\n", options.len());
    page.push_str("| option | type | default | becomes | known to CLI |\n|---|---|---|---|---|\n");
    for option in options {
        line(
            page,
            &[&format!("`{}`", option.name), option.kind, option.default, option.becomes, option.since],
        );
    }
}

fn line(page: &mut String, cells: &[&str]) {
    let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
    let _ = writeln!(page, "| {} |", cells.join(" | "));
}

const TEMPLATE: &str = include_str!("options.template.md");
