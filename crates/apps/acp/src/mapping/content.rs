//! Content blocks of the CLI as content of the protocol.

use agent_client_protocol::v1::schema::{
    Content, ContentBlock, ContentChunk, ImageContent, MessageId, ToolCallContent,
};
use agentwire::{
    Block,
    protocol::{ApiMessageId, RawJson, ToolUseId, content::ImageSource},
};
use serde_json::Value;

use super::value;

/// Returns a chunk of a message; `None` if the text is empty.
pub(crate) fn chunk(text: &str, message: Option<&ApiMessageId>) -> Option<ContentChunk> {
    let id = message.map(|id| MessageId::new(id.as_str()));
    (!text.is_empty()).then(|| ContentChunk::new(ContentBlock::from(text)).message_id(id))
}

/// Returns text as content of a tool call.
pub(crate) fn text(text: impl Into<String>) -> ToolCallContent {
    ToolCallContent::Content(Content::new(ContentBlock::from(text.into())))
}

/// Returns a text in a code block, with a fence that the text does not contain.
pub(super) fn fenced(language: &str, text: &str) -> String {
    let longest = text.split(|one| one != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{language}\n{text}{end}{fence}")
}

/// Returns a block as content; other blocks than texts and images in the message become their kind.
pub(super) fn block(block: &Block) -> ContentBlock {
    match block {
        Block::Text(text) => ContentBlock::from(&*text.text),
        Block::Image(image) => match &image.source {
            ImageSource::Base64(data) => {
                ContentBlock::Image(ImageContent::new(data.data.clone(), data.media_type.to_string()))
            }
            ImageSource::Url(url) => ContentBlock::from(format!("[image: {}]", url.url)),
            _ => ContentBlock::from("[image]"),
        },
        Block::ToolReference(tool) => ContentBlock::from(format!("[tool: {}]", tool.tool_name)),
        other => ContentBlock::from(format!("[{}]", other.kind())),
    }
}

/// A block of a tool that the API runs itself.
pub(super) enum ServerBlock {
    /// A call.
    Call { id: ToolUseId, name: String, input: Value },
    /// A result.
    Result { id: ToolUseId, content: Value },
}

/// Returns the call or the result in a block, if it is of a tool that the API runs.
pub(super) fn server_block(block: &Block) -> Option<ServerBlock> {
    let kind = block.kind();
    let is_call = matches!(kind, "server_tool_use" | "mcp_tool_use");
    if !is_call && !kind.ends_with("_tool_result") {
        return None;
    }
    // A dozen kinds have these fields.
    let mut fields = value(&RawJson::encode(block).ok()?);
    let text = |fields: &Value, name: &str| fields[name].as_str().map(ToOwned::to_owned);
    Some(if is_call {
        let (id, name) = (text(&fields, "id")?.into(), text(&fields, "name")?);
        ServerBlock::Call { id, name, input: fields["input"].take() }
    } else {
        ServerBlock::Result { id: text(&fields, "tool_use_id")?.into(), content: fields["content"].take() }
    })
}
