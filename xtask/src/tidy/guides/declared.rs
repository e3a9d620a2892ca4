//! The names that the crates declare, read line by line.

use std::collections::{BTreeMap, BTreeSet};

use super::super::sources::Source;

/// Every declared name, with the files that declare it: items, fields, variants and modules.
pub(super) struct Declared<'a> {
    files: Vec<File<'a>>,
    names: BTreeMap<&'a str, BTreeSet<usize>>,
}

/// A file's path and words.
struct File<'a> {
    path: &'a str,
    words: BTreeSet<&'a str>,
}

impl<'a> Declared<'a> {
    /// Returns the names that crates declare for their users.
    pub(super) fn of(sources: &'a [Source]) -> Self {
        Self::within(sources.iter().filter(|source| source.path.starts_with("crates/") && !source.is_test()))
    }

    /// Returns the names that any code declares, including tests.
    pub(super) fn of_all(sources: &'a [Source]) -> Self {
        Self::within(sources.iter().filter(|source| source.is_rust()))
    }

    fn within(sources: impl Iterator<Item = &'a Source>) -> Self {
        let mut declared = Self { files: Vec::new(), names: BTreeMap::new() };
        for source in sources {
            let module = source.path.rsplit('/').next().and_then(|name| name.strip_suffix(".rs"));
            for name in source.code.lines().flat_map(names).chain(module) {
                declared.names.entry(name).or_default().insert(declared.files.len());
            }
            let words = source.code.split(|char: char| !is_of_word(char)).collect();
            declared.files.push(File { path: &source.path, words });
        }
        declared
    }

    /// Whether all parts of a path, such as `ask` and `Session` of `Session::ask()`, are declared, and the last one in a
    /// file that also has the part before it.
    pub(super) fn has(&self, path: &str) -> bool {
        let path = path.split('(').next().unwrap_or_default();
        let mut parts = path.rsplit("::").filter(|part| !part.starts_with("agentwire"));
        let Some(name) = parts.next() else { return true };
        let Some(files) = self.names.get(name) else { return false };
        let Some(owner) = parts.next() else { return true };
        let has_owner = |file: &File<'_>| {
            file.words.contains(owner)
                || file.path.contains(&format!("/{owner}/"))
                || file.path.ends_with(&format!("/{owner}.rs"))
        };
        self.names.contains_key(owner)
            && parts.all(|part| self.names.contains_key(part))
            && (MADE.contains(&name)
                || MADE.contains(&owner)
                || files.iter().any(|at| self.files.get(*at).is_some_and(has_owner)))
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
    let field = words.iter().find(|word| !["pub", "crate", "super"].contains(*word)).copied();
    let field =
        field.filter(|name| trimmed.contains(&format!("{name}:")) && !trimmed.contains(&format!("{name}::")));
    items.into_iter().chain(variant).chain(field)
}

fn is_of_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

const KEYWORDS: &[&str] =
    &["fn", "struct", "enum", "trait", "type", "mod", "const", "static", "as", "macro_rules"];
/// A variant that every tagged union has, and a type that is exported by another name.
const MADE: &[&str] = &["Unknown", "Form"];

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
