//! Emphasis, links, pictures and code.

use super::{Converter, Verbatim};
use crate::html::inline::{self, Inline, Kind};
use crate::html::token::Tag;

impl Converter {
    pub(super) fn start_marks(&mut self, name: &[u8]) {
        if let Some(inline) = Inline::marks(name, self.markdown).filter(|_| self.verbatim.is_none()) {
            self.open(inline);
        }
    }

    pub(super) fn start_link(&mut self, tag: &Tag) {
        self.close(Kind::Link);
        if !self.markdown || self.verbatim.is_some() {
            return;
        }
        if let Some(target) = tag.attribute("href").and_then(|href| inline::target(&self.base, href)) {
            self.open(Inline::link(&target));
        }
    }

    pub(super) fn open(&mut self, inline: Inline) {
        let nests = matches!(inline.kind, Kind::Raised | Kind::Lowered | Kind::Quoted);
        let again = !nests && self.inlines.iter().any(|open| open.kind == inline.kind);
        if !again && self.inlines.len() < MAX_INLINES {
            self.out.open(inline.opened);
            self.inlines.push(inline);
        }
    }

    /// Closes the open element of this kind, and those inside it.
    pub(super) fn close(&mut self, kind: Kind) {
        if let Some(at) = self.inlines.iter().rposition(|open| open.kind == kind) {
            self.close_above(at);
        }
    }

    pub(super) fn close_above(&mut self, depth: usize) {
        while self.inlines.len() > depth {
            if let Some(inline) = self.inlines.pop() {
                self.out.close(inline.opened, &inline.closing);
            }
        }
    }

    pub(super) fn picture(&mut self, tag: &Tag) {
        if self.verbatim.is_some() {
            return;
        }
        let alt = inline::fold(tag.attribute("alt").unwrap_or_default());
        let source = tag.attribute("src").and_then(|src| inline::target(&self.base, src));
        match source {
            Some(source) if self.markdown => {
                let alt = inline::escape(&alt, false, self.in_cell());
                self.out.word(&format!("![{alt}]({source})"));
            }
            _ => self.words(&alt),
        }
    }

    pub(super) fn start_pre(&mut self, tag: &Tag) {
        self.block(2);
        if self.verbatim.is_none() {
            self.verbatim = Some(Verbatim { is_block: true, language: language(tag), text: String::new() });
        }
    }

    pub(super) fn start_code(&mut self, tag: &Tag) {
        match &mut self.verbatim {
            Some(open) if open.language.is_empty() => open.language = language(tag),
            Some(_) => {}
            None => {
                self.verbatim =
                    Some(Verbatim { is_block: false, language: String::new(), text: String::new() });
            }
        }
    }

    pub(super) fn end_verbatim(&mut self) {
        let Some(Verbatim { is_block, language, text }) = self.verbatim.take() else { return };
        if is_block && !self.in_cell() && !self.in_link() {
            let text = text.strip_prefix('\n').unwrap_or(&text).trim_end();
            if self.markdown {
                let fence = inline::fence(text);
                let first = format!("{fence}{language}");
                self.out.lines(std::iter::once(first.as_str()).chain(text.split('\n')));
                self.out.next_line(&fence);
            } else {
                self.out.lines(text.split('\n'));
            }
            self.out.break_line(2);
            return;
        }
        // Keeps the spaces around the code.
        if text.starts_with(|c: char| c.is_ascii_whitespace()) {
            self.out.space();
        }
        let folded = inline::fold(&text);
        if !folded.is_empty() {
            let code = if self.markdown { inline::code(&folded) } else { folded };
            self.out.word(&if self.in_cell() && self.markdown { code.replace('|', "\\|") } else { code });
        }
        if text.ends_with(|c: char| c.is_ascii_whitespace()) {
            self.out.space();
        }
    }
}

/// Returns the language of code from the classes that highlighters use.
fn language(tag: &Tag) -> String {
    let classes = tag.attribute("class").unwrap_or_default();
    let named = classes.split_ascii_whitespace().find_map(|class| {
        class
            .strip_prefix("language-")
            .or_else(|| class.strip_prefix("lang-"))
            .or_else(|| class.strip_prefix("highlight-source-"))
    });
    let plain = |name: &&str| {
        name.len() < 32 && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"+#-_.".contains(&b))
    };
    named.filter(plain).unwrap_or_default().to_owned()
}

const MAX_INLINES: usize = 16;
