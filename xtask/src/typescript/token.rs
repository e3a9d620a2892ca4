//! The words of a declaration file, without its comments.

/// One word.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Name(String),
    Text(String),
    Number(String),
    Sign(char),
    /// `=>`
    Arrow,
}

/// The words of the text; what is no word of the language is left out.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/").map_or("", |(_, after)| after);
        } else if rest.starts_with("//") {
            rest = rest.split_once('\n').map_or("", |(_, after)| after);
        } else if first.is_whitespace() {
            rest = rest.trim_start();
        } else if matches!(first, '\'' | '"' | '`') {
            let (text, after) = text_literal(&rest[1..], first);
            tokens.push(Token::Text(text));
            rest = after;
        } else if let Some(after) = rest.strip_prefix("=>") {
            tokens.push(Token::Arrow);
            rest = after;
        } else if is_name(first) {
            let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            let number = first.is_ascii_digit();
            tokens.push(if number { Token::Number(word.to_owned()) } else { Token::Name(word.to_owned()) });
            rest = after;
        } else {
            tokens.push(Token::Sign(first));
            rest = &rest[first.len_utf8()..];
        }
    }
    tokens
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}

/// The text up to the quote, unescaped as far as declarations escape, and what follows.
fn text_literal(text: &str, quote: char) -> (String, &str) {
    let mut read = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => read.extend(chars.next().map(|(_, escaped)| escaped)),
            c if c == quote => return (read, &text[at + 1..]),
            c => read.push(c),
        }
    }
    (read, "")
}
