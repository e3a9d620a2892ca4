//! `docs/errors.md`: a section for each variant of each error, with the test that provokes it.

use std::collections::BTreeMap;

use super::super::Finding;
use super::super::sources::Source;

pub(super) fn findings(sources: &[Source]) -> Vec<Finding> {
    let guide = sources.iter().find(|source| source.path == GUIDE);
    let sections = sections(guide.map_or("", |guide| &guide.text));
    let variants: Vec<String> = sources.iter().flat_map(variants).collect();
    let found = |line: usize, what: String| Finding { rule: "guides", path: GUIDE.to_owned(), line, what };
    let missing = variants.iter().filter(|variant| !sections.contains_key(variant.as_str()));
    let mut findings: Vec<Finding> =
        missing.map(|variant| found(0, format!("`{variant}` has no section"))).collect();
    for (name, section) in sections {
        if !variants.iter().any(|variant| variant == name) {
            findings.push(found(section.line, format!("there is no `{name}`")));
        }
        if !section.tests.iter().any(|test| is_test(test, sources)) {
            findings.push(found(section.line, format!("no test that is there provokes `{name}`")));
        }
    }
    findings
}

struct Section<'a> {
    line: usize,
    tests: Vec<&'a str>,
}

/// The sections, by the variant that each is about.
fn sections(text: &str) -> BTreeMap<&str, Section<'_>> {
    let mut sections = BTreeMap::new();
    let mut current = None;
    for (at, line) in text.lines().enumerate() {
        if let Some(heading) = line.strip_prefix("### `") {
            let name = heading.trim_end_matches('`');
            sections.insert(name, Section { line: at + 1, tests: Vec::new() });
            current = Some(name);
        } else if let Some(tests) = line.strip_prefix("Test: ")
            && let Some(section) = current.and_then(|name| sections.get_mut(name))
        {
            section.tests.extend(tests.split('`').skip(1).step_by(2));
        }
    }
    sections
}

/// The variants of an error's enum, with its name.
fn variants(source: &Source) -> Vec<String> {
    let Some((_, name)) = ENUMS.iter().find(|(path, _)| *path == source.path) else { return Vec::new() };
    let lines = source.code.lines().skip_while(|line| *line != format!("pub enum {name} {{")).skip(1);
    let of_enum = lines.take_while(|line| *line != "}").filter_map(|line| line.strip_prefix("    "));
    let variants = of_enum.filter(|line| line.starts_with(char::is_uppercase));
    let word = |line: &str| line.split(|char: char| !char.is_alphanumeric()).next().map(str::to_owned);
    variants.filter_map(word).map(|variant| format!("{name}::{variant}")).collect()
}

/// Whether `file::function` is a test of ours.
fn is_test(test: &str, sources: &[Source]) -> bool {
    let Some((file, function)) = test.rsplit_once("::") else { return false };
    let (file, function) = (format!("/{}.rs", file.replace("::", "/")), format!("fn {function}("));
    sources.iter().any(|source| source.path.ends_with(&file) && source.code.contains(&function))
}

const GUIDE: &str = "docs/errors.md";
const ENUMS: &[(&str, &str)] = &[
    ("crates/agentwire/src/error.rs", "Error"),
    ("crates/control/src/error.rs", "ControlError"),
    ("crates/transport/src/error.rs", "TransportError"),
    ("crates/codec/src/error.rs", "FrameError"),
];

#[cfg(test)]
mod tests {
    use super::super::super::sources::Source;
    use super::{GUIDE, findings};

    fn found(guide: &str) -> Vec<String> {
        let code = "pub enum Error {\n    /// One.\n    Lost,\n    Cut { why: String },\n}\n";
        let sources = [
            Source::new("crates/agentwire/src/error.rs", code),
            Source::new("crates/agentwire/tests/it/errors.rs", "fn lost() {}\n"),
            Source::new(GUIDE, guide),
        ];
        findings(&sources).into_iter().map(|finding| finding.what).collect()
    }

    #[test]
    fn each_variant_has_a_section_with_a_test() {
        let lost = "### `Error::Lost`\n\nTest: `errors::lost`\n";
        assert_eq!(found(lost), ["`Error::Cut` has no section"]);
        assert!(found(&format!("{lost}### `Error::Cut`\nTest: `errors::lost`\n")).is_empty());
        let untested = found(&format!("{lost}### `Error::Cut`\nTest: `errors::gone`\n"));
        assert_eq!(untested, ["no test that is there provokes `Error::Cut`"]);
        assert_eq!(
            found(&format!("{lost}### `Error::Cut`\nTest: `errors::lost`\n### `Error::Old`\n")).len(),
            2
        );
    }
}
