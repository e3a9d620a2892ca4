//! Fenced code blocks, as Markdown has them.

use std::ops::Range;

use super::line_length;

/// A fenced block.
pub(super) struct Fence {
    /// What is in it.
    pub(super) content: Range<usize>,
    /// Its length, with its fences.
    pub(super) length: usize,
}

/// The block that the first line opens, be it behind markers of lists and quotes; one that is never closed goes on to
/// the end, or to the end of the quote.
pub(super) fn opened(text: &str) -> Option<Fence> {
    let start = line_length(text);
    let (line, is_quoted) = unmarked(&text[..start]);
    let first = line.chars().next().filter(|char| matches!(char, '`' | '~'))?;
    let ticks = run(line, first);
    // Backticks behind backticks make it code within a line.
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

/// A line without the markers of lists and quotes before it, and whether one of a quote is among them.
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
