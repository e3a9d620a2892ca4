//! Decodes bytes: by a byte order mark, else the header's charset, else the body's own, else UTF-8.

use std::iter;

use encoding_rs::{Encoding, REPLACEMENT, UTF_8};

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
    let start = String::from_utf8_lossy(&body[..body.len().min(SEARCHED)]).to_ascii_lowercase();
    let own = [html.then(|| in_page(&start)).flatten(), in_declaration(&start)];
    // The replacement encoding would turn the whole body into one U+FFFD, so its labels count as unknown.
    let find = |label: &str| Encoding::for_label(label.as_bytes()).filter(|known| *known != REPLACEMENT);
    let known = named.and_then(find).or_else(|| {
        let known = own.iter().flatten().find_map(|label| find(label));
        // A body that names UTF-16 in its own ASCII text can't be UTF-16.
        known.map(Encoding::output_encoding)
    });
    // A byte order mark wins over all names.
    let (text, _, _) = known.unwrap_or(UTF_8).decode(body);
    let named = named.map(str::to_owned).or_else(|| own.into_iter().flatten().next());
    let unknown = named.filter(|_| known.is_none() && Encoding::for_bom(body).is_none());
    Decoded { text: text.into_owned(), unknown }
}

/// Returns the charset of a page: `<meta charset=…>`, or the older form.
fn in_page(start: &str) -> Option<String> {
    // Skips comments; an unclosed comment extends to the end.
    let (first, commented) = start.split_once("<!--").unwrap_or((start, ""));
    let others = commented.split("<!--").filter_map(|part| Some(part.split_once("-->")?.1));
    let metas = iter::once(first).chain(others).flat_map(|part| part.split("<meta").skip(1));
    metas.filter_map(|rest| rest.split('>').next()).find_map(|tag| value(tag, "charset"))
}

/// Returns the charset of an XML declaration: `<?xml version="1.0" encoding="…"?>`.
fn in_declaration(start: &str) -> Option<String> {
    value(start.strip_prefix("<?xml")?.split('>').next()?, "encoding")
}

/// Returns the value of an attribute of a tag.
fn value(tag: &str, name: &str) -> Option<String> {
    tag.match_indices(name).find_map(|(at, _)| {
        // `data-charset` is another attribute.
        if tag[..at].ends_with(|c: char| c.is_alphanumeric() || "-_:.".contains(c)) {
            return None;
        }
        let value = tag[at + name.len()..].trim_start().strip_prefix('=')?.trim_start();
        let value = value.trim_start_matches(['"', '\'']);
        let end = value.find(|c: char| c.is_whitespace() || "\"';/?".contains(c)).unwrap_or(value.len());
        (end > 0).then(|| value[..end].to_owned())
    })
}

/// How many bytes of a body are searched. Browsers first search 1,024, but their parsers accept later names too.
const SEARCHED: usize = 64 * 1024;

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
        let late = [b"<script>", &[b' '; 5000][..], b"</script><meta charset=latin1>\xe9"].concat();
        assert!(text(&late, None).ends_with('é'));
        let commented = "<!-- <meta charset=latin1> --><meta charset=utf-8>é<!-- <meta";
        assert!(text(commented.as_bytes(), None).contains('é'));
    }

    #[test]
    fn other_attributes_do_not_name_the_charset() {
        for tag in ["<meta data-charset=\"klingon\" charset=\"latin1\">", "<meta charset charset=latin1>"] {
            assert!(text(&[tag.as_bytes(), b"\xe9"].concat(), None).ends_with('é'), "{tag}");
        }
    }

    #[test]
    fn the_xml_declaration_names_the_charset() {
        let feed = b"<?xml version=\"1.0\" encoding='ISO-8859-1'?><rss>\xe9</rss>";
        assert!(decode(feed, None, false).text.ends_with("<rss>é</rss>"));
        assert!(text(feed, None).ends_with("<rss>é</rss>"));
        assert_eq!(text("<p>encoding=\"latin1\" é".as_bytes(), None), "<p>encoding=\"latin1\" é");
    }

    #[test]
    fn an_unknown_charset_does_not_hide_a_known_one() {
        assert_eq!(text(b"<meta charset=windows-1252>\x80", Some("none")), "<meta charset=windows-1252>€");
        let unknown = decode(b"<meta charset=klingon>", Some("none"), true).unknown;
        assert_eq!(unknown.as_deref(), Some("none"));
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
        for label in ["klingon", "hz-gb-2312"] {
            let decoded = decode(b"abc", Some(label), false);
            assert_eq!((decoded.text.as_str(), decoded.unknown.as_deref()), ("abc", Some(label)));
        }
    }
}
