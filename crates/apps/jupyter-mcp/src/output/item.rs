//! A piece of the output.

use super::bundle::Part;

#[derive(Debug)]
pub(super) enum Item {
    /// Printed text; `stream` distinguishes stdout and stderr.
    Printed { stream: usize, text: String },
    /// A displayed value, with an id if it may be updated.
    Shown { id: Option<String>, parts: Vec<Part> },
}

impl Item {
    pub(super) fn chars(&self) -> usize {
        match self {
            Self::Printed { text, .. } => text.chars().count(),
            Self::Shown { parts, .. } => parts.iter().map(Part::chars).sum(),
        }
    }

    pub(super) fn is_called(&self, name: &str) -> bool {
        matches!(self, Self::Shown { id: Some(id), .. } if id == name)
    }
}

/// Returns the end of the first `chars` characters.
pub(super) fn end_of(text: &str, chars: usize) -> usize {
    text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at)
}

/// Shortens a text to about `most` characters by removing its middle.
pub(super) fn without_middle(text: String, most: usize) -> String {
    let chars = text.chars().count();
    if chars <= most {
        return text;
    }
    // Leaves room for the note about the middle.
    let kept = most.saturating_sub(NOTE) / 2;
    let (start, end) = (end_of(&text, kept), end_of(&text, chars - kept));
    format!("{}\n[… {} characters left out …]\n{}", &text[..start], chars - 2 * kept, &text[end..])
}

const NOTE: usize = 50;
