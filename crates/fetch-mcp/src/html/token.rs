//! Tokens of a page, with only those parts that the conversion uses.

use std::convert::Infallible;

use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Span, Tokenizer};

/// One step through a page. No token holds more than the bytes of the page that it stands for.
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
    /// The attributes of [`KEPT`]; a tag with a million others takes no memory for them.
    attributes: [Option<String>; KEPT.len()],
}

impl Tag {
    /// Returns an attribute of [`KEPT`] if it is there and not empty.
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        let at = KEPT.iter().position(|kept| *kept == name)?;
        self.attributes[at].as_deref()
    }
}

/// Reads a page by the tokenizer of the HTML standard.
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
                // Of a repeated attribute the first counts.
                if let Some(kept) = attribute.take().and_then(|at| tag.attributes.get_mut(at)) {
                    kept.get_or_insert_with(|| String::from_utf8_lossy(value).into_owned());
                }
                Token::Other
            }
            CallbackEvent::CloseStartTag { self_closing } => {
                tag.self_closing = self_closing;
                Token::Start(std::mem::take(&mut tag))
            }
            CallbackEvent::EndTag { name } => Token::End(name.to_vec()),
            CallbackEvent::String { value } => Token::Text(String::from_utf8_lossy(value).into_owned()),
            // One step may report thousands of errors, and all of them would wait until it ends.
            CallbackEvent::Error(_) => return None,
            _ => Token::Other,
        })
    });
    emitter.naively_switch_states(true);
    Tokenizer::new_with_emitter(page, emitter).map(|token: Result<Token, Infallible>| match token {
        Ok(token) => token,
        Err(never) => match never {},
    })
}

const KEPT: [&str; 5] = ["alt", "class", "href", "src", "start"];
