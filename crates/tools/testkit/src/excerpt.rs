//! Excerpts of lines for reports and errors.

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

const EXCERPT: usize = 160;
