//! The recorded sessions: all that the real CLI wrote in them.

use std::{
    error::Error,
    fs,
    path::{Path, PathBuf},
};

use agentwire_testkit::Transcript;

/// The lines of the CLI in all recordings of all versions, in the order of their paths.
///
/// # Errors
///
/// When a recording can't be read.
pub fn inbound() -> Result<Vec<u8>, Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/sessions");
    let mut paths = Vec::new();
    for version in fs::read_dir(folder)? {
        paths.extend(transcripts(&version?.path())?);
    }
    paths.sort();
    let mut bytes = Vec::new();
    for path in paths {
        for line in Transcript::parse(fs::read(path)?)?.inbound() {
            bytes.extend_from_slice(line);
            bytes.push(b'\n');
        }
    }
    Ok(bytes)
}

fn transcripts(version: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(version)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "transcript") {
            paths.push(path);
        }
    }
    Ok(paths)
}
