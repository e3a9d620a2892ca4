//! Distinguishes our texts from the vendor's, which are not published.

use super::{
    decoded::Decoded,
    find::{Find, With},
    json,
};

/// Our texts, escaped as in JSON.
#[derive(Clone, Debug, Default)]
pub(super) struct Prose {
    /// Escaped as in JSON.
    own: Vec<String>,
    /// Those of `own` that are long enough to be searched for within other texts.
    telling: Vec<String>,
}

impl Prose {
    /// Marks a text, and each line of it, as ours.
    pub(super) fn add(&mut self, text: &str) {
        let lines = text.lines().filter(|line| *line != text);
        for part in std::iter::once(text).chain(lines) {
            let escaped = escape(part);
            if escaped.is_empty() || self.own.contains(&escaped) {
                continue;
            }
            if escaped.len() >= TELLING {
                self.telling.push(escaped.clone());
            }
            self.own.push(escaped);
        }
        // The longer one is found first if a text is part of another one.
        self.telling.sort_by_key(|text| std::cmp::Reverse(text.len()));
    }

    /// Returns whether the whole text is ours, or a part of one of ours.
    pub(super) fn is_own(&self, raw: &str) -> bool {
        self.own.iter().any(|own| own.contains(raw))
    }

    /// Returns the replacement of a text; `None` if the text may stay.
    ///
    /// Our words within it stay, so that a reader sees where they are.
    pub(super) fn replace(&self, raw: &str) -> Option<String> {
        if raw.len() <= SHORT || is_word(raw) || self.is_own(raw) {
            return None;
        }
        let parts = self.parts(raw);
        let foreign: usize = parts.iter().filter(|part| !part.own).map(|part| part.text.trim().len()).sum();
        if foreign <= SHORT {
            return None;
        }
        let mut new = String::new();
        for part in parts {
            let stays = part.own || part.text.len() <= GLUE;
            new.push_str(if stays { part.text } else { PROSE });
        }
        // Our words may have been found across an escape.
        let whole = serde_json::from_str::<String>(&format!("\"{new}\"")).is_ok();
        Some(if whole { new } else { PROSE.to_owned() })
    }

    /// Returns the replacements in a streamed text, escaped as in JSON: one of the whole text, or those of the strings in
    /// the input of a tool.
    pub(super) fn find(&self, text: &str, is_input: bool) -> Vec<Find<()>> {
        let mut finds = Vec::new();
        let mut add = |range, new: Option<String>| {
            finds.extend(new.map(|new| Find { range, with: With::Text(new), kind: () }));
        };
        if !is_input || !text.starts_with('{') {
            add(0..text.len(), self.replace(&escape(text)));
            return finds;
        }
        json::walk(text, |token, at| {
            if token.is_string && !token.is_key {
                let new = self.replace(token.raw).map(|new| escape(&new));
                add(at..at + token.raw.len(), new);
            }
        });
        finds
    }

    /// Splits a text into parts that are ours and parts that are not.
    fn parts<'a>(&self, raw: &'a str) -> Vec<Part<'a>> {
        let mut parts = vec![Part { own: false, text: raw }];
        for own in &self.telling {
            parts = parts.into_iter().flat_map(|part| part.cut(own)).collect();
        }
        parts
    }
}

#[derive(Clone, Copy, Debug)]
struct Part<'a> {
    own: bool,
    text: &'a str,
}

impl<'a> Part<'a> {
    fn cut(self, own: &str) -> Vec<Self> {
        if self.own || !self.text.contains(own) {
            return vec![self];
        }
        let mut parts = Vec::new();
        let mut rest = self.text;
        while let Some(at) = rest.find(own) {
            parts.push(Self { own: false, text: &rest[..at] });
            parts.push(Self { own: true, text: &rest[at..at + own.len()] });
            rest = &rest[at + own.len()..];
        }
        parts.push(Self { own: false, text: rest });
        parts.retain(|part| !part.text.is_empty());
        parts
    }
}

/// Returns whether an escaped text is an id or a path in one word. Not every language has blanks.
fn is_word(raw: &str) -> bool {
    let is_path = ["/", "<cwd>/", "<home>/"].iter().any(|start| raw.starts_with(start));
    let has_lines = || Decoded::json(raw).is_some_and(|decoded| decoded.text.contains('\n'));
    (raw.is_ascii() || is_path) && !raw.contains(' ') && !has_lines()
}

/// Returns the text as it is written between quotes in JSON.
pub(super) fn escape(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// Returns the text with all but ASCII escaped as in JSON.
pub(super) fn ascii(text: &str) -> String {
    let unit = |unit: u16| match u8::try_from(unit) {
        Ok(byte) if byte.is_ascii() => char::from(byte).to_string(),
        _ => format!("\\u{unit:04x}"),
    };
    text.encode_utf16().map(unit).collect()
}

/// The replacement of the vendor's words.
pub(super) const PROSE: &str = "<prose>";

/// The longest text of the vendor's that stays, in bytes: a name, a mark or a short message, which hosts look for.
pub(super) const SHORT: usize = 60;

/// The length from which a text of ours is searched within other texts: shorter ones occur by chance.
const TELLING: usize = 12;

/// The longest bit between words of ours that stays, in bytes.
const GLUE: usize = 12;
