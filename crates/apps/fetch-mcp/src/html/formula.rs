//! The text of a formula: its TeX, or else its elements.

use super::inline::fold;
use super::token::Tag;

/// An open `<math>`.
#[derive(Debug, Default)]
pub(super) struct Formula {
    /// The TeX that the page gives for the formula.
    tex: String,
    /// The elements as calls: `msup(10 6)`.
    elements: String,
    part: Part,
}

/// The part of a formula that contains the current text.
#[derive(Debug, Default, PartialEq, Eq)]
enum Part {
    #[default]
    Elements,
    Tex,
    /// An annotation in another language.
    Other,
}

impl Formula {
    pub(super) fn new(math: &Tag) -> Self {
        Self { tex: math.attribute("alttext").unwrap_or_default().to_owned(), ..Self::default() }
    }

    pub(super) fn start(&mut self, tag: &Tag) {
        if tag.self_closing {
            return;
        }
        if tag.name.starts_with(ANNOTATION) {
            let is_tex = tag.attribute("encoding") == Some("application/x-tex");
            self.part = if is_tex && self.tex.is_empty() { Part::Tex } else { Part::Other };
        } else if self.part == Part::Elements {
            if !self.elements.is_empty() && !self.elements.ends_with(['(', ' ']) {
                self.elements.push(' ');
            }
            if let Some(name) = call(&tag.name) {
                self.elements.push_str(name);
                self.elements.push('(');
            }
        }
    }

    pub(super) fn end(&mut self, name: &[u8]) {
        if name.starts_with(ANNOTATION) {
            self.part = Part::Elements;
        } else if self.part == Part::Elements && call(name).is_some() {
            self.elements.truncate(self.elements.trim_end().len());
            self.elements.push(')');
        }
    }

    pub(super) fn text(&mut self, text: &str) {
        match self.part {
            Part::Elements if self.elements.ends_with('(') => self.elements.push_str(text.trim_start()),
            Part::Elements => self.elements.push_str(text),
            Part::Tex => self.tex.push_str(text),
            Part::Other => {}
        }
    }

    pub(super) fn into_text(self) -> String {
        let tex = fold(&self.tex);
        if tex.is_empty() { fold(&self.elements) } else { tex }
    }
}

/// Returns the name under which an element is shown; `None` for one whose content alone has the same meaning.
fn call(name: &[u8]) -> Option<&'static str> {
    if name == b"mrow" { Some("") } else { CALLS.into_iter().find(|call| call.as_bytes() == name) }
}

/// The start of the names `annotation` and `annotation-xml`.
const ANNOTATION: &[u8] = b"annotation";

/// Elements whose parts have a meaning by their place.
const CALLS: [&str; 14] = [
    "mfenced",
    "mfrac",
    "mmultiscripts",
    "mover",
    "mroot",
    "msqrt",
    "msub",
    "msubsup",
    "msup",
    "mtable",
    "mtd",
    "mtr",
    "munder",
    "munderover",
];
