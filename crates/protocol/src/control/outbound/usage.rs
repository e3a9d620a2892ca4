//! `get_usage`: what the session has used, and how much of the plan is left.

use serde::{Deserialize, Serialize};

use super::ControlCall;
use crate::{
    Nullable,
    open_enum::open_enum,
    usage::{ExtraUsage, SessionUsage},
};

/// What has been used (`get_usage`)? Declared as experimental.
#[skip_serializing_none]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct GetUsage {
    /// Whether to leave out what takes long: the look through the last seven days' transcripts.
    pub skip_behaviors: Option<bool>,
}

impl ControlCall for GetUsage {
    const SUBTYPE: &'static str = "get_usage";
    type Reply = GetUsageReply;
}

/// What has been used.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
#[non_exhaustive]
pub struct GetUsageReply {
    /// By this session.
    pub session: SessionUsage,
    /// The plan; `null` with an API key.
    pub subscription_type: Option<Box<str>>,
    /// Whether a plan's limits count.
    pub rate_limits_available: bool,
    /// The plan's limits; `null` where there are none or they are not known.
    pub rate_limits: Option<RateLimits>,
    /// What used most of the plan, by the transcripts on this machine; `null` without a plan.
    pub behaviors: Option<Behaviors>,
}

/// The limits of a plan.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
#[non_exhaustive]
pub struct RateLimits {
    /// The last five hours.
    #[serde(skip_serializing_if = "Nullable::is_absent")]
    pub five_hour: Nullable<RateWindow>,
    /// The last seven days.
    #[serde(skip_serializing_if = "Nullable::is_absent")]
    pub seven_day: Nullable<RateWindow>,
    /// The last seven days, of other programs that the user logged in with.
    #[serde(skip_serializing_if = "Nullable::is_absent")]
    pub seven_day_oauth_apps: Nullable<RateWindow>,
    /// The last seven days, of one family of models.
    #[serde(skip_serializing_if = "Nullable::is_absent")]
    pub seven_day_opus: Nullable<RateWindow>,
    /// The last seven days, of another family of models.
    #[serde(skip_serializing_if = "Nullable::is_absent")]
    pub seven_day_sonnet: Nullable<RateWindow>,
    /// The last seven days by model; absent where it is not known.
    pub model_scoped: Option<Vec<ModelWindow>>,
    /// Use beyond the plan.
    #[serde(skip_serializing_if = "Nullable::is_absent")]
    pub extra_usage: Nullable<ExtraUsage>,
}

/// How much of a limit is used.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
#[non_exhaustive]
pub struct RateWindow {
    /// How much, from 0 to 100.
    pub utilization: Option<f64>,
    /// When it starts anew, in ISO 8601.
    pub resets_at: Option<Box<str>>,
}

/// How much of a model's limit is used.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ModelWindow {
    /// The model's name for people.
    pub display_name: String,
    /// How much, from 0 to 100.
    pub utilization: Option<f64>,
    /// When it starts anew, in ISO 8601.
    pub resets_at: Option<Box<str>>,
}

/// What used most of the plan.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Behaviors {
    /// In the last 24 hours.
    pub day: BehaviorWindow,
    /// In the last seven days.
    pub week: BehaviorWindow,
}

/// What used most of the plan in a stretch of time.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
#[non_exhaustive]
pub struct BehaviorWindow {
    /// Requests to the API.
    pub request_count: u64,
    /// Sessions.
    pub session_count: u64,
    /// Habits; they overlap, so that shares do not add up.
    pub behaviors: Vec<Behavior>,
    /// What to do about it, the largest share first.
    pub recommendations: Option<Vec<Recommendation>>,
    /// What can be done about it in this session.
    pub fix: Option<BehaviorFix>,
    /// Shares of agents.
    pub agents: Vec<Share>,
    /// Shares of skills.
    pub skills: Vec<Share>,
    /// Shares of plugins.
    pub plugins: Vec<Share>,
    /// Shares of MCP servers.
    pub mcp_servers: Vec<Share>,
}

/// A habit that uses much.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Behavior {
    /// The habit.
    pub key: BehaviorKey,
    /// Its share, from 0 to 100.
    #[serde(default)]
    pub pct: f64,
    /// How many requests show it.
    #[serde(default)]
    pub count: u64,
}

open_enum! {
    /// A habit that uses much (`key`).
    pub enum BehaviorKey {
        /// The prompt cache was missed.
        CacheMiss = "cache_miss",
        /// Long conversations.
        LongContext = "long_context",
        /// Many subagents.
        SubagentHeavy = "subagent_heavy",
        /// Many sessions at once.
        HighParallel = "high_parallel",
        /// Sessions on a timer.
        Cron = "cron",
        /// The most effort.
        MaxEffort = "max_effort",
        /// Workflows.
        Workflow = "workflow",
        /// Much that is always in the context.
        AlwaysOnContext = "always_on_context",
        /// Long results of tools.
        LargeToolResults = "large_tool_results",
    }
}

/// What to do about use.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Recommendation {
    /// The habit, or `agent`, `skill`, `plugin` or `mcp_server`.
    pub key: Box<str>,
    /// The share that it is about, from 0 to 100.
    #[serde(default)]
    pub pct: f64,
    /// What to do.
    #[serde(default)]
    pub title: String,
    /// What was seen, or what to run.
    pub detail: Option<String>,
}

/// What can be done about use in this session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
#[non_exhaustive]
pub struct BehaviorFix {
    /// The recommendations that it covers.
    pub keys: Vec<Box<str>>,
    /// Prompts to send one by one, at priority `later`.
    pub messages: Vec<String>,
}

/// The share of one thing.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Share {
    /// Its name.
    pub name: Box<str>,
    /// Its share, from 0 to 100.
    #[serde(default)]
    pub pct: f64,
}
