//! Every crate's folder holds what its package must hold.

use std::fs;
use std::path::{Path, PathBuf};

use super::Finding;
use crate::failure::{Failure, While as _};

/// Returns the files that a crate lacks, or that differ from the root's.
pub(super) fn findings(root: &Path) -> Result<Vec<Finding>, Failure> {
    let mut findings = Vec::new();
    for folder in folders(root)? {
        let name = folder.strip_prefix(root).unwrap_or(&folder).display().to_string();
        let mut found = |file: &str, what: &str| {
            let path = format!("{name}/{file}");
            findings.push(Finding { rule: "crates", path, line: 0, what: what.to_owned() });
        };
        for file in NEEDED.iter().filter(|file| !folder.join(file).is_file()) {
            found(file, "not there");
        }
        for file in LICENCES {
            let ours = fs::read(root.join(file)).while_doing(|| format!("reading {file}"))?;
            match fs::read(folder.join(file)) {
                Ok(copy) if copy == ours => {}
                Ok(_) => found(file, "differs from the root's: run `cargo xtask tidy --fix`"),
                Err(_) => found(file, "not there: run `cargo xtask tidy --fix`"),
            }
        }
    }
    Ok(findings)
}

/// Copies the licences of the root into every crate.
pub(super) fn copy_licences(root: &Path) -> Result<(), Failure> {
    for folder in folders(root)? {
        for file in LICENCES {
            fs::copy(root.join(file), folder.join(file)).while_doing(|| format!("copying {file}"))?;
        }
    }
    Ok(())
}

/// Returns the folders of the crates that are published, in order of their paths.
fn folders(root: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut published = Vec::new();
    let mut open = vec![root.join("crates")];
    while let Some(folder) = open.pop() {
        match fs::read_to_string(folder.join("Cargo.toml")) {
            Ok(manifest) if manifest.contains("\npublish = false") => {}
            Ok(_) => published.push(folder),
            Err(_) => {
                for entry in fs::read_dir(&folder)? {
                    let path = entry?.path();
                    if path.is_dir() {
                        open.push(path);
                    }
                }
            }
        }
    }
    published.sort();
    Ok(published)
}

/// Copies, not links: a package contains only files of its folder, and not every system has links.
const LICENCES: &[&str] = &["LICENSE-APACHE", "LICENSE-MIT"];

const NEEDED: &[&str] = &["README.md", "CHANGELOG.md"];

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{copy_licences, findings};

    #[test]
    fn a_missing_or_different_file_is_found_and_can_be_mended() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("crates/a");
        fs::create_dir_all(&folder).unwrap();
        for file in ["LICENSE-MIT", "LICENSE-APACHE", "crates/a/Cargo.toml", "crates/a/CHANGELOG.md"] {
            fs::write(root.path().join(file), "text").unwrap();
        }
        fs::write(folder.join("LICENSE-MIT"), "another text").unwrap();
        let list =
            |root| findings(root).unwrap().iter().map(|finding| finding.path.clone()).collect::<Vec<_>>();
        assert_eq!(
            list(root.path()),
            ["crates/a/README.md", "crates/a/LICENSE-APACHE", "crates/a/LICENSE-MIT"]
        );
        copy_licences(root.path()).unwrap();
        assert_eq!(list(root.path()), ["crates/a/README.md"]);
    }
}
