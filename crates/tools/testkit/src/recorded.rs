//! A recorded line, read as far as the control protocol goes.

use crate::json::Json;

/// A line that is a JSON object, and its role in the control protocol.
#[derive(Clone, Debug)]
pub struct Recorded {
    pub json: Json,
    pub role: Role,
}

/// The role of a line in the control protocol, in either direction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// A `control_request` with its id.
    Request { id: Box<str>, subtype: Box<str> },
    /// A `control_response` with the id that it answers.
    Response { id: Box<str> },
    /// A `control_cancel_request` with the id of the cancelled request.
    Cancel { id: Box<str> },
    /// Anything else: a message, a prompt, or a control frame without an id.
    Message,
}

impl Recorded {
    /// Decodes a line; returns `None` if it is not a JSON object.
    pub fn read(line: &[u8]) -> Option<Self> {
        let json = Json::object(unmarked(line))?;
        let role = role(&json);
        Some(Self { json, role })
    }

    /// Returns the `type`, or an empty text.
    pub fn kind(&self) -> &str {
        self.json.text_at(&["type"]).unwrap_or_default()
    }

    /// Returns the `subtype` beside the `type`, or an empty text.
    pub fn subtype(&self) -> &str {
        self.json.text_at(&["subtype"]).unwrap_or_default()
    }

    /// Returns the `request` of a request.
    pub fn request(&self) -> Option<&Json> {
        self.json.field("request")
    }

    /// Returns the `response` of a response.
    pub fn outcome(&self) -> Option<&Json> {
        self.json.field("response")
    }

    /// Returns the id of a request, a response or a cancellation.
    pub fn id(&self) -> Option<&str> {
        match &self.role {
            Role::Request { id, .. } | Role::Response { id } | Role::Cancel { id } => Some(id),
            Role::Message => None,
        }
    }
}

/// Returns the line without a byte order mark.
pub fn unmarked(line: &[u8]) -> &[u8] {
    line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line)
}

fn role(json: &Json) -> Role {
    let own_id = || json.text_at(&["request_id"]).map(Box::from);
    let role = match json.text_at(&["type"]) {
        Some("control_request") => own_id()
            .zip(json.text_at(&["request", "subtype"]))
            .map(|(id, subtype)| Role::Request { id, subtype: subtype.into() }),
        Some("control_response") => {
            let inner = json.text_at(&["response", "request_id"]).map(Box::from);
            inner.or_else(own_id).map(|id| Role::Response { id })
        }
        Some("control_cancel_request") => own_id().map(|id| Role::Cancel { id }),
        _ => None,
    };
    role.unwrap_or(Role::Message)
}
