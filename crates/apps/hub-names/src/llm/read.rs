//! Calls in the text of a model.

mod fences;
mod json;
mod xml;

use std::{fmt, ops::Range};

use serde_json::{Map, Value};

use super::CallForm;

/// A call in a text, or a failed attempt at one.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Finding {
    /// The byte range in the text.
    pub span: Range<usize>,
    /// The call, or the reason why it can't be read.
    pub call: Result<TextCall, Misread>,
}

/// A call as written by a model. Its names are not checked yet.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum TextCall {
    /// A call of a tool.
    Tool {
        /// The server, if the call names one.
        server: Option<String>,
        /// The tool: its name on the server if the call names a server, else its unique name.
        tool: String,
        /// The arguments.
        arguments: Map<String, Value>,
    },
    /// A reading of a resource.
    Resource {
        /// The server.
        server: String,
        /// The resource.
        uri: String,
    },
}

/// A failed attempt at a call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Misread {
    /// The form that was read.
    pub form: CallForm,
    /// The reason.
    pub why: Why,
}

/// The reason why a text is not a call.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Why {
    /// The text ends within the call; a growing text may complete it.
    #[error("it is not complete")]
    Unfinished,
    /// It is in a fenced code block, where it may be an example.
    #[error("it stands in a code block")]
    Fenced,
    /// Other text follows on its line, so it may be part of a sentence.
    #[error("something else stands on its line")]
    NotAlone,
    /// It is an array of calls.
    #[error("it stands in an array")]
    Listed,
    /// A field is missing, or empty.
    #[error("`{0}` is missing")]
    Missing(&'static str),
    /// A field is duplicated.
    #[error("`{0}` comes twice")]
    Repeated(&'static str),
    /// It contains text that does not belong to a call.
    #[error("`{0}` has no place in it")]
    Stray(String),
    /// A field is not closed by its own end tag.
    #[error("`<{0}>` is not followed by its text and `</{0}>`")]
    Unclosed(&'static str),
    /// A field has the wrong type.
    #[error("`{0}` is no {1}")]
    NotA(&'static str, &'static str),
    /// The JSON is invalid.
    #[error("its JSON is broken: {0}")]
    Json(String),
}

impl Misread {
    /// Returns advice for the model: the error, and how to write a call.
    pub fn advice(&self) -> String {
        format!("The call was not made: {self}.\n\n{}", self.form.how_to())
    }
}

impl fmt::Display for Misread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.why, f)
    }
}

impl std::error::Error for Misread {}

/// Returns the calls of a form in a text, in order.
///
/// A call starts a line, after at most three spaces, or follows another call. Text in a sentence, after `>` or after a
/// bullet is not a call.
///
/// [`CallForm::Xml`]: `<use_mcp_tool>` with `server_name`, `tool_name` and `arguments`, or `<access_mcp_resource>` with
/// `server_name` and `uri`.
/// Each field comes once, in any order, without attributes and without other text between them. `arguments` is one JSON
/// object; it may be missing or empty.
/// JSON decides where the arguments end, so a string in them may contain an end tag.
/// Names and URIs are trimmed, and may contain `&lt;`, `&gt;`, `&amp;`, `&quot;` and `&apos;`; the arguments may not.
///
/// [`CallForm::Json`]: an object of `tool`, `arguments` and optionally `server`, alone on its lines; several objects
/// may share lines.
/// An object with any other key is data, and so is everything inside other JSON.
///
/// Calls in code blocks are not made: neither in fenced blocks, even in lists and quotes, nor with an indentation of
/// four columns or more. A fenced block with nothing but calls is reported ([`Why::Fenced`]).
/// A failed attempt at a call is reported, and never guessed. Nothing after a broken call is read, unless only a field
/// is missing; after broken JSON, reading continues only if its closing bracket is certain.
///
/// A growing text may be read repeatedly. Calls once found stay: in the XML form at once, in the JSON form from the end
/// of their line on. The last finding may be [`Why::Unfinished`].
/// Time is linear in the length of the text.
pub fn read(text: &str, form: CallForm) -> Vec<Finding> {
    match form {
        CallForm::Native => Vec::new(),
        CallForm::Xml | CallForm::Json => outside_fences(text, form),
    }
}

fn outside_fences(text: &str, form: CallForm) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let indent = text[at..].len() - text[at..].trim_start_matches(INDENT).len();
        let starts_line = at == 0 || text[..at].ends_with('\n');
        let is_code = starts_line && columns(&text[at..at + indent]) >= CODE;
        at += indent;
        let rest = &text[at..];
        if let Some(fence) = fences::opened(rest) {
            let inner = at + fence.content.start..at + fence.content.end;
            if holds_only_calls(&text[inner.clone()], form) {
                findings.push(Finding { span: inner, call: Err(Misread { form, why: Why::Fenced }) });
            }
            at += fence.length;
            continue;
        }
        let step = match form {
            CallForm::Xml => xml::step(rest),
            _ => json::step(rest),
        };
        let found = step.found.into_iter().map(|(span, call)| Finding {
            span: at + span.start..at + span.end,
            call: call
                .and_then(|call| if is_code { Err(Why::Fenced) } else { Ok(call) })
                .map_err(|why| Misread { form, why }),
        });
        findings.extend(found);
        at += step.length;
    }
    findings
}

/// Returns whether a text consists of one or more calls.
fn holds_only_calls(text: &str, form: CallForm) -> bool {
    let mut at = 0;
    let mut calls = 0;
    loop {
        at += text[at..].len() - text[at..].trim_start().len();
        if at == text.len() {
            return calls > 0;
        }
        let step = match form {
            CallForm::Xml => xml::step(&text[at..]),
            _ => json::step(&text[at..]),
        };
        if step.found.is_empty() || step.found.iter().any(|(_, call)| call.is_err()) {
            return false;
        }
        calls += step.found.len();
        at += step.length;
    }
}

/// The result of reading at the start of a line.
struct Step {
    found: Vec<(Range<usize>, Result<TextCall, Why>)>,
    /// The number of bytes read, at least one.
    length: usize,
}

impl Step {
    /// Skips to the next line.
    fn line(text: &str) -> Self {
        Self { found: Vec::new(), length: line_length(text) }
    }
}

/// Returns the length of the first line with its end.
fn line_length(text: &str) -> usize {
    text.find('\n').map_or(text.len(), |end| end + 1)
}

/// Returns the width of spaces and tabs at the start of a line.
fn columns(indent: &str) -> usize {
    indent.chars().fold(0, |width, char| if char == '\t' { (width / TAB + 1) * TAB } else { width + 1 })
}

const INDENT: &[char] = &[' ', '\t'];
const TAB: usize = 4;
/// From this indentation on, text is code in Markdown.
const CODE: usize = 4;
