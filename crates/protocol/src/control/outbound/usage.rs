//! `get_usage`: the usage of the session and of the plan.

use crate::{
    Nullable,
    usage::{ExtraUsage, SessionUsage},
};

/// Requests the usage of the session and of the plan (`get_usage`). Declared as experimental.
#[wire(Copy, Default, Eq)]
pub struct GetUsage {
    /// Whether to skip the analysis of the last seven days' transcripts, which is slow.
    pub skip_behaviors: Option<bool>,
}

/// The usage of the session and of the plan.
#[wire(Default, nulls, tolerant)]
pub struct GetUsageReply {
    /// The usage of this session.
    pub session: SessionUsage,
    /// The plan; `null` with an API key.
    pub subscription_type: Option<Box<str>>,
    /// Whether limits of a plan apply.
    pub rate_limits_available: bool,
    /// The limits of the plan; `null` if there are none or they are unknown.
    pub rate_limits: Option<RateLimits>,
    /// The main causes of plan usage, from the transcripts on this machine; `null` without a plan.
    pub behaviors: Option<Behaviors>,
}

/// The limits of a plan.
#[wire(Default, tolerant)]
pub struct RateLimits {
    /// The last five hours.
    pub five_hour: Nullable<RateWindow>,
    /// The last seven days.
    pub seven_day: Nullable<RateWindow>,
    /// The last seven days, for other programs that the user logged in with.
    pub seven_day_oauth_apps: Nullable<RateWindow>,
    /// The last seven days, for one family of models.
    pub seven_day_opus: Nullable<RateWindow>,
    /// The last seven days, for another family of models.
    pub seven_day_sonnet: Nullable<RateWindow>,
    /// The last seven days by model; absent if unknown.
    pub model_scoped: Option<Vec<ModelWindow>>,
    /// Extra usage beyond the plan.
    pub extra_usage: Nullable<ExtraUsage>,
}

/// The utilization of a limit.
#[wire(Default, nulls, tolerant)]
pub struct RateWindow {
    /// The utilization, from 0 to 100.
    pub utilization: Option<f64>,
    /// The time of the reset, in ISO 8601.
    pub resets_at: Option<Box<str>>,
}

/// The utilization of a model's limit.
#[wire(Default, nulls, tolerant)]
pub struct ModelWindow {
    /// The display name of the model.
    pub display_name: String,
    /// The utilization, from 0 to 100.
    pub utilization: Option<f64>,
    /// The time of the reset, in ISO 8601.
    pub resets_at: Option<Box<str>>,
}

/// The main causes of plan usage.
#[wire(Default, tolerant)]
pub struct Behaviors {
    /// The last 24 hours.
    pub day: BehaviorWindow,
    /// The last seven days.
    pub week: BehaviorWindow,
}

/// The main causes of plan usage in one period.
#[wire(Default, tolerant)]
pub struct BehaviorWindow {
    /// The number of API requests.
    pub request_count: u64,
    /// The number of sessions.
    pub session_count: u64,
    /// Usage patterns; they overlap, so shares do not add up.
    pub behaviors: Vec<Behavior>,
    /// Recommendations, by decreasing share.
    pub recommendations: Option<Vec<Recommendation>>,
    /// A fix for this session.
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

/// A usage pattern.
#[wire(tolerant)]
pub struct Behavior {
    /// The pattern.
    #[required]
    pub key: BehaviorKey,
    /// The share, from 0 to 100.
    pub pct: f64,
    /// The number of requests with this pattern.
    pub count: u64,
}

/// A usage pattern (`key`).
#[wire]
pub enum BehaviorKey {
    /// Prompt cache misses.
    CacheMiss = "cache_miss",
    /// Long conversations.
    LongContext = "long_context",
    /// Heavy use of subagents.
    SubagentHeavy = "subagent_heavy",
    /// Many parallel sessions.
    HighParallel = "high_parallel",
    /// Scheduled sessions.
    Cron = "cron",
    /// The highest effort level.
    MaxEffort = "max_effort",
    /// Workflows.
    Workflow = "workflow",
    /// Large content that is always in the context.
    AlwaysOnContext = "always_on_context",
    /// Large tool results.
    LargeToolResults = "large_tool_results",
}

/// A recommendation to reduce usage.
#[wire(tolerant)]
pub struct Recommendation {
    /// The pattern, or `agent`, `skill`, `plugin` or `mcp_server`.
    #[required]
    pub key: Box<str>,
    /// The share that it refers to, from 0 to 100.
    pub pct: f64,
    /// The recommendation.
    pub title: String,
    /// The observation, or the command to run.
    pub detail: Option<String>,
}

/// A fix to reduce the usage of this session.
#[wire(Default, Eq, tolerant)]
pub struct BehaviorFix {
    /// The recommendations that it covers.
    pub keys: Vec<Box<str>>,
    /// The prompts to send one by one, with priority `later`.
    pub messages: Vec<String>,
}

/// The share of one item.
#[wire]
pub struct Share {
    /// The name.
    pub name: Box<str>,
    /// The share, from 0 to 100.
    #[serde(default)]
    pub pct: f64,
}
