//! Joins pieces to content blocks.

use rmcp::model::ContentBlock;

use super::bundle::Part;
use super::item::Item;

#[derive(Debug, Default)]
pub(super) struct Content {
    blocks: Vec<ContentBlock>,
    text: String,
}

impl Content {
    pub(super) fn add(&mut self, item: Item) {
        match item {
            Item::Printed { text, .. } => self.text.push_str(&text),
            Item::Shown { parts, .. } => parts.into_iter().for_each(|part| self.part(part)),
        }
    }

    /// Adds text on lines of its own.
    pub(super) fn paragraph(&mut self, text: &str) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        self.text.push_str(text);
        self.text.push('\n');
    }

    pub(super) fn finish(mut self) -> Vec<ContentBlock> {
        self.end_text();
        self.blocks
    }

    fn part(&mut self, part: Part) {
        match part {
            Part::Text(text) => self.paragraph(&text),
            Part::Image { mime, data } => {
                self.end_text();
                self.blocks.push(ContentBlock::image(data, mime));
            }
        }
    }

    fn end_text(&mut self) {
        let text = std::mem::take(&mut self.text);
        let text = text.trim_end();
        if !text.is_empty() {
            self.blocks.push(ContentBlock::text(text));
        }
    }
}
