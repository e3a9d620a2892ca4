//! What only the text of a manifest shows: where a version comes from, and whether the lints hold.

use std::fs;

use crate::failure::{Failure, While as _};
use crate::metadata::Metadata;

/// Checks the manifests of the workspace's members.
pub(super) fn check(metadata: &Metadata) -> Result<Vec<String>, Failure> {
    let mut findings = Vec::new();
    for package in metadata.members() {
        let path = &package.manifest_path;
        let text = fs::read_to_string(path).while_doing(|| format!("reading {}", path.display()))?;
        findings.extend(findings_in(&text).into_iter().map(|what| format!("{}: {what}", package.name)));
    }
    Ok(findings)
}

fn findings_in(text: &str) -> Vec<String> {
    let mut findings = Vec::new();
    let (mut section, mut has_lints) = ("", false);
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if line.starts_with('[') {
            section = line.rsplit_once(']').map_or(line, |(header, _)| header.trim_start_matches('['));
            if section.contains("dependencies.") {
                findings.push(format!("[{section}] must be one line of its section"));
            }
            continue;
        }
        let is_inherited = line.replace(' ', "").contains("workspace=true");
        has_lints |= section == "lints" && is_inherited;
        if !section.ends_with("dependencies") {
            continue;
        }
        if !is_inherited && line.contains('=') {
            findings.push(format!("[{section}] {line} does not say `workspace = true`"));
        }
        if line.contains("default-features") {
            findings
                .push(format!("[{section}] {line}: default-features belongs into [workspace.dependencies]"));
        }
    }
    if !has_lints {
        findings.push("[lints] does not say `workspace = true`".to_owned());
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::findings_in;

    #[test]
    fn a_version_of_its_own_is_found() {
        for (text, what) in [
            ("[dependencies]\nserde = \"1\"\n", "[dependencies] serde"),
            ("[dependencies]\nserde = { version = \"1\" }\n", "[dependencies] serde"),
            ("[dev-dependencies]\nkit = { path = \"../kit\" }\n", "[dev-dependencies] kit"),
            ("[target.'cfg(os = \"x\")'.dependencies] # why\nlibc = \"1\"\n", "libc"),
            ("[build-dependencies.cc]\nversion = \"1\"\n", "[build-dependencies.cc]"),
            ("[dependencies]\na = { workspace = true, default-features = true }\n", "default-features"),
        ] {
            let found = findings_in(&format!("{text}[lints]\nworkspace = true\n"));
            assert!(found.len() == 1 && found[0].contains(what), "{text}: {found:?}");
        }
        assert_eq!(findings_in("[dependencies]\n").len(), 1, "lints that do not hold");
    }
}
