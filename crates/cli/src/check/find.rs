//! Finds transcripts below paths.

use std::fs;
use std::path::{Path, PathBuf};

use super::File;
use crate::failure::{Failure, While as _};

/// Returns the transcripts below these paths. Finding none is a failure.
pub(crate) fn transcripts(paths: &[PathBuf]) -> Result<Vec<File>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            find(path, &mut files)?;
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

fn find(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    for entry in fs::read_dir(folder).while_doing(|| format!("listing {}", folder.display()))? {
        let entry = entry?;
        let path = entry.path();
        // A link may lead back to this folder.
        if entry.file_type()?.is_dir() {
            find(&path, files)?;
        } else if path.extension().is_some_and(|found| EXTENSIONS.iter().any(|extension| found == *extension))
        {
            files.push(path);
        }
    }
    Ok(())
}

/// Returns the path, relative to the current folder if it is below it.
fn name(path: &Path) -> String {
    let here = std::env::current_dir().ok();
    let inside = here.as_deref().and_then(|here| path.strip_prefix(here).ok());
    inside.unwrap_or(path).display().to_string()
}

const EXTENSIONS: &[&str] = &["transcript", "jsonl"];
