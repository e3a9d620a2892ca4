//! Items that belong to a tool use are shown within it: hooks, its permission request, the work of its agent.

use std::collections::BTreeMap;

use serde_json::Value;

use super::item::{Item, Kind};

/// Finds the parent of each item.
///
/// A tool use is only put into an earlier one, so no item contains itself.
pub(super) fn nest(
    items: &mut [Item],
    tools: &BTreeMap<String, (usize, Value)>,
    agents: &BTreeMap<String, String>,
) {
    let mut depths = vec![0_usize; items.len()];
    for index in 0..items.len() {
        let item = &items[index];
        let by_agent = || item.agent.as_ref().and_then(|agent| agents.get(agent));
        let found = [item.about.as_ref(), by_agent()].into_iter().flatten().find_map(|id| tools.get(id));
        let Some(&(parent, _)) = found else { continue };
        if item.kind == Kind::Tool && parent >= index || parent == index {
            continue;
        }
        // Deeper agents are shown beside their parent: neither a screen nor a browser has room for any depth.
        let parent = if depths[parent] >= DEEPEST { items[parent].parent.unwrap_or(parent) } else { parent };
        items[index].parent = Some(parent);
        depths[index] = depths[parent] + 1;
    }
}

/// The largest depth of tool uses within tool uses.
const DEEPEST: usize = 6;
