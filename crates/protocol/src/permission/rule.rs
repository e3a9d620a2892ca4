//! A permission rule, and its text as it stands in settings and on the command line.

use std::{error::Error, fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::ToolName;

/// A permission rule: a tool, or some of its uses.
///
/// On the wire it is an object; in settings, in `allowed_tools` and for people it is a text such as `Read`,
/// `Bash(git push:*)`, `Read(//etc/**)` or `mcp__server__tool`, which is what `parse` reads and `Display` writes.
/// Parentheses and backslashes of the content are escaped with a backslash there: `Bash(echo \(x\))`.
/// The escapes are those that CLI 2.1.330 writes into its settings.
///
/// ```
/// use agentwire_protocol::permission::Rule;
///
/// let rule: Rule = "Bash(git push:*)".parse()?;
/// assert_eq!(rule, Rule::new("Bash", Some("git push:*".to_owned())));
/// assert_eq!(Rule::new("Bash", Some("f(x)".to_owned())).to_string(), r"Bash(f\(x\))");
/// # Ok::<(), agentwire_protocol::permission::RuleError>(())
/// ```
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Rule {
    /// The tool (`toolName`); `mcp__server` is all tools of that server.
    ///
    /// The CLI writes names that it has given up as those of today: `Task` as `Agent`, `KillShell` as `TaskStop`.
    pub tool_name: ToolName,
    /// What of it (`ruleContent`): a command, a path pattern; `None` for all.
    ///
    /// `Some("*")` and `Some("")` are taken for all too, but the CLI does not store them: say `None`.
    pub rule_content: Option<String>,
}

impl Rule {
    /// A rule for this tool, for all uses or those that match the content.
    pub fn new(tool_name: impl Into<ToolName>, rule_content: Option<String>) -> Self {
        Self { tool_name: tool_name.into(), rule_content }
    }

    /// Whether every use of the tool is meant.
    pub fn is_whole(&self) -> bool {
        self.rule_content.as_deref().is_none_or(|content| matches!(content, "" | "*"))
    }
}

/// Reads what settings and the command line hold; `Bash()` and `Bash(*)` are `Bash`.
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

/// Why a text is no rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RuleError {
    /// There is no tool's name in front, or white space is in it.
    Tool,
    /// The content does not end with the text, or does not begin: one inside of it is escaped with a backslash.
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

/// Where this character stands without a backslash that escapes it.
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

/// What has a backslash in front in a rule's content.
const ESCAPED: [char; 3] = ['\\', '(', ')'];
