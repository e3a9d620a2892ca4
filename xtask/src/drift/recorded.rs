//! Compares the recordings with our types.

use std::path::Path;

use agentwire_cli::drift;

use super::Findings;
use crate::failure::Failure;
use crate::workspace;

/// Compares every line of every transcript. Finding no transcript is a failure.
pub(super) fn compare(root: &Path, findings: &mut Findings) -> Result<(), Failure> {
    let files = workspace::files(&root.join("fixtures/sessions"), &["transcript"])?;
    if files.is_empty() {
        return Err(Failure::new("there is no recording to compare with"));
    }
    for file in &files {
        let place = file.strip_prefix(root).unwrap_or(file).display().to_string();
        drift::compare(file, &place, findings)?;
    }
    Ok(())
}
