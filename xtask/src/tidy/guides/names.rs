//! Names in the guides: items of the code, and files.

use std::path::Path;

use super::super::Finding;
use super::super::sources::Source;
use super::declared::Declared;
use super::{finding, is_guide, spans};

pub(super) fn findings(root: &Path, sources: &[Source]) -> Vec<Finding> {
    let declared = Declared::of_all(sources);
    let mut findings = Vec::new();
    for guide in sources.iter().filter(|source| is_guide(&source.path)) {
        for (line, _, span) in spans(&guide.text).filter(|(_, is_code, _)| !is_code) {
            if is_item(span) && !declared.has(span) || is_file(span) && !root.join(span).exists() {
                findings.push(finding(&guide.path, line, format!("there is no `{span}`")));
            }
        }
    }
    findings
}

/// Whether it is the path of an item, such as `Session::ask()`, of this workspace.
fn is_item(span: &str) -> bool {
    let path = span.split('(').next().unwrap_or_default();
    let is_name = |part: &str| {
        part.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_')
            && part.chars().all(|char| char.is_ascii_alphanumeric() || char == '_')
    };
    path.contains("::")
        && path.split("::").all(is_name)
        && !EXTERNAL.iter().any(|external| path.starts_with(external))
}

fn is_file(span: &str) -> bool {
    let is_path = |char: char| char.is_ascii_alphanumeric() || "/._-".contains(char);
    FOLDERS.iter().any(|folder| span.starts_with(folder)) && span.chars().all(is_path)
}

const FOLDERS: &[&str] = &["crates/", "docs/", "fixtures/", "xtask/", ".ci/"];
/// Items of other crates.
const EXTERNAL: &[&str] = &["std::", "rmcp::", "process::exit", "serde_json::", "tokio::", "ClientOptions::"];

#[cfg(test)]
mod tests {
    use super::super::super::sources::Source;
    use super::findings;

    fn found(text: &str) -> Vec<String> {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("docs")).unwrap();
        let sources = [
            Source::new(
                "crates/a/src/lib.rs",
                "pub struct Session;\nimpl Session { fn ask() {} }\npub struct Turn;\n",
            ),
            Source::new("crates/a/src/turn.rs", "impl Turn {\n    fn text() {}\n}\n"),
            Source::new("docs/guide.md", text),
        ];
        findings(root.path(), &sources).into_iter().map(|finding| finding.what).collect()
    }

    #[test]
    fn wrong_name_is_found() {
        for (text, name) in [
            ("`Session::tell()`", "Session::tell()"),
            ("`agentwire::Wire`", "agentwire::Wire"),
            // There is a `text`, but of another type.
            ("`Session::text`", "Session::text"),
            ("see `docs/none.md`", "docs/none.md"),
        ] {
            assert_eq!(found(text), [format!("there is no `{name}`")], "{text}");
        }
    }
}
