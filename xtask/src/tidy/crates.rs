//! Every published crate's folder holds what its package must hold.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::Finding;
use crate::failure::{Failure, While as _};
use crate::metadata::Metadata;

/// Returns the folders of the crates that are published.
pub(super) fn folders() -> Result<Vec<PathBuf>, Failure> {
    let metadata = Metadata::load()?;
    let published = metadata.members().filter(|package| package.is_published());
    Ok(published.filter_map(|package| Some(package.manifest_path.parent()?.to_owned())).collect())
}

/// Returns the files that a crate lacks, and the licences that are not links to the root's.
pub(super) fn findings(root: &Path, folders: &[PathBuf]) -> Result<Vec<Finding>, Failure> {
    let mut findings = Vec::new();
    let mut found = |path: PathBuf, what: &str| {
        let path = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        findings.push(Finding { rule: "crates", path, line: 0, what: what.to_owned() });
    };
    for folder in folders {
        for file in NEEDED.iter().filter(|file| !folder.join(file).is_file()) {
            found(folder.join(file), "not there");
        }
        for file in LICENCES {
            let target = link_target(root, folder, file);
            if !fs::read_link(folder.join(file)).is_ok_and(|found| found == target) {
                found(folder.join(file), "is not a link to the root's: run `cargo xtask tidy --fix`");
            }
        }
    }
    Ok(findings)
}

/// Links the licences of the root into every crate.
pub(super) fn link_licences(root: &Path, folders: &[PathBuf]) -> Result<(), Failure> {
    for (folder, file) in folders.iter().flat_map(|folder| LICENCES.iter().map(move |file| (folder, file))) {
        let link = folder.join(file);
        if link.symlink_metadata().is_ok() {
            fs::remove_file(&link).while_doing(|| format!("removing {}", link.display()))?;
        }
        symlink(link_target(root, folder, file), &link)
            .while_doing(|| format!("linking {}", link.display()))?;
    }
    Ok(())
}

/// Returns the relative path from a crate's folder to a file of the root.
fn link_target(root: &Path, folder: &Path, file: &str) -> PathBuf {
    let depth = folder.strip_prefix(root).unwrap_or(folder).components().count();
    std::iter::repeat_n("..", depth).collect::<PathBuf>().join(file)
}

/// Links: `cargo package` packs the file that a link points to.
const LICENCES: &[&str] = &["LICENSE-APACHE", "LICENSE-MIT"];

const NEEDED: &[&str] = &["README.md", "CHANGELOG.md"];

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{findings, link_licences};

    #[test]
    fn missing_or_copied_file_is_found_and_can_be_mended() {
        let root = tempfile::tempdir().unwrap();
        let folders = [root.path().join("crates/a")];
        fs::create_dir_all(&folders[0]).unwrap();
        for file in ["LICENSE-MIT", "LICENSE-APACHE", "crates/a/CHANGELOG.md"] {
            fs::write(root.path().join(file), "text").unwrap();
        }
        fs::write(folders[0].join("LICENSE-MIT"), "text").unwrap();
        let list = || {
            let findings = findings(root.path(), &folders).unwrap();
            findings.into_iter().map(|finding| finding.path).collect::<Vec<_>>()
        };
        assert_eq!(list(), ["crates/a/README.md", "crates/a/LICENSE-APACHE", "crates/a/LICENSE-MIT"]);
        link_licences(root.path(), &folders).unwrap();
        assert_eq!(list(), ["crates/a/README.md"]);
        assert_eq!(fs::read_to_string(folders[0].join("LICENSE-APACHE")).unwrap(), "text");
    }
}
