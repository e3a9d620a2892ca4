//! The entry point of the fuzz target for pages.

use std::time::Duration;

use reqwest::Url;

use crate::deadline::Deadline;
use crate::html::{self, Format};

/// Converts a page to Markdown or to plain text, which ends soon after `limit` bytes; `None` if that takes a minute.
pub fn convert(page: &str, is_markdown: bool, limit: usize) -> Option<String> {
    let base = Url::parse("https://example.org/a/b").ok()?;
    let (_caller, deadline) = Deadline::after(Duration::from_secs(60));
    let format = if is_markdown { Format::Markdown } else { Format::Text };
    html::convert(page, &base, format, limit, deadline).map(|converted| converted.text)
}
