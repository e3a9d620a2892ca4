//! Results of calls as content for the Messages API.

use rmcp::model::{ContentBlock, ResourceContents};
use serde_json::{Value, json};

use super::fence::fenced;

/// Converts the result of a call to content blocks of the Messages API, for a `tool_result` or a message.
///
/// PNG, JPEG, GIF and WebP become images; other data, which the API does not accept, becomes a text that describes it.
/// Structured content becomes JSON text if the content has no text. A warning follows as a text of its own.
/// The result has at least one block.
pub fn messages_content(
    content: &[ContentBlock],
    structured: Option<&Value>,
    warning: Option<String>,
) -> Vec<Value> {
    let mut blocks: Vec<_> = content.iter().filter_map(block).collect();
    let is_text =
        |block: &ContentBlock| matches!(block, ContentBlock::Text(block) if !block.text.trim().is_empty());
    if let Some(structured) = structured
        && !content.iter().any(is_text)
    {
        blocks.push(text(structured.to_string()));
    }
    blocks.extend(warning.map(text));
    never_empty(blocks)
}

/// Converts the contents of a resource in the same way.
pub fn messages_contents(contents: &[ResourceContents]) -> Vec<Value> {
    never_empty(contents.iter().filter_map(|contents| resource(contents, false)).collect())
}

/// Quotes untrusted text as a Markdown block that the text can't end.
pub fn quoted(text: &str) -> String {
    fenced(text, "text")
}

fn block(block: &ContentBlock) -> Option<Value> {
    match block {
        ContentBlock::Text(block) => (!block.text.trim().is_empty()).then(|| text(block.text.clone())),
        ContentBlock::Image(image) => Some(media("an image", &image.mime_type, &image.data)),
        ContentBlock::Audio(audio) => Some(media("sound", &audio.mime_type, &audio.data)),
        ContentBlock::ResourceLink(link) => {
            let description = link.description.as_deref().map(|text| format!(": {text}")).unwrap_or_default();
            Some(text(format!("[resource {} ({}){description}]", link.uri, link.name)))
        }
        ContentBlock::Resource(embedded) => resource(&embedded.resource, true),
        other => Some(text(format!("[content that is not known here: {}]", kind(other)))),
    }
}

fn resource(contents: &ResourceContents, is_named: bool) -> Option<Value> {
    match contents {
        ResourceContents::TextResourceContents { uri, text: content, .. } if is_named => {
            Some(text(format!("[resource {uri}]\n{content}")))
        }
        ResourceContents::TextResourceContents { text: content, .. } => {
            (!content.trim().is_empty()).then(|| text(content.clone()))
        }
        ResourceContents::BlobResourceContents { mime_type, blob, .. } => {
            Some(media("data", mime_type.as_deref().unwrap_or("no type"), blob))
        }
        _ => Some(text("[a resource of a kind that is not known here]".to_owned())),
    }
}

/// Returns an image, or a description of data that the API does not accept.
fn media(what: &str, mime_type: &str, data: &str) -> Value {
    let mime_type = mime_type.to_ascii_lowercase();
    if IMAGES.contains(&&*mime_type) {
        let source = json!({"type": "base64", "media_type": mime_type, "data": data});
        return json!({"type": "image", "source": source});
    }
    text(format!("[{what} ({mime_type}, {} bytes of base64) that can't be shown here]", data.len()))
}

fn text(text: String) -> Value {
    json!({"type": "text", "text": text})
}

fn never_empty(blocks: Vec<Value>) -> Vec<Value> {
    if blocks.is_empty() { vec![text("(no output)".to_owned())] } else { blocks }
}

/// Returns the type of a content block in the protocol.
fn kind(block: &ContentBlock) -> String {
    let block = serde_json::to_value(block).unwrap_or_default();
    block["type"].as_str().unwrap_or("?").to_owned()
}

/// The image types that the API accepts.
const IMAGES: &[&str] = &["image/gif", "image/jpeg", "image/png", "image/webp"];
