//! Permission rules, and their text form in settings and on the command line.

use std::{error::Error, fmt, str::FromStr};

use crate::ToolName;

/// A permission rule for a tool or for some of its calls.
///
/// On the wire it is an object. In settings and in `allowed_tools` it is a text such as `Read`,
/// `Bash(git push:*)`, `Read(//etc/**)` or `mcp__server__tool`; `parse` reads this form and `Display` writes it,
/// with parentheses and backslashes of the content escaped by a backslash: `Bash(echo \(x\))`.
/// CLI 2.1.330 writes the same escapes into its settings.
///
/// ```
/// use agentwire_protocol::permission::Rule;
///
/// let rule: Rule = "Bash(git push:*)".parse()?;
/// assert_eq!(rule, Rule::new("Bash", Some("git push:*".to_owned())));
/// assert_eq!(Rule::new("Bash", Some("f(x)".to_owned())).to_string(), r"Bash(f\(x\))");
/// # Ok::<(), agentwire_protocol::permission::RuleError>(())
/// ```
#[wire(Eq, Hash, camelCase, new)]
pub struct Rule {
    /// The tool (`toolName`); `mcp__server` matches all tools of that server.
    ///
    /// The CLI replaces outdated tool names: `Task` by `Agent`, `KillShell` by `TaskStop`.
    pub tool_name: ToolName,
    /// The calls to match, such as a command or a path pattern (`ruleContent`); `None` matches all calls.
    ///
    /// `Some("*")` and `Some("")` also match all calls, but the CLI does not store them: use `None`.
    #[argument]
    pub rule_content: Option<String>,
}

impl Rule {
    /// Returns whether the rule matches every call of the tool.
    pub fn is_whole(&self) -> bool {
        self.rule_content.as_deref().is_none_or(|content| matches!(content, "" | "*"))
    }
}

/// Parses the text form; `Bash()` and `Bash(*)` are `Bash`.
impl FromStr for Rule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        let (open, close) = (bare(text, b'(').next(), bare(text, b')').last());
        let (name, content) = match (open, close) {
            (None, None) => (text, None),
            (Some(open), Some(close)) if close + 1 == text.len() && !text[..open].contains(')') => {
                (&text[..open], Some(&text[open + 1..close]))
            }
            _ => return Err(RuleError::Parentheses),
        };
        if name.is_empty() || name.contains(char::is_whitespace) {
            return Err(RuleError::Tool);
        }
        let content = content.filter(|content| !matches!(*content, "" | "*"));
        Ok(Self::new(name, content.map(unescaped)))
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.tool_name)?;
        let Some(content) = self.rule_content.as_deref() else { return Ok(()) };
        f.write_str("(")?;
        for part in content.split_inclusive(ESCAPED) {
            let Some(last) = part.chars().next_back().filter(|last| ESCAPED.contains(last)) else {
                f.write_str(part)?;
                continue;
            };
            write!(f, "{}\\{last}", &part[..part.len() - last.len_utf8()])?;
        }
        f.write_str(")")
    }
}

/// The reason why a text is not a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RuleError {
    /// The tool name is missing or contains white space.
    Tool,
    /// The parentheses don't enclose the rest of the text; those within the content need a backslash.
    Parentheses,
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tool => "a rule starts with the name of a tool",
            Self::Parentheses => "the parentheses of the rule's content are not a pair that ends it",
        })
    }
}

impl Error for RuleError {}

/// Returns the positions of this character that are not escaped by a backslash.
fn bare(text: &str, wanted: u8) -> impl Iterator<Item = usize> {
    let mut backslashes = 0usize;
    text.bytes().enumerate().filter_map(move |(index, byte)| {
        let escaped = backslashes % 2 == 1;
        backslashes = if byte == b'\\' { backslashes + 1 } else { 0 };
        (byte == wanted && !escaped).then_some(index)
    })
}

fn unescaped(content: &str) -> String {
    let mut plain = String::with_capacity(content.len());
    let mut rest = content.chars().peekable();
    while let Some(character) = rest.next() {
        let escaped = rest.next_if(|next| character == '\\' && ESCAPED.contains(next));
        plain.push(escaped.unwrap_or(character));
    }
    plain
}

/// The characters that are escaped by a backslash in a rule's content.
const ESCAPED: [char; 3] = ['\\', '(', ')'];
