//! Collects the output of a call, in order and bounded, as the content of a result.
//!
//! At most half of the limit keeps the start of the output, and the rest its end: together they are more useful than
//! either alone.

mod bundle;
mod content;
mod item;
mod plain;
mod table;

use std::collections::VecDeque;

use jupyter_protocol::Media;
use rmcp::model::ContentBlock;

use self::bundle::{Part, parts};
use self::content::Content;
use self::item::{Item, end_of, without_middle};
use self::plain::Plain;

pub(crate) use self::plain::plain;

/// The output of one call.
#[derive(Debug)]
pub(crate) struct Output {
    head: Vec<Item>,
    tail: VecDeque<Item>,
    head_chars: usize,
    tail_chars: usize,
    half: usize,
    /// The output that was dropped between head and tail.
    left_out: LeftOut,
    images: usize,
    image_bytes: usize,
    max_image_bytes: usize,
    streams: [Plain; 2],
    /// Whether the next output clears the previous output.
    clearing: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct LeftOut {
    chars: usize,
    images: usize,
}

impl Output {
    pub(crate) fn new(max_chars: usize, max_image_bytes: usize) -> Self {
        Self {
            head: Vec::new(),
            tail: VecDeque::new(),
            head_chars: 0,
            tail_chars: 0,
            half: max_chars / 2,
            left_out: LeftOut::default(),
            images: 0,
            image_bytes: 0,
            max_image_bytes,
            streams: [Plain::default(), Plain::default()],
            clearing: false,
        }
    }

    /// Adds printed text; returns it as a reader sees it.
    pub(crate) fn print(&mut self, stream: usize, text: &str) -> String {
        self.clear_if_due();
        let stream = stream.min(1);
        let mut seen = String::new();
        for piece in self.streams[stream].pieces(text) {
            if piece.overwrites {
                self.start_line_again(stream);
                seen.truncate(seen.rfind('\n').map_or(0, |at| at + 1));
            }
            self.push_text(stream, &piece.text);
            seen.push_str(&piece.text);
        }
        seen
    }

    /// Adds a displayed value.
    pub(crate) fn show(&mut self, id: Option<String>, media: &Media) {
        self.clear_if_due();
        self.push_shown(id, parts(media));
    }

    /// Replaces the value displayed under this id, or adds it.
    pub(crate) fn update(&mut self, id: &str, media: &Media) {
        self.clear_if_due();
        let in_head = self.head.iter_mut().rfind(|item| item.is_called(id));
        let (place, chars) = match in_head {
            Some(item) => (Some(item), &mut self.head_chars),
            None => (self.tail.iter_mut().rfind(|item| item.is_called(id)), &mut self.tail_chars),
        };
        let Some(Item::Shown { parts: shown, .. }) = place else {
            return self.push_shown(Some(id.to_owned()), parts(media));
        };
        let before = std::mem::take(shown);
        *chars -= before.iter().map(Part::chars).sum::<usize>();
        self.release(&before);
        let after = self.admit(parts(media));
        self.put_back(id, after);
    }

    /// Adds a message of the server or the kernel, such as a traceback.
    pub(crate) fn say(&mut self, text: &str) {
        self.clear_if_due();
        self.push_shown(None, vec![Part::Text(text.to_owned())]);
    }

    /// Clears the output, now or before the next output.
    pub(crate) fn clear(&mut self, wait: bool) {
        self.clearing = true;
        if !wait {
            self.clear_if_due();
        }
    }

    /// Returns the content of a result with these notes at the end; adjacent texts are joined.
    pub(crate) fn into_content(mut self, notes: &[String]) -> Vec<ContentBlock> {
        self.trim_to(self.tail_room(), MAX_ITEMS);
        let mut content = Content::default();
        self.head.into_iter().for_each(|item| content.add(item));
        let LeftOut { chars, images } = self.left_out;
        match (chars, images) {
            (0, 0) => {}
            (chars, 0) => content.paragraph(&format!("[… {chars} characters left out …]")),
            (chars, images) => {
                content.paragraph(&format!("[… {chars} characters and {images} images left out …]"));
            }
        }
        self.tail.into_iter().for_each(|item| content.add(item));
        notes.iter().for_each(|note| content.paragraph(note));
        content.finish()
    }

    fn clear_if_due(&mut self) {
        if std::mem::take(&mut self.clearing) {
            self.head.clear();
            self.tail.clear();
            (self.head_chars, self.tail_chars) = (0, 0);
            (self.images, self.image_bytes) = (0, 0);
            self.left_out = LeftOut::default();
        }
    }

    fn push_shown(&mut self, id: Option<String>, parts: Vec<Part>) {
        if parts.is_empty() && id.is_none() {
            return;
        }
        let item = Item::Shown { id, parts: self.admit(parts) };
        let chars = item.chars();
        if self.tail.is_empty() && self.head_chars + chars <= self.half && self.head.len() < MAX_ITEMS {
            self.head_chars += chars;
            self.head.push(item);
        } else {
            self.tail_chars += chars;
            self.tail.push_back(item);
            self.trim();
        }
    }

