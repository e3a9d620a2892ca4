//! The CLI's reading of a matcher's pattern: everything, a list of exact names, or a regular expression.

pub(crate) mod name;
mod regex;

use name::is_of_name;

/// A pattern as the CLI reads it.
///
/// Measured on CLI 2.1.330: a text of letters, digits, `_`, `-`, spaces, `,` and `|` is a list of exact, case-sensitive
/// names; any other text is a JavaScript regular expression, which may match any part of the name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Pattern<'a> {
    /// An empty text, or a star.
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

    /// Checks that the pattern and each part of it can match a name, which is a tool's name if `of_tools`.
    /// The error is the reason. For a pattern that can't match, the CLI reports none, and never calls the hook.
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

    /// Returns whether the pattern matches one of these tools.
    pub(crate) fn matches(&self, tools: &[&str]) -> bool {
        match self {
            Self::Everything => true,
            Self::Names(names) => names.iter().any(|name| tools.contains(name)),
            Self::Regex(text) => regex::matches_any(text, tools.iter().copied()),
        }
    }

    /// Returns why the pattern does not match the tools of a session, or `None` if it does.
    pub(crate) fn misfit(&self, tools: &[&str]) -> Option<String> {
        let by_case =
            |name: &&&str| !tools.contains(name) && tools.iter().any(|tool| tool.eq_ignore_ascii_case(name));
        if let Self::Names(names) = self
            && let Some(name) = names.iter().find(by_case)
        {
            return Some(format!("`{name}` differs from the tool's name in its case"));
        }
        (!self.matches(tools)).then(|| "it matches none of the session's tools".to_owned())
    }
}

/// Returns a pattern that matches exactly these names, or an empty text for no name.
pub(crate) fn exactly(names: &[Box<str>]) -> Box<str> {
    if names.iter().all(|name| name.chars().all(is_of_name)) {
        return names.join("|").into();
    }
    let escaped = |char: char| SPECIAL.contains(char).then_some('\\').into_iter().chain([char]);
    let names: Vec<String> = names.iter().map(|name| name.chars().flat_map(escaped).collect()).collect();
    format!("^(?:{})$", names.join("|")).into()
}

const SEPARATORS: [char; 2] = ['|', ','];
/// The characters with a meaning in a regular expression.
const SPECIAL: &str = r"\^$.*+?()[]{}|/";

#[cfg(test)]
mod tests;
