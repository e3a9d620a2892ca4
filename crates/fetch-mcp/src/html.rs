//! HTML to Markdown or plain text, in one pass over the tokens of the standard's own tokenizer.
//!
//! There is no tree, and what is open is kept to a fixed depth: for any page the time is linear in its length, and the
//! memory is that of the page and of the text, which ends at its limit.

mod convert;
mod inline;
mod table;
mod token;
mod writer;

use reqwest::Url;
use rmcp::schemars;

use crate::deadline::Deadline;

/// How HTML is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Format {
    /// Headings, lists, tables, links and emphasis as Markdown.
    #[default]
    Markdown,
    /// The text alone, without links.
    Text,
}

/// A page as text.
#[derive(Debug)]
pub(crate) struct Converted {
    pub(crate) text: String,
    pub(crate) title: Option<String>,
    /// Whether the limit was reached, and the rest is missing.
    pub(crate) cut: bool,
}

/// Converts a page; links become absolute by `base`, and the text ends soon after `limit` bytes.
///
/// Returns `None` if the deadline is over before the end of the page.
pub(crate) fn convert(
    page: &str,
    base: &Url,
    format: Format,
    limit: usize,
    mut deadline: Deadline,
) -> Option<Converted> {
    let tables = table::kinds(page, &mut deadline)?;
    convert::Converter::new(tables, base, format, limit, deadline).run(page)
}

/// The most lists, or tables, within one another whose place is remembered; those within them count as part of the last.
const MAX_OPEN: usize = 64;

#[cfg(test)]
mod tests;
