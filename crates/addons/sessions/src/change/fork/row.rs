//! Entries with a place in the conversation.

use agentwire_protocol::Uuid;

use crate::RawEntry;
use crate::change::object::Object;
use crate::read::TALK;

/// An entry that links to its parent, with the fields that a fork needs.
#[derive(Debug)]
pub(super) struct Row {
    /// The index among all entries of the session.
    pub(super) at: usize,
    pub(super) uuid: Uuid,
    pub(super) parent: Option<Uuid>,
    pub(super) kind: Box<str>,
    pub(super) sidechain: bool,
    /// Whether the entry comes after the end of the fork.
    pub(super) cut: bool,
    pub(super) object: Object,
}

impl Row {
    /// Returns `None` for an entry without a place in the conversation.
    pub(super) fn of(at: usize, entry: &RawEntry) -> Option<Self> {
        if !KINDS.contains(&entry.kind()) {
            return None;
        }
        let object = Object::of(entry).ok()?;
        Some(Self {
            at,
            uuid: entry.uuid()?.clone(),
            parent: object.text("parentUuid").filter(|parent| !parent.is_empty()).map(Uuid::from),
            kind: entry.kind().into(),
            sidechain: object.is("isSidechain"),
            cut: false,
            object,
        })
    }

    /// Returns whether the entry is in the fork.
    pub(super) fn is_written(&self) -> bool {
        !self.cut && !self.sidechain && !self.is_progress()
    }

    /// Returns whether the entry is only shown by a user interface.
    pub(super) fn is_progress(&self) -> bool {
        &*self.kind == "progress"
    }

    pub(super) fn is_message(&self) -> bool {
        matches!(&*self.kind, "user" | "assistant")
    }

    /// Returns the session from which a fork copied the entry.
    pub(super) fn forked_from(&self) -> Option<String> {
        self.object.object("forkedFrom")?.text("sessionId")
    }

    /// Returns the id of the queued prompt, if the entry is where a turn took it from the queue.
    pub(super) fn prompt(&self) -> Option<Uuid> {
        let queued = |attachment: &Object| attachment.has_text("type", "queued_command");
        let command = match &*self.kind {
            "attachment" => self.object.object("attachment").filter(queued),
            "system" if self.object.has_text("subtype", TALK) => {
                self.object.object("fold")?.object("command")
            }
            _ => None,
        };
        command?.text("source_uuid").map(Uuid::from)
    }

    /// Returns the compaction, if the entry is the boundary of one.
    pub(super) fn compaction(&self) -> Option<Compaction> {
        let boundary = &*self.kind == "system" && self.object.has_text("subtype", "compact_boundary");
        let metadata = boundary.then(|| self.object.object("compactMetadata").unwrap_or_default())?;
        let (messages, segment) = (metadata.object("preservedMessages"), metadata.object("preservedSegment"));
        let ids = messages.as_ref().and_then(|messages| messages.list("uuids")).unwrap_or_default();
        let mut kept: Vec<Uuid> =
            ids.iter().filter_map(|id| id.decode::<String>().ok()).map(Uuid::from).collect();
        for end in ["headUuid", "tailUuid"] {
            kept.extend(segment.as_ref().and_then(|segment| segment.text(end)).map(Uuid::from));
        }
        let anchor = messages.or(segment).and_then(|kept| kept.text("anchorUuid")).map(Uuid::from);
        let took_no_time = metadata.get("durationMs").is_some_and(|ms| ms.as_str() == "0");
        let rewound = took_no_time && anchor.as_ref() == Some(&self.uuid);
        Some(Compaction { kept, anchor, rewound })
    }
}

/// A boundary at which a summary replaced the earlier messages.
#[derive(Debug)]
pub(super) struct Compaction {
    /// The messages that were kept, or the first and the last of them.
    pub(super) kept: Vec<Uuid>,
    /// The message that the kept messages follow.
    pub(super) anchor: Option<Uuid>,
    /// Whether the user went back behind an earlier compaction, which has no summary.
    pub(super) rewound: bool,
}

/// The kinds of entries that link to their parent.
const KINDS: [&str; 5] = ["user", "assistant", "attachment", "system", "progress"];
