//! The names that the crates declare, as far as a look at their lines tells.

use std::collections::BTreeSet;

use super::super::sources::Source;

/// Every declared name: items, fields and variants.
pub(super) struct Declared<'a>(BTreeSet<&'a str>);

impl<'a> Declared<'a> {
    pub(super) fn of(sources: &'a [Source]) -> Self {
        let code = sources.iter().filter(|source| source.path.starts_with("crates/") && !source.is_test());
        Self(code.flat_map(|source| source.code.lines()).flat_map(names).collect())
    }

    /// Whether the last part of a path, such as `ask` of `Session::ask()`, and its type, are declared.
    pub(super) fn has(&self, path: &str) -> bool {
        let path = path.strip_suffix("()").unwrap_or(path);
        let mut parts = path.rsplit("::");
        parts.next().is_some_and(|name| self.0.contains(name)) && parts.all(|part| self.0.contains(part))
    }
}

fn names(line: &str) -> impl Iterator<Item = &str> {
    let words: Vec<&str> =
        line.split(|char: char| !is_of_word(char)).filter(|word| !word.is_empty()).collect();
    let items: Vec<&str> =
        words.windows(2).filter(|pair| KEYWORDS.contains(&pair[0])).map(|pair| pair[1]).collect();
    let trimmed = line.trim_start();
    let first = words.first().copied();
    // A variant, or what a macro declares: it starts its line, with an upper-case letter.
    let variant = first.filter(|name| name.starts_with(char::is_uppercase) && trimmed.starts_with(name));
    let field = match words.as_slice() {
        ["pub", name, ..] if trimmed.contains(&format!("{name}:")) => Some(*name),
        _ => None,
    };
    items.into_iter().chain(variant).chain(field)
}

fn is_of_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

const KEYWORDS: &[&str] = &["fn", "struct", "enum", "trait", "type", "mod", "const", "static"];

#[cfg(test)]
mod tests {
    use super::super::super::sources::Source;
    use super::Declared;

    #[test]
    fn declarations_are_seen_and_uses_are_not() {
        let text = "pub enum Error {\n    CliNotFound(Used),\n}\npub struct Options {\n    pub model: Option<X>,\n}\n\
                    impl Options {\n    pub async fn ask(&self) { other(); }\n}\n";
        let sources = [Source::new("crates/a/src/lib.rs", text)];
        let declared = Declared::of(&sources);
        for name in ["Error::CliNotFound", "Options::model", "Options::ask()"] {
            assert!(declared.has(name), "{name}");
        }
        for name in ["other", "Used", "Missing::ask"] {
            assert!(!declared.has(name), "{name}");
        }
    }
}
