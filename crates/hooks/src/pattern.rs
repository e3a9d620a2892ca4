//! How the CLI reads a matcher's pattern: as everything, as a list of exact names, or as a regular expression.

mod regex;

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

    /// Why some or all of it matches no tool or nothing at all, which the CLI keeps to itself.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub(crate) fn check(&self, of_tools: bool) -> Result<(), String> {
        match self {
            Self::Everything => Ok(()),
            Self::Names(names) if names.is_empty() => Err("it names nothing".to_owned()),
            Self::Names(names) if of_tools => names.iter().try_for_each(|name| is_no_server(name)),
            Self::Names(_) => Ok(()),
            Self::Regex(text) if of_tools && is_rule(text) => Err(
                "it looks like a permission rule, and is compared with the tool's name alone; look at the \
                     tool's input in the handler"
                    .to_owned(),
            ),
            Self::Regex(text) => regex::check(text),
        }
    }
}

/// A pattern that matches these names alone; `None` for no name.
pub(crate) fn exactly<I>(names: I) -> Option<Box<str>>
where
    I: IntoIterator,
    I::Item: AsRef<str>,
{
    let names: Vec<I::Item> = names.into_iter().filter(|name| !name.as_ref().is_empty()).collect();
    if names.is_empty() {
        return None;
    }
    let plain = names.iter().all(|name| name.as_ref().chars().all(is_of_name));
    let mut joined = String::from(if plain { "" } else { "^(?:" });
    for (index, name) in names.iter().enumerate() {
        if index > 0 {
            joined.push('|');
        }
        for char in name.as_ref().chars() {
            if SPECIAL.contains(char) {
                joined.push('\\');
            }
            joined.push(char);
        }
    }
    if !plain {
        joined.push_str(")$");
    }
    Some(joined.into())
}

fn is_of_name(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_' || char == '-'
}

/// An exact name that stands for a whole MCP server matches none of its tools.
fn is_no_server(name: &str) -> Result<(), String> {
    match name.strip_prefix("mcp__") {
        Some(server) if !server.strip_suffix("__").unwrap_or(server).contains("__") => {
            let name = name.strip_suffix("__").unwrap_or(name);
            Err(format!("`{name}` is no tool's name; all tools of that server are `{name}__.*`"))
        }
        _ => Ok(()),
    }
}

/// Whether it is like `Bash(rm:*)`, or one of several is.
fn is_rule(text: &str) -> bool {
    is_one_rule(text) || text.split(['|', ',']).any(is_one_rule)
}

fn is_one_rule(text: &str) -> bool {
    let Some((name, rest)) = text.trim().split_once('(') else { return false };
    let Some(inner) = rest.strip_suffix(')') else { return false };
    // `.*` is more likely a regular expression's.
    let inner = inner.replace(".*", "");
    !name.is_empty() && name.chars().all(is_of_name) && inner.contains([':', ' ', '/', '*'])
}

const SEPARATORS: [char; 2] = ['|', ','];
/// What means something in a regular expression.
const SPECIAL: &str = r"\^$.*+?()[]{}|/";

#[cfg(test)]
mod tests {
    use super::{Pattern, exactly};

    #[test]
    fn patterns_are_read_as_the_cli_reads_them() {
        let names = |names: &[&'static str]| Pattern::Names(names.to_vec());
        assert_eq!(Pattern::read(""), Pattern::Everything);
        assert_eq!(Pattern::read("*"), Pattern::Everything);
        assert_eq!(Pattern::read("Bash"), names(&["Bash"]));
        assert_eq!(Pattern::read("Edit | Bash"), names(&["Edit", "Bash"]));
        assert_eq!(Pattern::read("Edit,,mcp__s__x-y, "), names(&["Edit", "mcp__s__x-y"]));
        assert_eq!(Pattern::read("|"), names(&[]));
        for regex in ["Ba.*", "^Bash$", "Edit|Ba.*", "Bash\t", "Bash(ls:*)", "**"] {
            assert_eq!(Pattern::read(regex), Pattern::Regex(regex));
        }
    }

    /// What was seen to match nothing on the CLI, though it was meant to match something.
    #[test]
    fn what_would_match_nothing_is_told() {
        let check = |text, of_tools| Pattern::read(text).check(of_tools);
        for text in ["|", ",", "mcp__srv", "mcp__srv__", "Bash|mcp__srv", "(", "Ba(", "**"] {
            check(text, true).unwrap_err();
        }
        for text in ["Bash(rm:*)", "Bash(rm -rf /)", "Edit|Bash(rm:*)", "Bash(rm:*)|Edit", "Edit, Bash(rm:*)"]
        {
            check(text, true).unwrap_err();
        }
        for text in ["", "*", "Bash", "Edit|Write", "mcp__srv__.*", "mcp__srv__x", "Bash(Output)?", "mcp__.*"]
        {
            assert_eq!(check(text, true), Ok(()), "{text}");
        }
        for text in ["mcp__srv__(read.*)", "mcp__srv__(read_.*|list_.*)", "Edit|Ba(sh|t)"] {
            assert_eq!(check(text, true), Ok(()), "{text}");
        }
        assert_eq!(check("mcp__srv", false), Ok(()));
        assert_eq!(
            check("mcp__srv", true).unwrap_err(),
            "`mcp__srv` is no tool's name; all tools of that server are `mcp__srv__.*`"
        );
    }

    #[test]
    fn exact_names_stay_exact() {
        let none: [&str; 0] = [];
        assert_eq!(exactly(none), None);
        assert_eq!(exactly([""]), None);
        assert_eq!(exactly(["Edit", "Write"]).as_deref(), Some("Edit|Write"));
        assert_eq!(exactly(["mcp__s__x-y"]).as_deref(), Some("mcp__s__x-y"));
        assert_eq!(exactly(["*"]).as_deref(), Some(r"^(?:\*)$"));
        assert_eq!(exactly(["Bash", "a.b|c"]).as_deref(), Some(r"^(?:Bash|a\.b\|c)$"));
        assert_eq!(exactly(["two words", "a,b"]).as_deref(), Some("^(?:two words|a,b)$"));
    }
}
