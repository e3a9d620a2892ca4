//! Fenced code blocks of Markdown.

use std::ops::Range;

use super::line_length;

/// A fenced block.
pub(super) struct Fence {
    /// The range of its content.
    pub(super) content: Range<usize>,
    /// Its length with the fences.
    pub(super) length: usize,
}

/// Returns the block that the first line opens, even after markers of lists and quotes. An unclosed block reaches to
/// the end of the text or quote.
pub(super) fn opened(text: &str) -> Option<Fence> {
    let start = line_length(text);
    let (line, is_quoted) = unmarked(&text[..start]);
    let first = line.chars().next().filter(|char| matches!(char, '`' | '~'))?;
    let ticks = run(line, first);
    // A backtick after the opening backticks makes it inline code.
    if ticks < 3 || (first == '`' && line[ticks..].contains('`')) {
        return None;
    }
    let mut at = start;
    while at < text.len() {
        let line = &text[at..at + line_length(&text[at..])];
        let mut mark = line.trim();
        if is_quoted {
            if !mark.starts_with('>') {
                return Some(Fence { content: start..at, length: at });
            }
            mark = mark.trim_start_matches(['>', ' ', '\t']);
        }
        if run(mark, first) >= ticks && run(mark, first) == mark.len() {
            return Some(Fence { content: start..at, length: at + line.len() });
        }
        at += line.len();
    }
    Some(Fence { content: start..text.len(), length: text.len() })
}

/// Returns a line without the markers of lists and quotes, and whether it is in a quote.
fn unmarked(line: &str) -> (&str, bool) {
    let mut rest = line.trim_start();
    let mut is_quoted = false;
    loop {
        if let Some(quoted) = rest.strip_prefix('>') {
            is_quoted = true;
            rest = quoted.trim_start();
            continue;
        }
        let digits = rest.trim_start_matches(|char: char| char.is_ascii_digit());
        let marker: &[char] = if digits.len() < rest.len() { &['.', ')'] } else { &['-', '*', '+'] };
        match digits.strip_prefix(marker) {
            Some(item) if item.starts_with([' ', '\t']) => rest = item.trim_start(),
            _ => return (rest, is_quoted),
        }
    }
}

fn run(text: &str, char: char) -> usize {
    text.len() - text.trim_start_matches(char).len()
}
