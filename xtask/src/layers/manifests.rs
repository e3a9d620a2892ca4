//! What only the text of a manifest shows: where a version comes from, and whether the lints hold.

use std::fs;

use crate::failure::{Failure, While as _};
use crate::workspace::{self, Metadata};

/// Checks the manifests of the workspace.
pub(super) fn check(metadata: &Metadata) -> Result<Vec<String>, Failure> {
    let read = |path: &std::path::Path| {
        fs::read_to_string(path).while_doing(|| format!("reading {}", path.display()))
    };
    let mut findings = root_findings(&read(&workspace::root()?.join("Cargo.toml"))?);
    for package in metadata.members() {
        let text = read(&package.manifest_path)?;
        findings.extend(member_findings(&text).into_iter().map(|what| format!("{}: {what}", package.name)));
    }
    Ok(findings)
}

fn root_findings(text: &str) -> Vec<String> {
    let on = ["\"warn\"", "\"deny\"", "\"forbid\""];
    let line = entries(text).find(|(section, line)| {
        section == "workspace.lints.clippy" && key(line) == Some("incompatible_msrv")
    });
    match line {
        Some((_, line)) if on.iter().any(|level| line.contains(level)) => Vec::new(),
        _ => vec!["[workspace.lints.clippy] does not turn incompatible_msrv on".to_owned()],
    }
}

fn member_findings(text: &str) -> Vec<String> {
    let mut findings = Vec::new();
    if !entries(text).any(|(section, line)| section == "lints" && inherits(line)) {
        findings.push("[lints] does not say `workspace = true`".to_owned());
    }
    for (section, line) in entries(text) {
        let Some(name) = key(line) else { continue };
        if is_dependencies(&section) && !inherits(line) {
            findings.push(format!("[{section}] {name} does not say `workspace = true`"));
        }
        if is_dependencies(&section) && line.contains("default-features") {
            findings
                .push(format!("[{section}] {name}: default-features belongs into [workspace.dependencies]"));
        }
    }
    findings.extend(
        tables(text)
            .filter(|(_, body)| !body.iter().any(|line| inherits(line)))
            .map(|(section, _)| format!("[{section}] does not say `workspace = true`")),
    );
    findings
}

/// The lines that are no header, no comment and not empty, each with its section.
fn entries(text: &str) -> impl Iterator<Item = (String, &str)> {
    let mut section = String::new();
    text.lines().map(str::trim).filter_map(move |line| {
        if let Some(name) = header(line) {
            name.clone_into(&mut section);
            return None;
        }
        (!line.is_empty() && !line.starts_with('#')).then(|| (section.clone(), line))
    })
}

/// The sections of one dependency each, `[dependencies.serde]`, with their lines.
fn tables(text: &str) -> impl Iterator<Item = (&str, Vec<&str>)> {
    let headers = text.lines().map(str::trim).filter_map(header);
    headers.filter(|name| name.rsplit_once('.').is_some_and(|(above, _)| is_dependencies(above))).map(
        |name| {
            let body = entries(text).filter(|(section, _)| section == name).map(|(_, line)| line).collect();
            (name, body)
        },
    )
}

/// The name of a section, of `[x]` as of `[[x]]`; a line that begins with a bracket is nothing else in a manifest.
fn header(line: &str) -> Option<&str> {
    let end = line.rfind(']')?;
    let inside = line.get(1..end).filter(|_| line.starts_with('['))?;
    Some(inside.trim_start_matches('[').trim_end_matches(']'))
}

/// The name before `=`, without `.workspace`; `None` for a line that goes on with what another began.
fn key(line: &str) -> Option<&str> {
    let name = line.split('=').next().filter(|_| line.contains('='))?.trim();
    let name = name.strip_suffix(".workspace").unwrap_or(name);
    let plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | '.');
    (!name.is_empty() && name.chars().all(plain)).then_some(name)
}

fn is_dependencies(section: &str) -> bool {
    let last = section.rsplit('.').next().unwrap_or(section);
    matches!(last, "dependencies" | "dev-dependencies" | "build-dependencies")
        && !section.starts_with("workspace")
}

fn inherits(line: &str) -> bool {
    let line: String = line.split_whitespace().collect();
    line.starts_with("workspace=true")
        || line.contains("{workspace=true")
        || line.contains(".workspace=true")
        || line.contains(",workspace=true")
}

#[cfg(test)]
mod tests {
    use super::{member_findings, root_findings};

    const LINTS: &str = "[lints]\nworkspace = true\n";

    #[test]
    fn a_version_of_its_own_is_found() {
        for (text, what) in [
            ("[dependencies]\nserde = \"1\"\n", "[dependencies] serde"),
            ("[dependencies]\nserde = { version = \"1\" }\n", "[dependencies] serde"),
            ("[dev-dependencies]\nkit = { path = \"../kit\" }\n", "[dev-dependencies] kit"),
            ("[target.'cfg(unix)'.dependencies]\nlibc = \"1\"\n", "libc"),
            ("[features]\na = []\n[target.'cfg(os = \"x\")'.dependencies] # why\nlibc = \"1\"\n", "libc"),
            ("[build-dependencies.cc]\nversion = \"1\"\n", "[build-dependencies.cc]"),
            ("[dependencies]\na = { workspace = true, default-features = true }\n", "default-features"),
        ] {
            let found = member_findings(&format!("{text}{LINTS}"));
            assert!(found.len() == 1 && found[0].contains(what), "{text}: {found:?}");
        }
        assert_eq!(member_findings("[dependencies]\n").len(), 1, "lints that do not hold");
    }

    #[test]
    fn the_lint_about_rust_versions_must_be_on() {
        assert!(root_findings("[workspace.lints.clippy]\nincompatible_msrv = \"warn\"\n").is_empty());
        assert_eq!(root_findings("[workspace.lints.clippy]\nincompatible_msrv = \"allow\"\n").len(), 1);
        assert_eq!(root_findings("[workspace.lints.rust]\nincompatible_msrv = \"warn\"\n").len(), 1);
        assert_eq!(root_findings("# incompatible_msrv = \"warn\"\n").len(), 1);
    }
}
