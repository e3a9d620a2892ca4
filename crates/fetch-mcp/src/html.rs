//! HTML to Markdown or plain text, in one pass over the tokens of the standard's own tokenizer.
//!
//! There is no tree: the memory is that of the text, and the time is linear in it, whatever the page looks like.

mod convert;
mod inline;
mod table;
mod writer;

use reqwest::Url;
use rmcp::schemars;

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
pub(crate) fn convert(page: &str, base: &Url, format: Format, limit: usize) -> Converted {
    convert::Converter::new(page, base, format, limit).run(page)
}

#[cfg(test)]
mod tests;
