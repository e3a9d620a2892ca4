//! Text with its escapes decoded, where each byte knows its place in the original.

/// A decoded text, and for each of its bytes, and its end, the place in the original.
#[derive(Clone, Debug)]
pub(super) struct Decoded {
    pub(super) text: String,
    places: Vec<usize>,
}

impl Decoded {
    /// Decodes the escapes of a JSON string; `None` if there are none.
    pub(super) fn json(raw: &str) -> Option<Self> {
        Self::by(raw, b"\\", escape)
    }

    /// Decodes JSON escapes, percent-encoding and the entities of HTML; `None` if there are none.
    pub(super) fn any(text: &str) -> Option<Self> {
        Self::by(text, b"\\%&", |text| escape(text).or_else(|| percent(text)).or_else(|| entity(text)))
    }

    /// Returns the text without line breaks, at which programs wrap base64; `None` if there are none.
    pub(super) fn joined(text: &str) -> Option<Self> {
        if !text.contains(['\r', '\n']) {
            return None;
        }
        let mut joined = Self { text: String::new(), places: Vec::new() };
        for (at, char) in text.char_indices().filter(|(_, char)| !matches!(char, '\r' | '\n')) {
            joined.text.push(char);
            joined.places.resize(joined.text.len(), at);
        }
        joined.places.push(text.len());
        Some(joined)
    }

    /// Returns this text with places in the text from which `first` was decoded.
    pub(super) fn after(mut self, first: &Self) -> Self {
        for place in &mut self.places {
            *place = first.place(*place);
        }
        self
    }

    /// Returns the place of a byte of the decoded text in the original.
    pub(super) fn place(&self, at: usize) -> usize {
        self.places.get(at).or(self.places.last()).copied().unwrap_or_default()
    }

    fn by(text: &str, marks: &[u8], unit: impl Fn(&str) -> Option<(char, usize)>) -> Option<Self> {
        if !text.bytes().any(|byte| marks.contains(&byte)) {
            return None;
        }
        let mut decoded = Self { text: String::new(), places: Vec::new() };
        let (mut at, mut changed) = (0, false);
        while let Some(plain) = text[at..].chars().next() {
            let marked = plain.is_ascii() && marks.contains(&text.as_bytes()[at]);
            let found = if marked { unit(&text[at..]) } else { None };
            changed |= found.is_some();
            let (char, length) = found.unwrap_or((plain, plain.len_utf8()));
            decoded.text.push(char);
            decoded.places.resize(decoded.text.len(), at);
            at += length;
        }
        decoded.places.push(at);
        changed.then_some(decoded)
    }
}

/// Returns the character of a JSON escape at the start of the text, and the length of the escape.
fn escape(text: &str) -> Option<(char, usize)> {
    let rest = text.strip_prefix('\\')?;
    let char = match rest.bytes().next()? {
        byte @ (b'"' | b'\\' | b'/' | b'\'') => char::from(byte),
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'u' => return unicode(text),
        _ => return None,
    };
    Some((char, 2))
}

fn unicode(text: &str) -> Option<(char, usize)> {
    let unit = |at: usize| match text.get(at..at + 2)? {
        "\\u" => u16::from_str_radix(text.get(at + 2..at + 6)?, 16).ok(),
        _ => None,
    };
    let units = [unit(0)?, unit(6).unwrap_or_default()];
    let char = char::decode_utf16(units).next()?.ok()?;
    Some((char, 6 * char.len_utf16()))
}

fn percent(text: &str) -> Option<(char, usize)> {
    let byte = |index: usize| match text.get(index * 3..index * 3 + 1)? {
        "%" => u8::from_str_radix(text.get(index * 3 + 1..index * 3 + 3)?, 16).ok(),
        _ => None,
    };
    let bytes: Vec<u8> = (0..4).map_while(byte).collect();
    (1..=bytes.len()).find_map(|count| {
        let char = str::from_utf8(&bytes[..count]).ok()?.chars().next()?;
        Some((char, count * 3))
    })
}

fn entity(text: &str) -> Option<(char, usize)> {
    let entities =
        [("&amp;", '&'), ("&lt;", '<'), ("&gt;", '>'), ("&quot;", '"'), ("&#39;", '\''), ("&apos;", '\'')];
    entities.iter().find(|(name, _)| text.starts_with(name)).map(|(name, char)| (*char, name.len()))
}

#[cfg(test)]
mod tests {
    use super::Decoded;

    #[test]
    fn escapes_are_decoded_and_keep_their_places() {
        let text = r"a\n\u00e4\ud83d\ude00%C3%A4%zz\ud800&amp;\x";
        let decoded = Decoded::any(text).unwrap();
        assert_eq!(decoded.text, "a\nä😀ä%zz\\ud800&\\x");
        let at = decoded.text.find("😀").unwrap();
        assert_eq!(&text[decoded.place(at)..decoded.place(at + 4)], r"\ud83d\ude00");
        assert_eq!(decoded.place(decoded.text.len()), text.len());
        assert!(Decoded::any("nothing").is_none() && Decoded::json("%41").is_none());
    }

    #[test]
    fn decoding_twice_gives_places_in_the_first_text() {
        let text = r#"x\\\"y\\n%5Cn"#;
        let once = Decoded::json(text).unwrap();
        assert_eq!(once.text, r#"x\"y\n%5Cn"#);
        let twice = Decoded::any(&once.text).unwrap().after(&once);
        assert_eq!(twice.text, "x\"y\n\\n");
        assert_eq!(&text[twice.place(1)..twice.place(2)], r#"\\\""#);
    }
}
