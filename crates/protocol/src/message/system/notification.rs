//! `system/notification`: a short notification.

/// A short notification that a terminal shows for a while (`system/notification`).
#[wire(tolerant, message)]
pub struct Notification {
    /// The key, such as `stop-hook-error`; a newer notification replaces one with the same key.
    pub key: Box<str>,
    /// The text.
    pub text: String,
    /// The priority.
    #[serde(default = "crate::lenient::empty")]
    pub priority: NotificationPriority,
    /// The colour in a terminal.
    pub color: Option<Box<str>>,
    /// The display time in milliseconds.
    pub timeout_ms: Option<u64>,
}

/// The priority of a notification.
#[wire]
pub enum NotificationPriority {
    /// Low.
    Low = "low",
    /// Medium.
    Medium = "medium",
    /// High.
    High = "high",
    /// Shown before all others.
    Immediate = "immediate",
}
