//! An entry that has a place in the conversation.

use agentwire_protocol::Uuid;

use crate::RawEntry;
use crate::change::object::Object;

/// An entry of a kind that names the one before it, with what a fork asks of it.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) uuid: Uuid,
    pub(super) parent: Option<Uuid>,
    pub(super) kind: Box<str>,
    pub(super) sidechain: bool,
    /// Whether it comes after the end of the fork.
    pub(super) cut: bool,
    pub(super) object: Object,
}

impl Row {
    /// `None` for an entry that has no place.
    pub(super) fn of(entry: &RawEntry) -> Option<Self> {
        if !KINDS.contains(&entry.kind()) {
            return None;
        }
        let object = Object::of(entry).ok()?;
        Some(Self {
            uuid: entry.uuid()?.clone(),
            parent: object.text("parentUuid").filter(|parent| !parent.is_empty()).map(Uuid::from),
            kind: entry.kind().into(),
            sidechain: object.is("isSidechain"),
            cut: false,
            object,
        })
    }

    /// Whether it is in the fork.
    pub(super) fn is_written(&self) -> bool {
        !self.cut && !self.sidechain && !self.is_progress()
    }

    /// What only a user interface shows.
    pub(super) fn is_progress(&self) -> bool {
        &*self.kind == "progress"
    }

    pub(super) fn is_message(&self) -> bool {
        matches!(&*self.kind, "user" | "assistant")
    }

    /// The id of the prompt that waited in the queue, if this is where a turn took it.
    pub(super) fn prompt(&self) -> Option<Uuid> {
        let attachment = self.object.object("attachment").filter(|_| &*self.kind == "attachment")?;
        let queued = attachment.says("type", "queued_command");
        queued.then(|| attachment.text("source_uuid").map(Uuid::from))?
    }

    /// What it tells of a compaction, if it is where one happened.
    pub(super) fn compaction(&self) -> Option<Compaction> {
        let boundary = &*self.kind == "system" && self.object.says("subtype", "compact_boundary");
        let metadata = boundary.then(|| self.object.object("compactMetadata").unwrap_or_default())?;
        let (messages, segment) = (metadata.object("preservedMessages"), metadata.object("preservedSegment"));
        let ids = messages.as_ref().and_then(|messages| messages.list("uuids")).unwrap_or_default();
        let mut kept: Vec<Uuid> =
            ids.iter().filter_map(|id| id.decode::<String>().ok()).map(Uuid::from).collect();
        for end in ["headUuid", "tailUuid"] {
            kept.extend(segment.as_ref().and_then(|segment| segment.text(end)).map(Uuid::from));
        }
        let anchor = messages.or(segment).and_then(|kept| kept.text("anchorUuid")).map(Uuid::from);
        let anchored_here = anchor.as_ref() == Some(&self.uuid);
        if !anchored_here {
            kept.extend(self.object.text("logicalParentUuid").map(Uuid::from));
        }
        let took_no_time = metadata.get("durationMs").is_some_and(|ms| ms.as_str() == "0");
        let rewound = took_no_time && anchored_here;
        Some(Compaction { kept: if anchored_here { Vec::new() } else { kept }, anchor, rewound })
    }
}

/// A place where the words before were replaced by a summary.
#[derive(Debug)]
pub(super) struct Compaction {
    /// What was kept of the words before, and the last of them.
    pub(super) kept: Vec<Uuid>,
    /// What the kept messages come after.
    pub(super) anchor: Option<Uuid>,
    /// Whether there is no summary: the user went back behind an earlier compaction.
    pub(super) rewound: bool,
}

/// The kinds of entries that name the one before them.
const KINDS: [&str; 5] = ["user", "assistant", "attachment", "system", "progress"];
