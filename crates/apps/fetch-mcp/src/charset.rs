//! Decodes bytes: by a byte order mark, else the header's charset, else the page's, else UTF-8.

use encoding_rs::{Encoding, UTF_8};

/// A text, and the name of an unknown charset if it was read as UTF-8 instead.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Decoded {
    pub(crate) text: String,
    pub(crate) unknown: Option<String>,
}

/// Decodes a body; invalid bytes become U+FFFD.
///
/// Labels are those of the Encoding Standard: `iso-8859-1` means `windows-1252`, as in browsers.
pub(crate) fn decode(body: &[u8], named: Option<&str>, html: bool) -> Decoded {
    let declared = named.map(str::to_owned).or_else(|| html.then(|| in_page(body)).flatten());
    let known = declared.as_deref().and_then(|label| Encoding::for_label(label.as_bytes()));
    // A page that names UTF-16 in its own ASCII text can't be UTF-16.
    let known = known.map(|encoding| if named.is_none() { encoding.output_encoding() } else { encoding });
    // A byte order mark wins over both.
    let (text, _, _) = known.unwrap_or(UTF_8).decode(body);
    let unknown = declared.filter(|_| known.is_none() && Encoding::for_bom(body).is_none());
    Decoded { text: text.into_owned(), unknown }
}

/// Returns the charset in the start of a page: `<meta charset=…>`, or the older form.
fn in_page(body: &[u8]) -> Option<String> {
    let start = String::from_utf8_lossy(&body[..body.len().min(SEARCHED)]).to_ascii_lowercase();
    let metas = start.split("<meta").skip(1);
    metas.filter_map(|rest| rest.split('>').next()).find_map(|tag| {
        let (_, value) = tag.split_once("charset")?;
        let value = value.trim_start().strip_prefix('=')?.trim_start();
        let value = value.trim_start_matches(['"', '\'']);
        let end = value.find(|c: char| c.is_whitespace() || "\"';/".contains(c)).unwrap_or(value.len());
        (end > 0).then(|| value[..end].to_owned())
    })
}

/// How many bytes of a page are searched, as in browsers.
const SEARCHED: usize = 1024;

#[cfg(test)]
mod tests {
    use super::decode;

    fn text(body: &[u8], named: Option<&str>) -> String {
        let decoded = decode(body, named, true);
        assert_eq!(decoded.unknown, None);
        decoded.text
    }

    #[test]
    fn the_header_names_the_charset() {
        assert_eq!(text(b"caf\xe9", Some("ISO-8859-1")), "café");
        assert_eq!(text("café".as_bytes(), Some("utf-8")), "café");
        assert_eq!(text(b"\x82\xb1\x82\xf1", Some("Shift_JIS")), "こん");
        assert_eq!(text(b"c\0a\0", Some("utf-16le")), "ca");
    }

    #[test]
    fn the_page_names_the_charset() {
        assert_eq!(text(b"<meta charset=latin1>\xe9", None), "<meta charset=latin1>é");
        let older = b"<META http-equiv=Content-Type content=\"text/html; charset=windows-1252\">\x80";
        assert!(text(older, None).ends_with('€'));
        assert_eq!(text(b"<meta charset=utf-16>a", None), "<meta charset=utf-16>a");
    }

    #[test]
    fn utf8_is_the_default_charset() {
        assert_eq!(text("naïve".as_bytes(), None), "naïve");
        assert_eq!(text(b"na\xefve", None), "na\u{fffd}ve");
        assert_eq!(text(b"<meta charset", None), "<meta charset");
    }

    #[test]
    fn a_byte_order_mark_wins_and_goes() {
        assert_eq!(text(b"\xef\xbb\xbfcaf\xc3\xa9", Some("latin1")), "café");
        assert_eq!(text(b"\xff\xfec\0a\0", None), "ca");
    }

    #[test]
    fn an_unknown_charset_is_reported() {
        assert_eq!(decode(b"a", Some("klingon"), false).unknown.as_deref(), Some("klingon"));
    }
}
