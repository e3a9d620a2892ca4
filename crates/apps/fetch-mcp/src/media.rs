//! Interprets a `Content-Type`.

/// The kind of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Html,
    Text,
    /// Without a type: decided by the first bytes.
    Unknown,
    Binary,
}

/// The parts of the header: the type in lower case, and the charset.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ContentType {
    pub(crate) essence: String,
    pub(crate) charset: Option<String>,
}

impl ContentType {
    pub(crate) fn parse(header: &str) -> Self {
        let mut parts = header.split(';');
        let essence = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
        let charset = parts.filter_map(|part| part.split_once('=')).find_map(|(name, value)| {
            let value = value.trim().trim_matches(['"', '\'']);
            (name.trim().eq_ignore_ascii_case("charset") && !value.is_empty()).then(|| value.to_owned())
        });
        Self { essence, charset }
    }

    pub(crate) fn kind(&self) -> Kind {
        match self.essence.as_str() {
            "" => Kind::Unknown,
            "text/html" | "application/xhtml+xml" => Kind::Html,
            text if text.starts_with("text/") || TEXT.contains(&text) => Kind::Text,
            text if text.ends_with("+json") || text.ends_with("+xml") || text.ends_with("+yaml") => {
                Kind::Text
            }
            _ => Kind::Binary,
        }
    }
}

/// Detects the kind of a body from its start.
pub(crate) fn sniff(body: &[u8]) -> Kind {
    let start = &body[..body.len().min(SNIFFED)];
    let text = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start();
    let opens =
        |tag: &str| text.get(..tag.len()).is_some_and(|open| open.eq_ignore_ascii_case(tag.as_bytes()));
    if opens("<!doctype html") || opens("<html") || opens("<head") || opens("<body") {
        Kind::Html
    } else if start.contains(&0) && !start.starts_with(b"\xff\xfe") && !start.starts_with(b"\xfe\xff") {
        Kind::Binary
    } else {
        Kind::Text
    }
}

const SNIFFED: usize = 1024;

const TEXT: &[&str] = &[
    "application/ecmascript",
    "application/graphql",
    "application/javascript",
    "application/json",
    "application/jsonl",
    "application/sql",
    "application/toml",
    "application/x-javascript",
    "application/x-ndjson",
    "application/x-sh",
    "application/x-tex",
    "application/x-yaml",
    "application/xml",
    "application/yaml",
];

#[cfg(test)]
mod tests {
    use super::{ContentType, Kind, sniff};

    #[test]
    fn the_type_and_the_charset_are_read() {
        let read = ContentType::parse("Text/HTML; boundary=x; Charset=\"ISO-8859-1\"");
        assert_eq!(read, ContentType { essence: "text/html".into(), charset: Some("ISO-8859-1".into()) });
        assert_eq!(
            ContentType::parse("text/plain;charset="),
            ContentType { essence: "text/plain".into(), charset: None }
        );
    }

    #[test]
    fn content_type_has_a_kind() {
        for (header, kind) in [
            ("text/html; charset=utf-8", Kind::Html),
            ("application/xhtml+xml", Kind::Html),
            ("text/csv", Kind::Text),
            ("application/problem+json", Kind::Text),
            ("application/atom+xml", Kind::Text),
            ("application/octet-stream", Kind::Binary),
            ("image/png", Kind::Binary),
            ("application/pdf", Kind::Binary),
            ("", Kind::Unknown),
        ] {
            assert_eq!(ContentType::parse(header).kind(), kind, "{header}");
        }
    }

    #[test]
    fn a_body_without_type_is_detected_by_its_start() {
        assert_eq!(sniff(b"\xef\xbb\xbf \n<!DOCTYPE HTML><p>"), Kind::Html);
        assert_eq!(sniff(b"{\"a\": 1}"), Kind::Text);
        assert_eq!(sniff(b"\x89PNG\r\n\x1a\n\0\0"), Kind::Binary);
        assert_eq!(sniff(b"\xff\xfea\0"), Kind::Text);
    }
}
