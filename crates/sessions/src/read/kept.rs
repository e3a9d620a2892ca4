//! Messages that a compaction kept: they stand after its summary, where their own entries stand before it.

use agentwire_protocol::Uuid;
use serde_json::Value;

use super::graph::Graph;
use super::link::Kind;

/// Has the entries that were kept come after what the compaction names, and what came after that come after them.
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

/// What one compaction kept.
struct Kept {
    /// What the kept messages come after.
    anchor: Uuid,
    /// Those that are to come after it, one after the other.
    moved: Vec<Uuid>,
    /// The last of the kept messages.
    last: Uuid,
}

impl Kept {
    /// `None` for an entry that is no compaction, kept nothing, or kept what is not there.
    fn of(graph: &Graph, place: usize) -> Option<Self> {
        let link = graph.links.get(place).filter(|link| link.kind == Kind::System)?;
        let uuid = |value: &Value| value.as_str().map(Uuid::from);
        let messages = &link.kept["preservedMessages"];
        if messages.is_object() {
            let moved: Option<Vec<_>> = messages["uuids"].as_array()?.iter().map(uuid).collect();
            let moved = moved.filter(|moved| moved.iter().all(|uuid| graph.place(uuid).is_some()))?;
            return Some(Self { anchor: uuid(&messages["anchorUuid"])?, last: moved.last()?.clone(), moved });
        }
        // A segment tells only its ends: what is between them names the one before it anyway.
        let segment = &link.kept["preservedSegment"];
        let moved = vec![uuid(&segment["headUuid"]).filter(|head| graph.place(head).is_some())?];
        Some(Self { anchor: uuid(&segment["anchorUuid"])?, last: uuid(&segment["tailUuid"])?, moved })
    }
}
