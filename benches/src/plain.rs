//! What one would write first: owned types with serde's derived tagging, and `Value` where the shape is free.
//!
//! They hold about the fields that the typed view holds, no more, so that the comparison is fair.
//! `RawValue` is no choice for them: it fails at run time inside a derived tagged enum.

#![expect(
    missing_docs,
    clippy::exhaustive_enums,
    clippy::exhaustive_structs,
    reason = "a yardstick, whose names are the wire's"
)]

use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Message {
    Assistant(Box<Assistant>),
    User(Box<User>),
    System(Box<System>),
    Result(Box<TurnResult>),
    StreamEvent(Box<StreamEvent>),
    RateLimitEvent {
        rate_limit_info: Value,
    },
    ControlRequest {
        request_id: String,
        request: Value,
    },
    ControlResponse {
        response: Value,
    },
    ControlCancelRequest {
        request_id: String,
    },
    KeepAlive {},
    #[serde(other)]
    Unknown,
}

#[derive(Debug, Deserialize)]
pub struct Assistant {
    pub message: ApiMessage,
    pub parent_tool_use_id: Option<String>,
    pub session_id: Option<String>,
    pub uuid: Option<String>,
    pub request_id: Option<String>,
    pub timestamp: Option<String>,
    pub error: Option<String>,
}

#[derive(Debug, Deserialize)]
pub struct ApiMessage {
    pub id: String,
    pub model: String,
    pub content: Vec<Block>,
    pub stop_reason: Option<String>,
    pub usage: Option<Usage>,
}

#[derive(Debug, Deserialize)]
pub struct User {
    pub message: UserMessage,
    pub parent_tool_use_id: Option<String>,
    pub session_id: Option<String>,
    pub uuid: Option<String>,
    pub timestamp: Option<String>,
    pub tool_use_result: Option<Value>,
}

#[derive(Debug, Deserialize)]
pub struct UserMessage {
    pub role: String,
    pub content: Content,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Content {
    Text(String),
    Blocks(Vec<Block>),
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Block {
    Text {
        text: String,
    },
    Thinking {
        thinking: String,
        signature: Option<String>,
    },
    ToolUse {
        id: String,
        name: String,
        input: Value,
    },
    ToolResult {
        tool_use_id: String,
        content: Option<Value>,
        is_error: Option<bool>,
    },
    #[serde(other)]
    Unknown,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "subtype", rename_all = "snake_case")]
pub enum System {
    Init(Box<Init>),
    Status {
        status: Option<String>,
        session_id: Option<String>,
        uuid: Option<String>,
    },
    SessionStateChanged {
        state: String,
        session_id: Option<String>,
        uuid: Option<String>,
    },
    ThinkingTokens {
        estimated_tokens: u64,
        session_id: Option<String>,
        uuid: Option<String>,
    },
    #[serde(other)]
    Unknown,
}

#[derive(Debug, Deserialize)]
pub struct Init {
    pub cwd: String,
    pub session_id: String,
    pub tools: Vec<String>,
    pub mcp_servers: Vec<Value>,
    pub model: String,
    #[serde(rename = "permissionMode")]
    pub permission_mode: String,
    pub slash_commands: Option<Vec<String>>,
    pub uuid: Option<String>,
}

#[derive(Debug, Deserialize)]
pub struct TurnResult {
    pub subtype: String,
    pub is_error: bool,
    pub num_turns: u64,
    pub result: Option<String>,
    pub session_id: Option<String>,
    pub uuid: Option<String>,
    pub total_cost_usd: Option<f64>,
    pub usage: Option<Usage>,
    #[serde(rename = "modelUsage")]
    pub model_usage: Option<Value>,
    pub permission_denials: Option<Vec<Value>>,
}

#[derive(Debug, Deserialize)]
pub struct StreamEvent {
    pub event: Event,
    pub parent_tool_use_id: Option<String>,
    pub session_id: Option<String>,
    pub uuid: Option<String>,
    pub api_message_id: Option<String>,
    pub ttft_ms: Option<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    MessageStart {
        message: Value,
    },
    ContentBlockStart {
        index: u32,
        content_block: Block,
    },
    ContentBlockDelta {
        index: u32,
        delta: Delta,
    },
    ContentBlockStop {
        index: u32,
    },
    MessageDelta {
        delta: Value,
        usage: Option<Usage>,
    },
    MessageStop {},
    #[serde(other)]
    Unknown,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Delta {
    TextDelta {
        text: String,
    },
    ThinkingDelta {
        thinking: String,
    },
    SignatureDelta {
        signature: String,
    },
    InputJsonDelta {
        partial_json: String,
    },
    #[serde(other)]
    Unknown,
}

#[derive(Debug, Deserialize)]
pub struct Usage {
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cache_creation_input_tokens: Option<u64>,
    pub cache_read_input_tokens: Option<u64>,
    pub service_tier: Option<String>,
}
