//! Inline elements: emphasis, links, images, and escapes.

use reqwest::Url;

/// An open emphasis or link.
#[derive(Debug)]
pub(super) struct Inline {
    pub(super) kind: Kind,
    pub(super) opened: &'static str,
    pub(super) closing: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Strong,
    Emphasis,
    Struck,
    Raised,
    Lowered,
    Quoted,
    Link,
}

impl Inline {
    /// Returns the marks of an element; without Markdown, only those without which the text would have another meaning.
    pub(super) fn marks(name: &[u8], markdown: bool) -> Option<Self> {
        let (kind, mark) = match name {
            b"sup" => (Kind::Raised, "^"),
            b"sub" => (Kind::Lowered, "~"),
            b"q" => (Kind::Quoted, "\""),
            _ if !markdown => return None,
            b"b" | b"strong" => (Kind::Strong, "**"),
            b"i" | b"em" | b"cite" | b"dfn" | b"var" => (Kind::Emphasis, "*"),
            b"s" | b"del" | b"strike" => (Kind::Struck, "~~"),
            _ => return None,
        };
        Some(Self { kind, opened: mark, closing: mark.to_owned() })
    }

    pub(super) fn link(target: &str) -> Self {
        Self { kind: Kind::Link, opened: "[", closing: format!("]({target})") }
    }
}

/// Returns a link's target as an absolute URL; `None` for links within the page and invalid ones.
pub(super) fn target(base: &Url, href: &str) -> Option<String> {
    let href = href.trim();
    if href.is_empty() || href.starts_with('#') {
        return None;
    }
    let url = join(base, href)?;
    let shown = matches!(url.scheme(), "http" | "https" | "mailto" | "ftp" | "tel");
    shown.then(|| url.as_str().replace('(', "%28").replace(')', "%29"))
}

/// Returns the URL in the `content` of a refresh, such as `0; url=/next`.
pub(super) fn refresh(content: &str) -> Option<&str> {
    let separates = |c: char| c == ';' || c == ',' || c.is_ascii_whitespace();
    let (_seconds, rest) = content.trim_start().split_once(separates)?;
    let rest = rest.trim_start_matches(separates);
    let named = rest.split_once('=').filter(|(name, _)| name.trim_end().eq_ignore_ascii_case("url"));
    let url = named.map_or(rest, |(_, url)| url.trim_start());
    match url.chars().next()? {
        quote @ ('"' | '\'') => url[1..].split(quote).next(),
        _ => Some(url),
    }
}

/// Joins a URL to the page's base, unless one of them is long: otherwise a page could repeat a base of a million bytes
/// a hundred thousand times.
pub(super) fn join(base: &Url, href: &str) -> Option<Url> {
    if href.len() > MAX_URL || base.as_str().len() > MAX_URL {
        return None;
    }
    base.join(href).ok().filter(|url| url.as_str().len() <= MAX_URL)
}

/// Returns the text with each run of white space as one space, and none at the ends.
pub(super) fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.push_str(word);
    }
    folded
}

/// Escapes Markdown; `at_start` if the text starts a line.
pub(super) fn escape(text: &str, at_start: bool, in_cell: bool) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut before: Option<char> = None;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let inner = before.is_some_and(char::is_alphanumeric)
            && rest.peek().is_some_and(|next| next.is_alphanumeric());
        let marks = match c {
            '\\' | '`' | '*' | '[' | ']' | '<' => true,
            // Underscores inside a word need no escape.
            '_' => !inner,
            '|' => in_cell,
            '#' | '>' => at_start && before.is_none(),
            '-' | '+' | '=' => at_start && before.is_none() && rest.peek().is_none_or(|next| *next == c),
            '.' | ')' => {
                at_start
                    && rest.peek().is_none()
                    && text[..text.len() - 1].bytes().all(|b| b.is_ascii_digit())
                    && before.is_some()
            }
            _ => false,
        };
        if marks {
            escaped.push('\\');
        }
        escaped.push(c);
        before = Some(c);
    }
    escaped
}

/// Returns code in as many backticks as necessary.
pub(super) fn code(text: &str) -> String {
    let fence = "`".repeat(longest_run(text) + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// Returns a fence that is longer than any in the text.
pub(super) fn fence(text: &str) -> String {
    "`".repeat((longest_run(text) + 1).max(3))
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// Longer URLs are left out.
const MAX_URL: usize = 2_000;
