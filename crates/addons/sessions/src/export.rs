//! Exports a conversation as Markdown or as one HTML page.

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

/// The format and options of an exported conversation.
///
/// All content is escaped: a heading, a fence or a tag in a message is shown literally.
/// Control characters other than tabs and line breaks become U+FFFD.
/// A tool's result is shown with its use, regardless of its position in the conversation.
/// Content of unknown or invalid kinds is shown as JSON.
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
    /// Exports CommonMark or GitHub Markdown; thinking is collapsed in `<details>`.
    pub fn markdown() -> Self {
        Self { format: Format::Markdown, title: None, pictures: false }
    }

    /// Exports one self-contained HTML page without scripts, with a content security policy that forbids scripts and
    /// network requests.
    pub fn html() -> Self {
        Self { format: Format::Html, title: None, pictures: false }
    }

    /// Sets the title.
    #[must_use]
    pub fn titled(self, title: impl Into<String>) -> Self {
        Self { title: Some(title.into()), ..self }
    }

    /// Embeds the images that are contained in the entries as PNG, JPEG, GIF or WebP; otherwise each image is replaced
    /// by a note with its size.
    #[must_use]
    pub fn with_pictures(self) -> Self {
        Self { pictures: true, ..self }
    }

    /// Writes messages in the given order; [`conversation`](crate::conversation) returns those of a session's entries.
    ///
    /// It makes many small writes, so `out` should be buffered.
    /// The decoded contents of all messages are held in memory.
    ///
    /// # Errors
    ///
    /// If `out` fails.
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
    /// Writes a session's conversation, by default under the title that a list shows; returns `false` if the session
    /// does not exist.
    ///
    /// The whole conversation is held in memory.
    ///
    /// # Errors
    ///
    /// If the id is not a UUID, the projects folder or the file can't be read, or `out` fails.
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

/// A writer of a document.
trait Document {
    fn start(&mut self, title: &str) -> io::Result<()>;
    /// Starts the messages of another speaker.
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

/// Normalizes line breaks to `\n` and replaces control characters.
fn cleaned(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    text.replace(|char: char| char.is_control() && !matches!(char, '\n' | '\t'), "\u{fffd}")
}
