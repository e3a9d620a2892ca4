//! Observations as a tree of words.

use std::collections::BTreeMap;

use agentwire::{Activity, Observation};

/// Returns a line for each ended activity, indented below its parent, in the order of their starts.
pub(super) fn of(observations: &[Observation]) -> Vec<String> {
    let mut parts = BTreeMap::new();
    for observation in observations {
        match observation {
            Observation::Began(began) => {
                parts.insert(began.id, (began.parent, subject(&began.activity), "open"));
            }
            Observation::Ended(ended) => {
                let part = parts.get_mut(&ended.began.id).expect("it has begun");
                assert_eq!(part.2, "open", "it ends once");
                part.2 = ended.outcome.as_str();
            }
            other => panic!("{other:?}"),
        }
    }
    draw(
        &parts
            .into_iter()
            .map(|(id, (parent, subject, end))| (id, parent, format!("{subject} {end}")))
            .collect::<Vec<_>>(),
    )
}

/// Returns the tree of items with a number and a parent.
pub(super) fn draw(parts: &[(u64, Option<u64>, String)]) -> Vec<String> {
    fn below(
        parts: &[(u64, Option<u64>, String)],
        parent: Option<u64>,
        depth: usize,
        lines: &mut Vec<String>,
    ) {
        for (id, _, text) in parts.iter().filter(|(_, above, _)| *above == parent) {
            lines.push(format!("{}{text}", "  ".repeat(depth)));
            below(parts, Some(*id), depth + 1, lines);
        }
    }
    let mut lines = Vec::new();
    below(parts, None, 0, &mut lines);
    assert_eq!(lines.len(), parts.len(), "every part hangs on another: {parts:#?}");
    lines
}

fn subject(activity: &Activity) -> String {
    let name = activity.name();
    match activity {
        Activity::Turn { number, .. } => format!("{name} {number}"),
        Activity::ToolUse { tool, .. } | Activity::Permission { tool, .. } => format!("{name} {tool}"),
        Activity::Hook { event, .. } => format!("{name} {}", event.as_deref().unwrap_or("?")),
        Activity::Mcp { server, method, tool, .. } => {
            let words = [Some(name), Some(&**server), method.as_deref(), tool.as_deref()];
            words.into_iter().flatten().collect::<Vec<_>>().join(" ")
        }
        Activity::Elicitation { server, .. } => format!("{name} {server}"),
        Activity::Dialog { kind, .. } => format!("{name} {kind}"),
        Activity::Request { subtype, .. } => format!("{name} {subtype}"),
        _ => name.to_owned(),
    }
}
