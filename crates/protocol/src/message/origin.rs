//! The origin of a message to the model.

/// The origin of a message to the model (`origin`).
///
/// Used in both directions: a host marks text that a person typed as `human`.
#[wire(tag = "kind")]
pub enum Origin {
    /// A person typed it.
    Human(PlainOrigin) = "human",
    /// A channel of an MCP server sent it.
    Channel(ChannelOrigin) = "channel",
    /// Another session or agent sent it.
    Peer(Box<PeerOrigin>) = "peer",
    /// A report of a task or of an event outside of the session.
    TaskNotification(Box<TaskNotificationOrigin>) = "task-notification",
    /// The coordinator of several sessions sent it.
    Coordinator(PlainOrigin) = "coordinator",
    /// The origin is unknown.
    Unclassified(PlainOrigin) = "unclassified",
    /// An observing subagent sent it.
    Observer(ObserverOrigin) = "observer",
    /// The CLI continues automatically.
    AutoContinuation(PlainOrigin) = "auto-continuation",
    /// A report of activity for an observing subagent.
    ObserverActivity(PlainOrigin) = "observer-activity",
}

/// An origin without further details.
#[wire(Copy, Default, Eq)]
pub struct PlainOrigin {}

/// A channel of an MCP server (`channel`).
#[wire]
pub struct ChannelOrigin {
    /// The server.
    pub server: Box<str>,
}

/// Another session or agent (`peer`).
#[wire(camelCase)]
pub struct PeerOrigin {
    /// The sender's reply address, as claimed by the sender; any process on the machine can claim anything.
    pub from: Box<str>,
    /// The sender's permission mode, as claimed by its host.
    pub from_mode: Option<PeerMode>,
    /// The sender's display name, as claimed by the sender.
    pub name: Option<String>,
    /// The sender's session, as claimed by the sender.
    pub from_session: Option<Box<str>>,
    /// The task of the sending subagent, set by the CLI.
    pub sender_task_id: Option<Box<str>>,
    /// The text without its wrapper.
    pub body: Option<String>,
    /// The process id of the peer, as reported by the operating system.
    pub verified_peer_pid: Option<u64>,
}

/// The permission mode of another session (`fromMode`).
#[wire]
pub enum PeerMode {
    /// Tool uses are allowed without asking.
    Bypass = "bypass",
    /// The session asks for permission.
    Prompting = "prompting",
}

/// A task or an event outside of the session (`task-notification`).
#[wire(camelCase)]
pub struct TaskNotificationOrigin {
    /// The kind; absent for the session's own tasks.
    pub subkind: Option<NotificationSubkind>,
    /// The reason why a scheduled task started, such as `manual`.
    pub fire_reason: Option<Box<str>>,
    /// The run of the reporting task.
    pub run_id: Option<Box<str>>,
    /// The producer of the report, such as `session-task`.
    /// Not declared, seen on the wire.
    pub producer: Option<Box<str>>,
}

/// The kind of a report to a session.
#[wire]
pub enum NotificationSubkind {
    /// The stored prompt of a scheduled task.
    ScheduledTrigger = "scheduled-trigger",
    /// Another session of the same user.
    PeerSendMessage = "peer-send-message",
    /// A message relayed by a project.
    ProjectsRelay = "projects-relay",
    /// The session's inbox.
    SessionInbox = "session-inbox",
    /// An external event, such as a webhook.
    ExternalEvent = "external-event",
}

/// An observing subagent (`observer`).
#[wire]
pub struct ObserverOrigin {
    /// The name.
    pub from: Box<str>,
    /// The task id.
    #[serde(rename = "senderTaskId")]
    pub sender_task_id: Box<str>,
}
