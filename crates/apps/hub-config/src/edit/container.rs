//! Adds and removes members of an object or array in the style of the text.

use std::ops::Range;

use jsonc_parser::common::Range as Span;
use jsonc_parser::tokens::Token;

use super::document::Document;
use super::entry::{Json, quoted};
use super::splice::Splice;

/// An object or an array.
pub(super) struct Container<'d> {
    document: &'d Document<'d>,
    /// The range between the brackets.
    inside: Range<usize>,
    items: Vec<Item>,
}

/// A member, and the comma after it.
struct Item {
    range: Range<usize>,
    comma: Option<Range<usize>>,
}

impl<'d> Container<'d> {
    pub(super) fn new(document: &'d Document<'d>, range: Span, items: impl Iterator<Item = Span>) -> Self {
        let items = items.map(|Span { start, end }| Item { range: start..end, comma: comma(document, end) });
        Self { document, inside: range.start + 1..range.end - 1, items: items.collect() }
    }

    /// Adds a member after the others: on its own line if the last member has one.
    pub(super) fn append(&self, key: Option<&str>, value: &Json) -> Vec<Splice> {
        match self.items.last() {
            None => vec![self.first(key, value)],
            Some(last) if begins_line(self.text(), last.range.start) => self.next_line(last, key, value),
            Some(last) => vec![self.same_line(last, key, value)],
        }
    }

    /// Removes a member, and its line if nothing else is on it. Comments beside it stay.
    pub(super) fn remove(&self, index: usize) -> Vec<Splice> {
        let item = &self.items[index];
        let mut splices = Vec::new();
        let mut gone = item.range.clone();
        match &item.comma {
            Some(comma) if self.is_blank(item.range.end..comma.start) => gone.end = comma.end,
            Some(comma) => splices.push(Splice::delete(comma.clone())),
            // The comma of the last member is the one before it.
            None => {
                if let Some(comma) = index.checked_sub(1).and_then(|before| self.items[before].comma.as_ref())
                {
                    if self.is_blank(comma.end..item.range.start)
                        && !self.has_break(comma.end..item.range.start)
                    {
                        gone.start = comma.start;
                    } else {
                        splices.push(Splice::delete(comma.clone()));
                    }
                }
            }
        }
        splices.push(Splice::delete(self.with_space(gone)));
        splices
    }

    /// Adds a line after the last member and the comments beside it.
    fn next_line(&self, last: &Item, key: Option<&str>, value: &Json) -> Vec<Splice> {
        let style = Style::of(self.document);
        let indent = indent(self.text(), last.range.start);
        let value = value.lines(indent, &style.unit, style.end_of_line);
        let added = format!("{}{indent}{}", style.end_of_line, style.member(key, &value));
        match &last.comma {
            Some(comma) => vec![Splice::insert(self.behind_comments(comma.end), format!("{added},"))],
            None => {
                let end = last.range.end;
                vec![Splice::insert(end, ","), Splice::insert(self.behind_comments(end), added)]
            }
        }
    }

    fn same_line(&self, last: &Item, key: Option<&str>, value: &Json) -> Splice {
        let style = Style::of(self.document);
        let added = style.member(key, &value.inline(style.spaced));
        let space = if style.spaced { " " } else { "" };
        match &last.comma {
            Some(comma) => Splice::insert(comma.end, format!("{space}{added},")),
            None => Splice::insert(last.range.end, format!(",{space}{added}")),
        }
    }

    /// Adds the first member to a container that is empty except for comments.
    fn first(&self, key: Option<&str>, value: &Json) -> Splice {
        let style = Style::of(self.document);
        let text = &self.text()[self.inside.clone()];
        let outer = line_indent(self.text(), self.inside.start);
        let inner = format!("{outer}{}", style.unit);
        let in_lines = text.contains(BREAKS) || key.is_some() && style.in_lines;
        let value = if in_lines {
            value.lines(&inner, &style.unit, style.end_of_line)
        } else {
            value.inline(style.spaced)
        };
        let added = style.member(key, &value);
        let comment = self.document.tokens_from(self.inside.start).iter().map(|token| token.range.end);
        match comment.take_while(|end| *end <= self.inside.end).last() {
            Some(end) if self.has_break(end..self.inside.end) => {
                Splice::insert(end, format!("{}{inner}{added}", style.end_of_line))
            }
            Some(end) => Splice::insert(end, format!(" {added}")),
            None if in_lines => {
                let with = format!("{0}{inner}{added}{0}{outer}", style.end_of_line);
                Splice { range: self.inside.clone(), with }
            }
            None => Splice { range: self.inside.clone(), with: format!("{text}{added}{text}") },
        }
    }

