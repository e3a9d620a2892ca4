//! Texts for reports and errors: excerpts of lines, and errors with their causes.

/// Returns the first 160 bytes of a line as text, with an ellipsis if it is longer.
pub fn excerpt(line: &[u8]) -> String {
    let start = line.get(..EXCERPT).unwrap_or(line);
    let text = String::from_utf8_lossy(start);
    if start.len() < line.len() {
        format!("{}…", text.trim_end_matches('\u{fffd}'))
    } else {
        text.into_owned()
    }
}

/// Returns the text of an error and of its causes.
pub(crate) fn with_cause(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

const EXCERPT: usize = 160;
