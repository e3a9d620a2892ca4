//! `get_status`: the content of the status screen.

/// Requests the content of the status screen (`get_status`). Not declared, but the CLI supports it.
#[wire(Copy, Default, Eq)]
pub struct GetStatus {}

/// The status screen as text.
#[wire(Default, Eq, tolerant)]
pub struct GetStatusReply {
    /// The sections, in display order.
    pub sections: Vec<StatusSection>,
}

/// A section of the status screen.
#[wire(Eq)]
pub struct StatusSection {
    /// The title, such as `Session`.
    pub title: String,
    /// The rows.
    #[serde(default)]
    pub rows: Vec<StatusRow>,
}

/// A row of the status screen.
#[wire(Eq)]
pub struct StatusRow {
    /// The label, such as `Version`; absent if the value is a sentence.
    pub label: Option<String>,
    /// The value.
    pub value: String,
}