    /// Extends a range by the white space that would be left over.
    fn with_space(&self, range: Range<usize>) -> Range<usize> {
        let text = self.text();
        let start = text[..range.start].trim_end_matches(BLANKS).len();
        let end = text.len() - text[range.end..].trim_start_matches(BLANKS).len();
        let (first, last) = (text[..start].ends_with(BREAKS), text[end..].starts_with(BREAKS));
        match (first, last) {
            // Nothing else is on the line: the whole line with its end.
            (true, true) => start..end + if text[end..].starts_with("\r\n") { 2 } else { 1 },
            (false, true) => start..range.end,
            (false, false) if text[end..].starts_with([']', '}']) => start..range.end,
            _ if text[range.clone()].ends_with(',') => range.start..end,
            _ => range,
        }
    }

    /// Returns the end of the comments that begin on the same line.
    fn behind_comments(&self, mut at: usize) -> usize {
        for token in self.document.tokens_from(at) {
            let is_comment = matches!(token.token, Token::CommentLine(_) | Token::CommentBlock(_));
            if !is_comment || self.has_break(at..token.range.start) {
                break;
            }
            at = token.range.end;
        }
        at
    }

    fn is_blank(&self, range: Range<usize>) -> bool {
        self.text()[range].trim().is_empty()
    }

    fn has_break(&self, range: Range<usize>) -> bool {
        self.text()[range].contains(BREAKS)
    }

    fn text(&self) -> &'d str {
        self.document.text
    }
}

/// The layout of a text.
pub(super) struct Style {
    /// The indentation of one level.
    pub(super) unit: String,
    pub(super) end_of_line: &'static str,
    /// Whether the text has several lines.
    in_lines: bool,
    /// Whether a space follows colons.
    spaced: bool,
}

impl Style {
    pub(super) fn of(document: &Document<'_>) -> Self {
        let text = document.text;
        let end_of_line = match text.find(BREAKS) {
            Some(at) if text[at..].starts_with("\r\n") => "\r\n",
            Some(at) if text[at..].starts_with('\r') => "\r",
            _ => "\n",
        };
        let mut tokens = document.tokens().iter();
        let colon = tokens.find(|token| token.token == Token::Colon);
        Self {
            unit: unit(document).unwrap_or("  ").into(),
            end_of_line,
            in_lines: colon.is_none() || text.trim().contains(BREAKS),
            spaced: colon.is_none_or(|colon| text[colon.range.end..].starts_with(char::is_whitespace)),
        }
    }

    fn member(&self, key: Option<&str>, value: &str) -> String {
        let colon = if self.spaced { ": " } else { ":" };
        key.map_or_else(|| value.to_owned(), |key| format!("{}{colon}{value}", quoted(key)))
    }
}

/// Returns the additional indentation after the first opening bracket with its content on further lines.
fn unit<'t>(document: &Document<'t>) -> Option<&'t str> {
    let text = document.text;
    let mut tokens = document.tokens().windows(2);
    tokens.find_map(|pair| {
        let [open, next] = pair else { return None };
        let opens = matches!(open.token, Token::OpenBrace | Token::OpenBracket);
        let begins = begins_line(text, next.range.start);
        let closes = matches!(next.token, Token::CloseBrace | Token::CloseBracket);
        if !opens || closes || !begins {
            return None;
        }
        let more = indent(text, next.range.start).strip_prefix(line_indent(text, open.range.start))?;
        (!more.is_empty()).then_some(more)
    })
}

fn comma(document: &Document<'_>, behind: usize) -> Option<Range<usize>> {
    let mut tokens = document.tokens_from(behind).iter();
    let next = tokens.find(|token| !matches!(token.token, Token::CommentLine(_) | Token::CommentBlock(_)))?;
    (next.token == Token::Comma).then_some(next.range.start..next.range.end)
}

/// Returns whether only blanks precede this place on its line.
fn begins_line(text: &str, at: usize) -> bool {
    text[..at].trim_end_matches(BLANKS).ends_with(BREAKS)
}

/// Returns the blanks before a place that begins its line.
fn indent(text: &str, at: usize) -> &str {
    &text[text[..at].trim_end_matches(BLANKS).len()..at]
}

/// Returns the blanks at the start of the line of a place.
fn line_indent(text: &str, at: usize) -> &str {
    let start = text[..at].rfind(BREAKS).map_or(0, |end| end + 1);
    let line = &text[start..at];
    &line[..line.len() - line.trim_start_matches(BLANKS).len()]
}

const BLANKS: [char; 2] = [' ', '\t'];
const BREAKS: [char; 2] = ['\n', '\r'];
