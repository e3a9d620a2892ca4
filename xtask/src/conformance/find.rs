//! Which files are played.

use std::path::{Path, PathBuf};

use super::File;
use crate::failure::Failure;
use crate::workspace;

/// The transcripts below these paths, or those of the repository. Finding none is a failure.
pub(super) fn transcripts(paths: &[PathBuf]) -> Result<Vec<File>, Failure> {
    let paths = if paths.is_empty() { vec![workspace::root()?.join(DEFAULT)] } else { paths.to_vec() };
    let mut files = Vec::new();
    for path in &paths {
        if path.is_dir() {
            files.extend(workspace::files(path, EXTENSIONS)?);
        } else if !path.exists() {
            return Err(Failure::new(format!("{} does not exist", path.display())));
        } else {
            files.push(path.clone());
        }
    }
    files.sort();
    files.dedup();
    if files.is_empty() {
        let places: Vec<_> = paths.iter().map(|path| path.display().to_string()).collect();
        return Err(Failure::new(format!("no transcript in {}", places.join(", "))));
    }
    Ok(files.into_iter().map(|path| File { name: name(&path), path }).collect())
}

/// The path as it is, but short where it lies in the repository.
fn name(path: &Path) -> String {
    let root = workspace::root().ok();
    let inside = root.as_deref().and_then(|root| path.strip_prefix(root).ok());
    inside.unwrap_or(path).display().to_string()
}

const DEFAULT: &str = "fixtures/sessions";
const EXTENSIONS: &[&str] = &["transcript", "jsonl"];
