//! Failures of a mirror as `mirror_error` messages, in the format of the reference SDKs.

use agentwire_codec::{Frame, Incoming, Line};
use agentwire_sessions::SessionKey;
use serde::Serialize;

use crate::prompt_id;

/// A failure of the mirror.
#[derive(Debug)]
pub(super) struct MirrorError {
    /// The key of the lost entries; `None` if they belong to no session or to several.
    pub(super) key: Option<SessionKey>,
    /// The number of entries lost; 0 if unknown or none.
    pub(super) entries: usize,
    /// The reason.
    pub(super) why: String,
}

impl MirrorError {
    /// Returns the message that reports the failure.
    pub(super) fn incoming(self) -> Incoming {
        let error = self.text();
        let session_id = self.key.as_ref().map(|key| key.session_id().as_str());
        let key = self.key.as_ref().map(|key| Key {
            project_key: key.project(),
            session_id: key.session_id().as_str(),
            subpath: key.subpath(),
        });
        let uuid = prompt_id::fresh();
        let uuid = uuid.as_str();
        let message =
            Message { r#type: "system", subtype: "mirror_error", error: &error, key, session_id, uuid };
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

#[derive(Serialize)]
struct Message<'a> {
    r#type: &'a str,
    subtype: &'a str,
    error: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<Key<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<&'a str>,
    uuid: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Key<'a> {
    project_key: &'a str,
    session_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    subpath: Option<&'a str>,
}
