//! The folder of this workspace.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::{Failure, While as _};

/// Returns the root of the workspace: the nearest folder upwards whose manifest has a `[workspace]`.
///
/// The search happens at run time, so that no path of a machine is compiled in.
pub(crate) fn root() -> Result<PathBuf, Failure> {
    let here = env::current_dir()?;
    let is_root = |folder: &&Path| {
        fs::read_to_string(folder.join("Cargo.toml")).is_ok_and(|text| text.contains("[workspace]"))
    };
    let root = here.ancestors().find(is_root).map(Path::to_path_buf);
    root.ok_or_else(|| Failure::new("run this inside the workspace"))
}

/// Returns the files below a folder that have one of these extensions, or all, in order.
pub(crate) fn files(folder: &Path, extensions: &[&str]) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).while_doing(|| format!("listing {}", folder.display()))? {
        let path = entry?.path();
        let is_one = |extension: &&str| path.extension().is_some_and(|found| found == *extension);
        if path.is_dir() {
            found.extend(files(&path, extensions)?);
        } else if extensions.is_empty() || extensions.iter().any(is_one) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