    /// Fills the place of an updated value; text that does not fit the head goes to the tail.
    fn put_back(&mut self, id: &str, after: Vec<Part>) {
        let chars: usize = after.iter().map(Part::chars).sum();
        if let Some(Item::Shown { parts, .. }) = self.head.iter_mut().rfind(|item| item.is_called(id)) {
            *parts = after;
            self.head_chars += chars;
        } else if let Some(Item::Shown { parts, .. }) = self.tail.iter_mut().rfind(|item| item.is_called(id))
        {
            *parts = after;
            self.tail_chars += chars;
        }
        while self.head_chars > self.half
            && let Some(last) = self.head.pop()
        {
            self.head_chars -= last.chars();
            self.tail_chars += last.chars();
            self.tail.push_front(last);
        }
        self.trim();
    }

    /// Limits the parts: long texts lose their middle, and images are included while they fit.
    fn admit(&mut self, parts: Vec<Part>) -> Vec<Part> {
        let admitted = parts.into_iter().map(|part| match part {
            Part::Text(text) => Part::Text(without_middle(text, self.half)),
            Part::Image { mime, data } => {
                if self.images < MAX_IMAGES && self.image_bytes + data.len() <= self.max_image_bytes {
                    self.images += 1;
                    self.image_bytes += data.len();
                    Part::Image { mime, data }
                } else {
                    let bytes = data.len() / 4 * 3;
                    Part::Text(format!(
                        "[An image ({mime}, {bytes} bytes) was left out: there is no room for it.]"
                    ))
                }
            }
        });
        admitted.collect()
    }

    /// Releases the space of removed images; returns their number.
    fn release(&mut self, parts: &[Part]) -> usize {
        let images = parts.iter().filter_map(Part::image_bytes);
        let (count, bytes) = images.fold((0, 0), |(count, sum), bytes| (count + 1, sum + bytes));
        self.images -= count;
        self.image_bytes -= bytes;
        count
    }

    fn push_text(&mut self, stream: usize, text: &str) {
        let mut rest = text;
        if self.tail.is_empty() && self.head.len() < MAX_ITEMS {
            let fits = end_of(rest, self.half.saturating_sub(self.head_chars));
            let (first, second) = rest.split_at(fits);
            self.head_chars += first.chars().count();
            match self.head.last_mut() {
                Some(Item::Printed { stream: same, text }) if *same == stream => text.push_str(first),
                _ if first.is_empty() => {}
                _ => self.head.push(Item::Printed { stream, text: first.to_owned() }),
            }
            rest = second;
        }
        if !rest.is_empty() {
            self.tail_chars += rest.chars().count();
            match self.tail.back_mut() {
                Some(Item::Printed { stream: same, text }) if *same == stream => text.push_str(rest),
                _ => self.tail.push_back(Item::Printed { stream, text: rest.to_owned() }),
            }
            self.trim();
        }
    }

    /// Drops the oldest part of the tail, in large steps for efficiency.
    fn trim(&mut self) {
        let room = self.tail_room();
        if self.tail_chars > room.saturating_add(self.half) || self.tail.len() > MAX_ITEMS * 2 {
            self.trim_to(room, MAX_ITEMS);
        }
    }

    /// Returns how much of the limit the head leaves to the tail.
    fn tail_room(&self) -> usize {
        self.half.saturating_mul(2).saturating_sub(self.head_chars)
    }

    fn trim_to(&mut self, chars: usize, items: usize) {
        while (self.tail_chars > chars || self.tail.len() > items)
            && let Some(first) = self.tail.pop_front()
        {
            let mut dropped = first.chars();
            let over = self.tail_chars.saturating_sub(chars);
            match first {
                Item::Printed { stream, mut text } if dropped > over && over > 0 => {
                    dropped = over;
                    text.drain(..end_of(&text, over));
                    self.tail.push_front(Item::Printed { stream, text });
                }
                Item::Printed { .. } => {}
                Item::Shown { parts, .. } => self.left_out.images += self.release(&parts),
            }
            self.tail_chars -= dropped;
            self.left_out.chars += dropped;
        }
    }

    /// Removes the incomplete last line, which the next output replaces.
    fn start_line_again(&mut self, stream: usize) {
        let mut is_older = true;
        if let Some(last) = self.tail.back_mut() {
            let began_before = cut_line(last, stream, &mut self.tail_chars);
            is_older =
                began_before && self.tail.len() == 1 && (self.left_out.chars, self.left_out.images) == (0, 0);
        }
        // The line may have begun in the head.
        if let Some(last) = self.head.last_mut().filter(|_| is_older) {
            cut_line(last, stream, &mut self.head_chars);
        }
    }
}

/// Removes the incomplete last line of a text, and returns whether the line may have begun before the text.
fn cut_line(item: &mut Item, stream: usize, chars: &mut usize) -> bool {
    match item {
        Item::Printed { stream: same, text } if *same == stream => {
            let start = text.rfind('\n').map_or(0, |at| at + 1);
            *chars -= text[start..].chars().count();
            text.truncate(start);
            start == 0
        }
        _ => false,
    }
}

/// The maximum number of pieces in the head and in the tail; alternating lines of two streams are separate pieces.
const MAX_ITEMS: usize = 10_000;
const MAX_IMAGES: usize = 50;

#[cfg(test)]
mod tests;
