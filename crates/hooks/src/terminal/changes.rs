//! The changes of an edit, as lines with a `-` or `+` prefix.

use agentwire_protocol::{control::CanUseTool, tool_input::ToolInput};

/// Returns the changes of an `Edit` or a `Write`, or `None` for other tools and unexpected inputs.
pub(super) fn of(request: &CanUseTool) -> Option<Vec<String>> {
    let mut lines = match request.typed_input().ok()? {
        ToolInput::Edit(edit) => {
            let scope = if edit.replace_all == Some(true) { " (all occurrences)" } else { "" };
            let mut lines = vec![format!("{}{scope}", edit.file_path)];
            lines.extend(changed(&edit.old_string, &edit.new_string));
            lines
        }
        ToolInput::Write(write) => {
            let mut lines = vec![write.file_path];
            lines.extend(write.content.lines().map(|line| format!("+ {line}")));
            lines
        }
        _ => return None,
    };
    if lines.len() > MAX_LINES {
        let rest = lines.len() - MAX_LINES;
        lines.truncate(MAX_LINES);
        lines.push(format!("… and {rest} lines more"));
    }
    Some(lines)
}

/// Returns the changed lines, with a few of the common lines before and after: more could hide the changes.
fn changed(old: &str, new: &str) -> Vec<String> {
    let (old, new): (Vec<_>, Vec<_>) = (old.lines().collect(), new.lines().collect());
    let shorter = old.len().min(new.len());
    let before = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let after = old.iter().rev().zip(new.iter().rev()).take(shorter - before);
    let after = after.take_while(|(old, new)| old == new).count();
    let marked = |mark: char| move |line: &&str| format!("{mark} {line}");
    let mut lines: Vec<_> = old[before.saturating_sub(CONTEXT)..before].iter().map(marked(' ')).collect();
    lines.extend(old[before..old.len() - after].iter().map(marked('-')));
    lines.extend(new[before..new.len() - after].iter().map(marked('+')));
    lines.extend(old[old.len() - after..].iter().take(CONTEXT).map(marked(' ')));
    lines
}

/// The number of common lines that are shown on each side.
const CONTEXT: usize = 3;
/// The maximum number of lines that a person can judge at a prompt.
const MAX_LINES: usize = 200;
