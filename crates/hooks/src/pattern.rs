//! How the CLI reads a matcher's pattern: as everything, as a list of exact names, or as a regular expression.

pub(crate) mod name;
mod regex;

use name::is_of_name;

/// How the CLI reads a pattern.
///
/// Measured on CLI 2.1.330: a text of letters, digits, `_`, `-`, spaces, `,` and `|` is a list of names, which are
/// compared whole and with their case; any other is a JavaScript regular expression, searched for anywhere in the name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Pattern<'a> {
    /// Nothing, or a star.
    Everything,
    Names(Vec<&'a str>),
    Regex(&'a str),
}

impl<'a> Pattern<'a> {
    pub(crate) fn read(text: &'a str) -> Self {
        if text.is_empty() || text == "*" {
            Self::Everything
        } else if text.chars().all(|char| is_of_name(char) || SEPARATORS.contains(&char) || char == ' ') {
            let names = text.split(SEPARATORS).map(str::trim).filter(|name| !name.is_empty());
            Self::Names(names.collect())
        } else {
            Self::Regex(text)
        }
    }

    /// Checks that the pattern, and each part of it, can match a name; `of_tools` where that is a tool's.
    ///
    /// # Errors
    ///
    /// Why it can't: the CLI takes such a pattern without an error and never calls the hook.
    pub(crate) fn check(&self, of_tools: bool) -> Result<(), String> {
        match self {
            Self::Everything => Ok(()),
            Self::Names(names) if names.is_empty() => Err("it names nothing".to_owned()),
            Self::Names(names) if of_tools => names.iter().try_for_each(|name| name::check(name)),
            Self::Names(_) => Ok(()),
            Self::Regex(text) => match text.chars().find(|char| char.is_control()) {
                Some(char) => Err(format!("it has a control character (`{}`)", char.escape_debug())),
                None => regex::check(text, of_tools),
            },
        }
    }

    /// Why the pattern does not fit the tools of a session; `None` where it does.
    pub(crate) fn misfit(&self, tools: &[&str]) -> Option<String> {
        let fits = match self {
            Self::Everything => true,
            Self::Names(names) => {
                let by_case = |name: &&&str| {
                    !tools.contains(name) && tools.iter().any(|tool| tool.eq_ignore_ascii_case(name))
                };
                if let Some(name) = names.iter().find(by_case) {
                    return Some(format!("the case of `{name}` is another one than the tool's"));
                }
                names.iter().any(|name| tools.contains(name))
            }
            Self::Regex(text) => regex::matches_any(text, tools.iter().copied()),
        };
        (!fits).then(|| "it matches none of the session's tools".to_owned())
    }
}

/// A pattern that matches these names alone; empty for no name.
pub(crate) fn exactly(names: &[Box<str>]) -> Box<str> {
    if names.iter().all(|name| name.chars().all(is_of_name)) {
        return names.join("|").into();
    }
    let mut joined = String::from("^(?:");
    for (index, name) in names.iter().enumerate() {
        if index > 0 {
            joined.push('|');
        }
        for char in name.chars() {
            if SPECIAL.contains(char) {
                joined.push('\\');
            }
            joined.push(char);
        }
    }
    joined.push_str(")$");
    joined.into()
}

const SEPARATORS: [char; 2] = ['|', ','];
/// What means something in a regular expression.
const SPECIAL: &str = r"\^$.*+?()[]{}|/";

#[cfg(test)]
mod tests;
