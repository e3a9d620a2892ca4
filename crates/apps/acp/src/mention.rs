//! Mentions: `@` at the start of a word, after which the CLI reads a file into the request.

use agent_client_protocol::v1::schema::ResourceLink;

/// Returns a link as a user types it. Only a link to a file is a mention, unless the CLI would misread its path.
pub(crate) fn of(link: &ResourceLink) -> String {
    let Some(path) = link.uri.strip_prefix("file://") else {
        return escaped(&format!("[{}]({})", link.name, link.uri));
    };
    let (path, position) = split_position(path);
    let path = decoded(path);
    if path.contains(['"', '#']) || path.ends_with(is_blank) || escaped(&path) != path {
        // The CLI would take a part of the path for the mention of another file. It cuts each path at `#` and at blanks
        // at its end.
        return escaped(&format!("[{}]", link.uri));
    }
    // Without quotes, a path ends before a blank, and at its last ASCII letter, digit or `_`.
    let ends_in_word = path.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let file =
        if ends_in_word && !path.contains(is_blank) { format!("@{path}") } else { format!("@\"{path}\"") };
    match position {
        Some(position) => format!("{file} ({})", escaped(&decoded(position))),
        None => file,
    }
}

/// Encodes the mentions in a text that the user did not type, such as the name of a link: a stranger may have chosen it.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut before = ' ';
    for char in text.chars() {
        let is_start = is_blank(before) || MARKS.contains(&before);
        if char == '@' && is_start {
            escaped.push_str("%40");
        } else {
            escaped.push(char);
        }
        before = char;
    }
    escaped
}

/// Splits off the lines and the symbol that editors append: `a.rs?symbol=main#L2:9`.
fn split_position(path: &str) -> (&str, Option<&str>) {
    let names_line = |(at, _): &(usize, &str)| path[at + 2..].starts_with(|c: char| c.is_ascii_digit());
    let lines = path.match_indices("#L").find(names_line).map(|(at, _)| at);
    match path.find("?symbol=").or(lines) {
        Some(at) => (&path[..at], Some(&path[at + 1..])),
        None => (path, None),
    }
}

/// Decodes percent encoding; returns an invalid path unchanged.
fn decoded(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [first, tail @ ..] = rest {
        let encoded = tail.get(..2).filter(|hex| *first == b'%' && hex.iter().all(u8::is_ascii_hexdigit));
        let byte = encoded.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| path.to_owned())
}

/// Returns whether the character ends a word. For JavaScript, a byte order mark does too.
fn is_blank(char: char) -> bool {
    char.is_whitespace() || char == '\u{feff}'
}

/// The punctuation marks after which the CLI reads a mention without a blank.
const MARKS: [char; 4] = ['。', '、', '？', '！'];

#[cfg(test)]
mod tests {
    use super::*;

    fn of_uri(uri: &str) -> String {
        of(&ResourceLink::new("b @.env", uri))
    }

    #[test]
    fn link_to_a_file_is_a_mention() {
        for (uri, text) in [
            ("file:///project/a%2Bb.rs", "@/project/a+b.rs"),
            ("file:///project/a%20b.rs", "@\"/project/a b.rs\""),
            ("file:///project/a.rs#L2:9", "@/project/a.rs (L2:9)"),
            ("file:///project/a.rs?symbol=main#L2:9", "@/project/a.rs (symbol=main#L2:9)"),
            ("file:///docs/%E8%AA%AC%E6%98%8E", "@\"/docs/説明\""),
            ("file:///p/.env~", "@\"/p/.env~\""),
            ("file:///p/src/", "@\"/p/src/\""),
            ("file:///project/@types/a@2.ts", "@/project/@types/a@2.ts"),
        ] {
            assert_eq!(of_uri(uri), text);
        }
        assert_eq!(decoded("/100%/%zz/%+5/%ff"), "/100%/%zz/%+5/%ff");
    }

    #[test]
    fn link_mentions_no_other_file() {
        for (uri, text) in [
            ("file:///p/a%22%20@/etc/passwd%20b", "[file:///p/a%22%20@/etc/passwd%20b]"),
            ("file:///p/a%20@.env", "[file:///p/a%20@.env]"),
            ("file:///c#/List.cs", "[file:///c#/List.cs]"),
            ("file:///p/.env%23notes.md", "[file:///p/.env%23notes.md]"),
            ("file:///p/a%20%23b.rs", "[file:///p/a%20%23b.rs]"),
            ("file:///p/a.txt%20", "[file:///p/a.txt%20]"),
            ("file:///p/a.md%C2%A0", "[file:///p/a.md%C2%A0]"),
            ("file:///p/a @.env", "[file:///p/a %40.env]"),
            ("file:///p/a\u{feff}@.env", "[file:///p/a\u{feff}%40.env]"),
            ("file:///p/a b！@.env", "[file:///p/a b！%40.env]"),
            ("file:///p/a.rs?symbol=%20@.env", "@/p/a.rs (symbol= %40.env)"),
            ("https://me@h/?to=a @.env", "[b %40.env](https://me@h/?to=a %40.env)"),
        ] {
            assert_eq!(of_uri(uri), text);
        }
    }
}
