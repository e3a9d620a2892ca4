//! What of a control frame may be missing where it can't be read.

use crate::{RawJson, Unknown, decode::Step};

/// Whether a line is a frame of the control protocol, by any of its tags.
pub(crate) fn is_control(line: &str) -> bool {
    let Ok(raw) = RawJson::parse(line) else { return false };
    let mut tags = Unknown::new(None, raw).raw_fields("type").into_iter();
    tags.any(|tag| tag.decode::<String>().is_ok_and(|kind| kind.starts_with("control_")))
}

/// Whether `path` leads to something that is only shown to a person.
///
/// Every other field may change the answer: the tool, its input, the asking agent, and the reason.
pub(crate) fn is_decoration(path: &[Step]) -> bool {
    match path {
        [Step::Key(request), Step::Key(name), ..] => {
            request == "request" && DECORATIONS.contains(&name.as_str())
        }
        _ => false,
    }
}

/// A suggestion that is missing offers less, and allows nothing.
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
