//! Messages that a compaction kept: moves them behind the summary.

use std::collections::HashMap;

use agentwire_protocol::Uuid;
use serde_json::Value;

use super::graph::Graph;
use super::link::Kind;

/// Links the kept entries to the anchor that the compaction names, and the anchor's followers to the last kept entry.
pub(super) fn link(graph: &mut Graph) {
    let compactions: Vec<_> = (0..graph.links.len()).filter_map(|place| Kept::of(graph, place)).collect();
    if compactions.is_empty() {
        return;
    }
    let mut parents = Parents::of(graph);
    for Kept { anchor, moved, last } in &compactions {
        parents.move_followers(anchor, last);
        let mut before = anchor;
        for uuid in moved {
            if let Some(place) = graph.place(uuid) {
                parents.set(place, before);
                // An anchor may be a kept message itself; then what follows it moves behind the last one.
                before = if uuid == anchor { last } else { uuid };
            }
        }
    }
    for (place, link) in graph.links.iter_mut().enumerate() {
        link.parent = parents.get(place);
    }
}

/// The parents of all links. Links with the same parent are a group, so that a compaction moves all of them at once.
struct Parents {
    /// The group of each link; `None` without a parent.
    groups: Vec<Option<usize>>,
    /// The group into which each group was merged, or the group itself.
    merged: Vec<usize>,
    /// The parent of each group that was not merged.
    parents: Vec<Uuid>,
    by_parent: HashMap<Uuid, usize>,
}

impl Parents {
    fn of(graph: &Graph) -> Self {
        let mut all =
            Self { groups: Vec::new(), merged: Vec::new(), parents: Vec::new(), by_parent: HashMap::new() };
        for link in &graph.links {
            let group = link.parent.as_ref().map(|parent| all.group(parent));
            all.groups.push(group);
        }
        all
    }

    fn get(&mut self, place: usize) -> Option<Uuid> {
        let mut group = self.groups[place]?;
        while self.merged[group] != group {
            // Shortens the path for later calls.
            self.merged[group] = self.merged[self.merged[group]];
            group = self.merged[group];
        }
        Some(self.parents[group].clone())
    }

    fn set(&mut self, place: usize, parent: &Uuid) {
        self.groups[place] = Some(self.group(parent));
    }

    fn move_followers(&mut self, from: &Uuid, to: &Uuid) {
        let Some(group) = self.by_parent.remove(from) else { return };
        if let Some(into) = self.by_parent.get(to) {
            self.merged[group] = *into;
        } else {
            self.parents[group] = to.clone();
            self.by_parent.insert(to.clone(), group);
        }
    }

    /// Returns the group with this parent, possibly a new one.
    fn group(&mut self, parent: &Uuid) -> usize {
        if let Some(group) = self.by_parent.get(parent) {
            return *group;
        }
        let group = self.parents.len();
        self.merged.push(group);
        self.parents.push(parent.clone());
        self.by_parent.insert(parent.clone(), group);
        group
    }
}

/// The messages that a compaction kept.
struct Kept {
    /// The entry that the kept messages follow.
    anchor: Uuid,
    /// The entries that are chained after the anchor.
    moved: Vec<Uuid>,
    /// The last kept message.
    last: Uuid,
}

impl Kept {
    /// Returns `None` for an entry that is not a compaction, or kept no existing message.
    fn of(graph: &Graph, place: usize) -> Option<Self> {
        let link = graph.links.get(place).filter(|link| link.kind == Kind::System)?;
        let uuid = |value: &Value| value.as_str().map(Uuid::from);
        let messages = &link.kept["preservedMessages"];
        if messages.is_object() {
            let moved: Option<Vec<_>> = messages["uuids"].as_array()?.iter().map(uuid).collect();
            let moved = moved.filter(|moved| moved.iter().all(|uuid| graph.place(uuid).is_some()))?;
            return Some(Self { anchor: uuid(&messages["anchorUuid"])?, last: moved.last()?.clone(), moved });
        }
        // A segment names only its ends; the entries between them are linked already.
        let segment = &link.kept["preservedSegment"];
        let moved = vec![uuid(&segment["headUuid"]).filter(|head| graph.place(head).is_some())?];
        Some(Self { anchor: uuid(&segment["anchorUuid"])?, last: uuid(&segment["tailUuid"])?, moved })
    }
}
