//! The tokens of a page, reduced to the parts that the conversion uses.

use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Span, State, Tokenizer};

/// A token. It holds at most as many bytes as its part of the page.
#[derive(Debug)]
pub(super) enum Token {
    Start(Tag),
    /// The name of an end tag.
    End(Vec<u8>),
    Text(String),
    /// Anything else, such as comments and the parts of a tag.
    Other,
}

/// A start tag.
#[derive(Debug, Default)]
pub(super) struct Tag {
    pub(super) name: Vec<u8>,
    pub(super) self_closing: bool,
    /// The attributes in [`KEPT`]; others take no memory.
    attributes: [Option<Box<str>>; KEPT.len()],
}

impl Tag {
    /// Returns an attribute in [`KEPT`], unless it is missing or empty.
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        let at = KEPT.iter().position(|kept| *kept == name)?;
        self.attributes[at].as_deref()
    }
}

/// Tokenizes a page according to the HTML standard, except that self-closing elements have no text.
pub(super) fn tokens(page: &str) -> impl Iterator<Item = Token> {
    let mut tag = Tag::default();
    let mut attribute = None;
    let mut emitter = CallbackEmitter::new(move |event: CallbackEvent<'_>, _: Span<()>| {
        Some(match event {
            CallbackEvent::OpenStartTag { name } => {
                tag = Tag { name: name.to_vec(), ..Tag::default() };
                Token::Other
            }
            CallbackEvent::AttributeName { name } => {
                attribute = KEPT.iter().position(|kept| kept.as_bytes() == name);
                Token::Other
            }
            CallbackEvent::AttributeValue { value } => {
                // The first of several attributes with the same name counts.
                if let Some(kept) = attribute.take().and_then(|at| tag.attributes.get_mut(at)) {
                    kept.get_or_insert_with(|| String::from_utf8_lossy(value).into());
                }
                Token::Other
            }
            CallbackEvent::CloseStartTag { self_closing } => {
                tag.self_closing = self_closing;
                Token::Start(std::mem::take(&mut tag))
            }
            CallbackEvent::EndTag { name } => Token::End(name.to_vec()),
            CallbackEvent::String { value } => Token::Text(String::from_utf8_lossy(value).into_owned()),
            // One step may report thousands of errors, which would be buffered until it ends.
            CallbackEvent::Error(_) => return None,
            _ => Token::Other,
        })
    });
    emitter.naively_switch_states(true);
    let mut tokenizer = Tokenizer::new_with_emitter(page, emitter);
    std::iter::from_fn(move || {
        let Ok(token) = tokenizer.next()?;
        // In SVG and XHTML, `<title/>` and `<script/>` are complete elements: their text would be the rest of the page.
        // HTML ignores the slash, but the tokens don't show which of these languages applies.
        if matches!(&token, Token::Start(tag) if tag.self_closing) {
            tokenizer.set_state(State::Data);
        }
        Some(token)
    })
}

const KEPT: [&str; 12] = [
    "alt",
    "alttext",
    "class",
    "colspan",
    "content",
    "encoding",
    "href",
    "http-equiv",
    "rowspan",
    "src",
    "start",
    "value",
];
