//! Converts HTML to Markdown or plain text, in one pass over the tokens of a standard tokenizer.
//!
//! There is no tree, and the nesting depth is bounded: time is linear in the length of the page, and memory is bounded by
//! the page and the limited text.

mod convert;
mod inline;
mod table;
mod token;
mod writer;

use reqwest::Url;
use rmcp::schemars;

use crate::deadline::Deadline;

/// The output format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Format {
    /// Headings, lists, tables, links and emphasis as Markdown.
    #[default]
    Markdown,
    /// The text alone, without links.
    Text,
}

/// A converted page.
#[derive(Debug)]
pub(crate) struct Converted {
    pub(crate) text: String,
    pub(crate) title: Option<String>,
    /// The target of the first `<meta http-equiv="refresh">`.
    pub(crate) refresh: Option<String>,
    /// Whether the text was cut at the limit.
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

/// Returns the target of a `Refresh` header as an absolute URL.
pub(crate) fn refresh(header: &str, base: &Url) -> Option<String> {
    inline::target(base, inline::refresh(header)?)
}

/// Escapes the CDATA sections of XHTML: HTML reads them as comments.
pub(crate) fn escape_cdata(page: &str) -> String {
    let (mut escaped, mut rest) = (String::new(), page);
    while let Some((before, section)) = rest.split_once("<![CDATA[") {
        let (data, after) = section.split_once("]]>").unwrap_or((section, ""));
        escaped.push_str(before);
        escaped.push_str(&data.replace('&', "&amp;").replace('<', "&lt;"));
        rest = after;
    }
    escaped.push_str(rest);
    escaped
}

/// The maximum tracked nesting of lists, and of tables; deeper ones count as part of the innermost tracked one.
const MAX_OPEN: usize = 64;

#[cfg(test)]
mod tests;
