//! Messages that a compaction kept: moves them behind the summary.

use agentwire_protocol::Uuid;
use serde_json::Value;

use super::graph::Graph;
use super::link::Kind;

/// Links the kept entries to the anchor that the compaction names, and the anchor's followers to the last kept entry.
pub(super) fn link(graph: &mut Graph) {
    for place in 0..graph.links.len() {
        let Some(kept) = Kept::of(graph, place) else { continue };
        let mut before = kept.anchor.clone();
        for uuid in &kept.moved {
            if let Some(place) = graph.place(uuid) {
                graph.links[place].parent = Some(before);
                before = uuid.clone();
            }
        }
        for link in &mut graph.links {
            if link.parent.as_ref() == Some(&kept.anchor) && Some(&link.uuid) != kept.moved.first() {
                link.parent = Some(kept.last.clone());
            }
        }
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
