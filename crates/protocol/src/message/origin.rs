//! Where a message to the model came from.

use serde::{Deserialize, Serialize};

use crate::{open_enum::open_enum, tagged::tagged};

tagged! {
    /// Where a message to the model came from (`origin`).
    ///
    /// In both directions: a host that passes on what a person typed says so by `human`.
    pub enum Origin by "kind" {
        /// A person typed it.
        Human(PlainOrigin) = "human",
        /// It came by a channel of an MCP server.
        Channel(ChannelOrigin) = "channel",
        /// Another session or agent sent it.
        Peer(Box<PeerOrigin>) = "peer",
        /// A task or an event outside the session reports.
        TaskNotification(Box<TaskNotificationOrigin>) = "task-notification",
        /// The coordinator of several sessions sent it.
        Coordinator(PlainOrigin) = "coordinator",
        /// It could not be found out.
        Unclassified(PlainOrigin) = "unclassified",
        /// A subagent that watches sent it.
        Observer(ObserverOrigin) = "observer",
        /// The CLI goes on by itself.
        AutoContinuation(PlainOrigin) = "auto-continuation",
        /// It tells a subagent that watches what went on.
        ObserverActivity(PlainOrigin) = "observer-activity",
    }
}

/// An origin of which nothing more is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct PlainOrigin {}

/// A channel of an MCP server (`channel`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ChannelOrigin {
    /// The server.
    pub server: Box<str>,
}

/// Another session or agent (`peer`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PeerOrigin {
    /// Whom to answer, as the sender says; anyone on the machine can say anything.
    pub from: Box<str>,
    /// How the sender's tool uses are permitted, as its host declares.
    pub from_mode: Option<PeerMode>,
    /// The sender's name for a reader, as the sender says.
    pub name: Option<String>,
    /// The sender's session, as the sender says.
    pub from_session: Option<Box<str>>,
    /// The task of the subagent that sent it; the CLI's own word.
    pub sender_task_id: Option<Box<str>>,
    /// The text without what it was wrapped in.
    pub body: Option<String>,
    /// The process that connected, as the operating system says.
    pub verified_peer_pid: Option<u64>,
}

open_enum! {
    /// How the tool uses of another session are permitted (`fromMode`).
    pub enum PeerMode {
        /// They pass without a question.
        Bypass = "bypass",
        /// Somebody is asked.
        Prompting = "prompting",
    }
}

/// A task or an event outside the session (`task-notification`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TaskNotificationOrigin {
    /// What it was; absent for the session's own tasks.
    pub subkind: Option<NotificationSubkind>,
    /// Why a scheduled task was started, such as `manual`.
    pub fire_reason: Option<Box<str>>,
    /// The run of the task that reports.
    pub run_id: Option<Box<str>>,
    /// What reports, such as `session-task`.
    /// Not declared, seen on the wire.
    pub producer: Option<Box<str>>,
}

open_enum! {
    /// What reported to a session.
    pub enum NotificationSubkind {
        /// A scheduled task: its stored prompt.
        ScheduledTrigger = "scheduled-trigger",
        /// Another session of the same user.
        PeerSendMessage = "peer-send-message",
        /// A project passed it on.
        ProjectsRelay = "projects-relay",
        /// The session's inbox.
        SessionInbox = "session-inbox",
        /// An event outside, such as a webhook.
        ExternalEvent = "external-event",
    }
}

/// A subagent that watches (`observer`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ObserverOrigin {
    /// Its name.
    pub from: Box<str>,
    /// Its task.
    #[serde(rename = "senderTaskId")]
    pub sender_task_id: Box<str>,
}
