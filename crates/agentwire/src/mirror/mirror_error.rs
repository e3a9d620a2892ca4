//! Failures of a mirror as `mirror_error` messages, in the format of the reference SDKs.

use std::time::Duration;

use agentwire_codec::{Frame, Incoming, Line};
use agentwire_protocol::{
    Message, System,
    message::{self, MirrorKey},
};
use agentwire_sessions::SessionKey;

use crate::uuids;

/// A failure of the mirror.
#[derive(Debug)]
pub(super) struct MirrorError {
    /// The key of the entries that are not stored; `None` if they belong to no session or to several.
    pub(super) key: Option<SessionKey>,
    /// The number of these entries; 0 if unknown or none.
    pub(super) entries: usize,
    /// The reason.
    pub(super) why: String,
}

impl MirrorError {
    /// Creates the report of a store that is late at a result. It is no loss.
    pub(super) fn late(limit: Duration) -> Self {
        let why = format!(
            "the store did not accept the entries before a result within {limit:?}; the append continues"
        );
        Self { key: None, entries: 0, why }
    }

    /// Returns the message that reports the failure.
    pub(super) fn incoming(self) -> Incoming {
        let mut error = message::MirrorError::new(self.text());
        error.key = self.key.as_ref().map(|key| {
            let mut place = MirrorKey::new(key.project(), key.session_id().clone());
            place.subpath = key.subpath().map(Into::into);
            place
        });
        error.session_id = self.key.map(|key| key.session_id().clone());
        error.uuid = Some(uuids::random());
        let message = Message::System(System::MirrorError(Box::new(error)));
        // All fields are strings, so serialization can't fail.
        let text = serde_json::to_string(&message).unwrap_or_default();
        Incoming::decode(Frame::new(Line::from(text.as_str())))
    }

    pub(super) fn text(&self) -> String {
        match self.entries {
            0 => self.why.clone(),
            1 => format!("1 entry was not stored: {}", self.why),
            entries => format!("{entries} entries were not stored: {}", self.why),
        }
    }
}
