//! A conversation as a document to be read: Markdown, or one HTML page.

mod html;
mod item;
mod json;
mod markdown;
mod picture;

use std::io::{self, Write};

use agentwire_protocol::SessionId;
use agentwire_protocol::session_info::{SessionMessage, SessionMessageKind};

use crate::{Page, SessionError, Sessions};
use item::{Item, items};

/// How a conversation is written down.
///
/// What was said is text in the document and nothing else: a heading, a fence or a tag in it is there as its letters.
/// Control characters but tabs and line breaks are written as U+FFFD.
/// A tool's result stands with its use, wherever in the conversation it came.
/// What is of an unknown kind, or can't be read, is there as JSON.
#[derive(Clone, Debug)]
pub struct Export {
    format: Format,
    title: Option<String>,
    pictures: bool,
}

#[derive(Clone, Copy, Debug)]
enum Format {
    Markdown,
    Html,
}

impl Export {
    /// Markdown, as CommonMark and GitHub read it; thoughts are folded by `<details>`.
    pub fn markdown() -> Self {
        Self { format: Format::Markdown, title: None, pictures: false }
    }

    /// One HTML page that needs nothing else: no script, no other file, no network, and a content security policy that
    /// forbids them.
    pub fn html() -> Self {
        Self { format: Format::Html, title: None, pictures: false }
    }

    /// Under this title.
    #[must_use]
    pub fn titled(self, title: impl Into<String>) -> Self {
        Self { title: Some(title.into()), ..self }
    }

    /// With the pictures themselves, where they are PNG, JPEG, GIF or WebP and are in the entries; else there is a note
    /// of each, with its size.
    #[must_use]
    pub fn with_pictures(self) -> Self {
        Self { pictures: true, ..self }
    }

    /// Writes these messages, in their order; [`conversation`](crate::conversation) finds them in entries.
    ///
    /// It writes in small pieces: `out` should be buffered.
    /// Beside the messages it holds their contents once more.
    ///
    /// # Errors
    ///
    /// When `out` fails.
    pub fn write(&self, messages: &[SessionMessage], out: &mut impl Write) -> io::Result<()> {
        self.write_titled(self.title.as_deref().unwrap_or("Session"), messages, out)
    }

    fn write_titled(&self, title: &str, messages: &[SessionMessage], out: &mut dyn Write) -> io::Result<()> {
        match self.format {
            Format::Markdown => write_page(&mut markdown::Markdown::new(out, self.pictures), title, messages),
            Format::Html => write_page(&mut html::Html::new(out, self.pictures), title, messages),
        }
    }
}

impl Sessions {
    /// Writes a session's conversation, under the title that it has in a list unless another is given; whether the
    /// session was found.
    ///
    /// The whole conversation is in memory while it works.
    ///
    /// # Errors
    ///
    /// When the id is no UUID, the folder of all projects or the file can't be read, or `out` fails.
    pub fn export(
        &self,
        id: &SessionId,
        export: &Export,
        out: &mut impl Write,
    ) -> Result<bool, SessionError> {
        let Some(messages) = self.messages(id, Page::ALL)? else { return Ok(false) };
        let title = match &export.title {
            Some(title) => title.clone(),
            None => self.info(id)?.map_or_else(|| format!("Session {id}"), |info| info.summary),
        };
        export.write_titled(&title, &messages, out).map_err(SessionError::Output)?;
        Ok(true)
    }
}

/// A document that is being written.
trait Document {
    fn start(&mut self, title: &str) -> io::Result<()>;
    /// Somebody else speaks.
    fn speaker(&mut self, speaker: &str) -> io::Result<()>;
    fn item(&mut self, item: &Item) -> io::Result<()>;
    fn end(&mut self) -> io::Result<()>;
}

fn write_page(page: &mut impl Document, title: &str, messages: &[SessionMessage]) -> io::Result<()> {
    page.start(title)?;
    let mut speaker: Option<&SessionMessageKind> = None;
    for (message, items) in messages.iter().zip(items(messages)) {
        if items.is_empty() {
            continue;
        }
        if speaker != Some(&message.kind) {
            page.speaker(match &message.kind {
                SessionMessageKind::User => "User",
                SessionMessageKind::Assistant => "Assistant",
                _ => "System",
            })?;
        }
        speaker = Some(&message.kind);
        for item in &items {
            page.item(item)?;
        }
    }
    page.end()
}

/// A text with `\n` for every line break, and without what steers a terminal.
fn cleaned(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    text.replace(|char: char| char.is_control() && !matches!(char, '\n' | '\t'), "\u{fffd}")
}
