//! The parts of a control frame that may be dropped if they can't be read.

use crate::{RawJson, Unknown, decode::Step};

/// Returns whether a line is a frame of the control protocol, by any of its tags.
pub(crate) fn is_control(line: &str) -> bool {
    let Ok(raw) = RawJson::parse(line) else { return false };
    let mut tags = Unknown::new(None, raw).raw_fields("type").into_iter();
    tags.any(|tag| tag.decode::<String>().is_ok_and(|kind| kind.starts_with("control_")))
}

/// Returns whether the value at `path` is only for display, or a whole suggestion.
///
/// All other fields may affect the answer: the tool, its input, the requesting agent, and the type of the reason.
pub(crate) fn is_decoration(path: &[Step]) -> bool {
    let [Step::Key(request), Step::Key(name), rest @ ..] = path else { return false };
    // A part of a suggestion can't be dropped: a rule without its content applies to the whole tool.
    let is_whole = name != "permission_suggestions" || rest.len() <= 1;
    request == "request" && is_whole && DECORATIONS.contains(&name.as_str())
}

/// Dropping a whole suggestion does not allow anything.
const DECORATIONS: [&str; 8] = [
    "decision_reason",
    "decision_reason_hook_event",
    "decision_reason_hook_source",
    "decision_reason_rule_source",
    "description",
    "display_name",
    "permission_suggestions",
    "title",
];
