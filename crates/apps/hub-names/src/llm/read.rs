//! Calls that a model writes into its text.

mod fences;
mod json;
mod misread;
mod xml;

use std::ops::Range;

use serde_json::{Map, Value};

use super::CallForm;
pub use misread::{Misread, Why};

/// A call that a model has written, or what was meant as one.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Finding {
    /// Where it stands in the text, in bytes.
    pub span: Range<usize>,
    /// The call, or why it is none.
    pub call: Result<TextCall, Misread>,
}

/// A call as a model has written it: whether what it names is there is yet to be seen.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum TextCall {
    /// A call of a tool.
    Tool {
        /// The server, where it is said.
        server: Option<String>,
        /// The tool: the server's own name for it where the server is said, else its unique name.
        tool: String,
        /// The arguments.
        arguments: Map<String, Value>,
    },
    /// Reads a resource.
    Resource {
        /// The server.
        server: String,
        /// The resource.
        uri: String,
    },
}

/// Reads the calls of a form that a text holds, in their order.
///
/// A call starts a line, behind up to three spaces, and it may also follow another call.
/// What stands within a sentence, behind `>` or a bullet, is text.
///
/// [`CallForm::Xml`]: `<use_mcp_tool>` with `server_name`, `tool_name` and `arguments`, or `<access_mcp_resource>` with
/// `server_name` and `uri`.
/// Each field comes once, in any order, without attributes and with nothing between; `arguments` is one JSON object, and
/// may be missing or empty where there are none.
/// Where the arguments end is up to JSON: a string in them may hold an end tag.
/// Names and URIs are trimmed, and may hold `&lt;`, `&gt;`, `&amp;`, `&quot;` and `&apos;`; the arguments may not.
///
/// [`CallForm::Json`]: an object of `tool` and `arguments`, and maybe `server`, alone on its lines; several may share
/// them.
/// An object with any other key is data, and so is everything inside of other JSON: no call.
///
/// A call within a code block is not made: neither in a fenced one, also behind the markers of lists and quotes, nor
/// where it is indented by four columns or more.
/// Where a block holds nothing else, that is told ([`Why::Fenced`]).
/// What was meant as a call and can't be read as one is told too, and never guessed at.
/// Nothing is read behind a call that is broken, unless it lacks a field and nothing else; and behind broken JSON only
/// where its last bracket is sure.
///
/// A text may be read again and again while it grows.
/// Calls that were found stay, in the XML form at once, in the JSON form from the end of their line on; the last finding
/// may be [`Why::Unfinished`].
/// Time is linear in the text.
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

/// Whether a text consists of calls, and there is one.
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

/// What was read at the start of a line.
struct Step {
    found: Vec<(Range<usize>, Result<TextCall, Why>)>,
    /// How many bytes are done with, at least one.
    length: usize,
}

impl Step {
    /// Nothing up to the next line.
    fn line(text: &str) -> Self {
        Self { found: Vec::new(), length: line_length(text) }
    }
}

/// The length of the first line, with its end.
fn line_length(text: &str) -> usize {
    text.find('\n').map_or(text.len(), |end| end + 1)
}

/// How wide spaces and tabs are at the start of a line.
fn columns(indent: &str) -> usize {
    indent.chars().fold(0, |width, char| if char == '\t' { (width / TAB + 1) * TAB } else { width + 1 })
}

const INDENT: &[char] = &[' ', '\t'];
const TAB: usize = 4;
/// What is indented so far is code in Markdown.
const CODE: usize = 4;
