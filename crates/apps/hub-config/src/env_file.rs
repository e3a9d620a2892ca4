//! Reads files of environment variables (`.env`).

/// Returns the variables of a file in its order, and the numbers of invalid lines, from 1.
///
/// A line is `NAME=value`, optionally with `export` before it, or a comment.
/// A value ends with its line, or at a `#` after white space; a quoted value may span several lines.
/// `"…"` has the escapes `\n`, `\r`, `\t`, `\"`, `\\` and `\$`; in `'…'` and `` `…` `` the text is literal.
/// Variables in values are not replaced.
pub(super) fn parse(text: &str) -> (Vec<(String, String)>, Vec<usize>) {
    let (mut variables, mut wrong) = (Vec::new(), Vec::new());
    let (mut rest, mut line) = (text, 1);
    while !rest.is_empty() {
        let (variable, after) = entry(rest);
        match variable {
            Entry::Variable(name, value) if !value.contains('\0') => variables.push((name, value)),
            Entry::Nothing => {}
            // No program can be started with a NUL in a value.
            Entry::Variable(..) | Entry::Wrong => wrong.push(line),
        }
        line += rest[..rest.len() - after.len()].matches('\n').count();
        rest = after;
    }
    (variables, wrong)
}

enum Entry {
    Variable(String, String),
    Nothing,
    Wrong,
}

/// Parses the next line, or several lines of a quoted value. Returns the rest of the text.
fn entry(text: &str) -> (Entry, &str) {
    let (line, after) = text.split_once('\n').unwrap_or((text, ""));
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return (Entry::Nothing, after);
    }
    let stated = line.strip_prefix("export").filter(|rest| rest.starts_with([' ', '\t'])).unwrap_or(line);
    let Some((name, value)) = stated.split_once('=') else { return (Entry::Wrong, after) };
    let name = name.trim();
    if !is_name(name) {
        return (Entry::Wrong, after);
    }
    // Quoted text may continue after the line.
    let open = text.split_once('=').map_or("", |(_, rest)| rest).trim_start_matches([' ', '\t']);
    let Some(quote) = open.chars().next().filter(|c| "\"'`".contains(*c)) else {
        return (Entry::Variable(name.to_owned(), plain(value.trim_start())), after);
    };
    match quoted(&open[1..], quote) {
        Some((value, after)) => (Entry::Variable(name.to_owned(), value), after),
        None => (Entry::Wrong, after),
    }
}

/// Parses a value without quotes.
fn plain(value: &str) -> String {
    if value.starts_with('#') {
        return String::new();
    }
    let comment = value.char_indices().find(|&(at, c)| c == '#' && value[..at].ends_with([' ', '\t']));
    value[..comment.map_or(value.len(), |(at, _)| at)].trim_end().to_owned()
}

/// Parses a value up to its closing quote, and returns the following lines; `None` if it is not closed or followed by
/// text.
fn quoted(text: &str, quote: char) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut chars = text.char_indices();
    let end = loop {
        match chars.next()? {
            (at, c) if c == quote => break at,
            (_, '\\') if quote == '"' => match chars.next()?.1 {
                'n' => value.push('\n'),
                'r' => value.push('\r'),
                't' => value.push('\t'),
                c @ ('"' | '\\' | '$') => value.push(c),
                c => value.extend(['\\', c]),
            },
            (_, c) => value.push(c),
        }
    };
    let (behind, after) = text[end + 1..].split_once('\n').unwrap_or((&text[end + 1..], ""));
    let behind = behind.trim();
    (behind.is_empty() || behind.starts_with('#')).then_some((value, after))
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.-".contains(&b))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, proptest};

    use super::parse;

    #[test]
    fn variables_are_parsed() {
        for (text, value) in [
            ("A=b", "b"),
            ("A=", ""),
            ("A= b c ", "b c"),
            (" export  A = b", "b"),
            ("export\tA=b\r\n", "b"),
            ("A=b # comment", "b"),
            ("A=b#c", "b#c"),
            ("A=#c", ""),
            ("A= # c", ""),
            ("A='b # c' # d", "b # c"),
            ("A='\\n\"$x'", "\\n\"$x"),
            (r#"A="a\nb\"c\\d\$e\qf""#, "a\nb\"c\\d$e\\qf"),
            ("A=\"two\nlines\"", "two\nlines"),
            ("A=`'\"`", "'\""),
            ("A=b=c==", "b=c=="),
            ("A=${B}", "${B}"),
            ("A=it's", "it's"),
            ("A=ü", "ü"),
        ] {
            assert_eq!(parse(text), (vec![("A".to_owned(), value.to_owned())], vec![]), "{text:?}");
        }
    }

    #[test]
    fn invalid_lines_are_reported_by_number() {
        for (text, lines) in [
            ("# c\n\n  \n", vec![]),
            ("A", vec![1]),
            ("A=b\nB C=d\n=e\nF=g", vec![2, 3]),
            ("A='b\nB=c", vec![1]),
            ("A=\"b\nc\" d\nE", vec![1, 2, 3]),
            ("exportA", vec![1]),
            ("A=b\0\nB='c\n\0'\nC=d # \0", vec![1, 2]),
        ] {
            assert_eq!(parse(text).1, lines, "{text:?}");
        }
        assert_eq!(parse("A='b\nB=c").0, [("B".to_owned(), "c".to_owned())]);
        assert_eq!(parse("A=\"1\n2\"\nB").1, [3]);
    }

    proptest! {
        #[test]
        fn no_text_causes_a_panic(text in any::<String>()) {
            parse(&text);
        }

        #[test]
        fn no_similar_text_causes_a_panic(text in "([A= '\"`#\\\\\n\r$é]|export){0,40}") {
            parse(&text);
        }
    }
}
