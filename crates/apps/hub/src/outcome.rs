//! The outcome of a call, with limits on its size.

mod error;
mod limits;

use agentwire_net::{excerpt, head};
use rmcp::model::{
    CallToolResult, CompletionInfo, ContentBlock, EmbeddedResource, ErrorData, GetPromptResult, MetaObject,
    ReadResourceResult, ResourceContents, TextContent,
};
use serde::Serialize;
use serde_json::Value;

use crate::{size::size, transport::stdio::is_unreadable};
pub use error::{CallError, DeniedBy, TimeLimit, Violation};
pub use limits::CallLimits;

/// The outcome of a tool call.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CallOutcome {
    /// The content blocks, in the tool's order.
    pub content: Vec<ContentBlock>,
    /// The content as data (`structuredContent`), if the tool returns it.
    pub structured: Option<Value>,
    /// Whether the tool reports a failure (`isError`), which the content describes.
    pub is_error: bool,
    /// The metadata (`_meta`).
    pub meta: Option<MetaObject>,
    /// The size of the parts that were too large. A note in the content marks the place of each.
    pub left_out: Option<LeftOut>,
    /// The violations of the tool's output schema (`outputSchema`) by `structured`, which stays unchanged, or by its
    /// absence.
    ///
    /// Empty if there is no usable output schema, if the tool failed, and if `structured` was removed for its size.
    pub violations: Vec<Violation>,
}

/// The size of the parts that were removed from an outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeftOut {
    /// The bytes of text, of structured content as JSON, and of metadata.
    pub text: usize,
    /// The bytes of images, sound and other data, in base64.
    pub media: usize,
}

impl CallOutcome {
    pub(crate) fn bounded(result: CallToolResult, limits: &CallLimits) -> Self {
        let CallToolResult { mut content, mut structured_content, is_error, mut meta, .. } = result;
        let mut room = Room::new(limits);
        content.retain_mut(|block| room.bound_block(block));
        content.shrink_to_fit();
        if let Some(note) = room.bound_structured(&mut structured_content, limits.text) {
            content.push(ContentBlock::text(note));
        }
        room.bound_meta(&mut meta);
        Self {
            content,
            structured: structured_content,
            is_error: is_error.unwrap_or(false),
            meta,
            left_out: (room.left_out != LeftOut::default()).then_some(room.left_out),
            violations: Vec::new(),
        }
    }

    /// Returns the note about [`violations`](Self::violations) for a model, if there are some.
    pub(crate) fn violation_note(&self) -> Option<String> {
        let mut violations = self.violations.iter();
        let first = violations.next()?;
        let more = violations.map(|violation| format!("; {violation}")).collect::<String>();
        Some(format!("[the structured content is not what the tool promises: {first}{more}]"))
    }
}

/// Converts an outcome to `rmcp`'s type.
impl From<CallOutcome> for CallToolResult {
    fn from(outcome: CallOutcome) -> Self {
        let CallOutcome { content, structured, is_error, meta, .. } = outcome;
        let mut result = if is_error { Self::error(content) } else { Self::success(content) };
        result.structured_content = structured;
        result.meta = meta;
        result
    }
}

/// Limits the contents of a resource.
pub(crate) fn bounded_contents(mut result: ReadResourceResult, limits: &CallLimits) -> ReadResourceResult {
    let mut room = Room::new(limits);
    result.contents.retain_mut(|contents| room.bound_contents(contents));
    result.contents.shrink_to_fit();
    room.bound_meta(&mut result.meta);
    result
}

/// Limits a prompt.
pub(crate) fn bounded_prompt(mut result: GetPromptResult, limits: &CallLimits) -> GetPromptResult {
    let mut room = Room::new(limits);
    result.description.take_if(|description| !room.bound_text(description));
    result.messages.retain_mut(|message| room.bound_block(&mut message.content));
    result.messages.shrink_to_fit();
    room.bound_meta(&mut result.meta);
    result
}

/// Limits the completions of an argument. `has_more` is set if some are left out.
pub(crate) fn bounded_values(mut completion: CompletionInfo, limits: &CallLimits) -> CompletionInfo {
    let mut room = Room::new(limits);
    let all = completion.values.len();
    completion.values.truncate(CompletionInfo::MAX_VALUES);
    completion.values.retain(|value| room.charge_metadata(value.len() + ENTRY));
    completion.values.shrink_to_fit();
    if completion.values.len() < all {
        completion.has_more = Some(true);
    }
    completion
}

/// Returns whether the error comes from the transport, and not from the server.
pub(crate) fn is_of_transport(error: &ErrorData) -> bool {
    is_unreadable(error) || error.message == REPLACED
}

/// Limits an error of a server.
pub(crate) fn bounded_error(mut error: ErrorData) -> ErrorData {
    if error.message.len() > MAX_MESSAGE {
        error.message = format!("{}…", head(&error.message, MAX_MESSAGE)).into();
    }
    error.data.take_if(|data| size(data) > MAX_FREE_METADATA);
    error
}

/// The remaining room of an outcome.
struct Room {
    text: usize,
    /// The bytes of metadata that are free. Further metadata counts as text.
    free_metadata: usize,
    media: usize,
    /// The number of further notes.
    notes: usize,
    left_out: LeftOut,
}

impl Room {
    fn new(limits: &CallLimits) -> Self {
        Self {
            text: limits.text,
            free_metadata: MAX_FREE_METADATA,
            media: limits.media,
            notes: MAX_NOTES,
            left_out: LeftOut::default(),
        }
    }

    /// Cuts or replaces a block that has no room. Returns `false` if the block must be removed, because there is no room for
    /// another note.
    fn bound_block(&mut self, block: &mut ContentBlock) -> bool {
        let media = match block {
            ContentBlock::Image(image) => Some(("an image", &image.mime_type, image.data.len())),
            ContentBlock::Audio(audio) => Some(("sound", &audio.mime_type, audio.data.len())),
            _ => None,
        };
        if let Some((what, kind, bytes)) = media
            && bytes > self.media
        {
            self.left_out.media += bytes;
            let what = format!("{what} ({}, {bytes} bytes of base64)", excerpt(kind));
            return self.replace(block, &what);
        }
        let metadata = metadata_size(block, payload);
        if !self.charge_metadata(metadata + ENTRY) {
            self.left_out.text += metadata;
            let bytes = payload(block).map_or(0, |payload| payload.len());
            match block {
                ContentBlock::Image(_)
                | ContentBlock::Audio(_)
                | ContentBlock::Resource(EmbeddedResource {
                    resource: ResourceContents::BlobResourceContents { .. },
                    ..
                }) => self.left_out.media += bytes,
                _ => self.left_out.text += bytes,
            }
            let what = match block {
                ContentBlock::ResourceLink(_) => format!("a link to a resource ({metadata} bytes)"),
                _ => format!("a block with {metadata} bytes of metadata"),
            };
            return self.replace(block, &what);
        }
        match block {
            ContentBlock::Text(TextContent { text, .. }) => self.bound_text(text),
            ContentBlock::Image(image) => self.charge_media(image.data.len()),
            ContentBlock::Audio(audio) => self.charge_media(audio.data.len()),
            ContentBlock::Resource(embedded) => self.bound_resource(&mut embedded.resource),
            _ => true,
        }
    }

    /// Limits contents as [`bound_block`](Self::bound_block) does.
    fn bound_contents(&mut self, contents: &mut ResourceContents) -> bool {
        let metadata = metadata_size(contents, resource_payload);
        if self.charge_metadata(metadata + ENTRY) {
            return self.bound_resource(contents);
        }
        let Some(note) = self.note(&format!("contents with {metadata} bytes of metadata")) else {
            return false;
        };
        let uri = match contents {
            ResourceContents::TextResourceContents { uri, .. }
            | ResourceContents::BlobResourceContents { uri, .. } => excerpt(uri).into_owned(),
            _ => String::new(),
        };
        *contents = ResourceContents::text(note, uri);
        true
    }

    /// Limits the text or data of a resource, as [`bound_block`](Self::bound_block) does. The metadata is charged already.
    fn bound_resource(&mut self, resource: &mut ResourceContents) -> bool {
        match resource {
            ResourceContents::TextResourceContents { text, .. } => self.bound_text(text),
            ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
                let bytes = blob.len();
                if self.charge_media(bytes) {
                    return true;
                }
                let kind = mime_type.as_deref().unwrap_or("of no known type");
                let what = format!("data ({}, {bytes} bytes of base64)", excerpt(kind));
                let Some(note) = self.note(&what) else { return false };
                *resource = ResourceContents::text(note, std::mem::take(uri));
                true
            }
            _ => true,
        }
    }

    /// Cuts a text that has no room, and adds a note at its end.
    fn bound_text(&mut self, text: &mut String) -> bool {
        let whole = text.len();
        if whole <= self.text {
            self.text -= whole;
            return true;
        }
        let kept = head(text, self.text).len();
        self.text = 0;
        self.left_out.text += whole - kept;
        text.truncate(kept);
        let note = self.note(&format!("{} of {whole} bytes", whole - kept));
        if let Some(note) = &note {
            text.push('\n');
            text.push_str(note);
        }
        text.shrink_to_fit();
        kept > 0 || note.is_some()
    }

    /// Removes structured content that is too large, and returns the note. It has its own limit, because it repeats the text.
    fn bound_structured(&mut self, structured: &mut Option<Value>, limit: usize) -> Option<String> {
        let bytes = structured.as_ref().map_or(0, size);
        if bytes <= limit {
            return None;
        }
        *structured = None;
        self.left_out.text += bytes;
        self.note(&format!("structured content ({bytes} bytes)"))
    }

    fn bound_meta(&mut self, meta: &mut Option<MetaObject>) {
        let bytes = meta.as_ref().map_or(0, size);
        if !self.charge_metadata(bytes) {
            *meta = None;
            self.left_out.text += bytes;
        }
    }

    /// Takes room for metadata. Returns `false` if there is not enough.
    fn charge_metadata(&mut self, bytes: usize) -> bool {
        let more = bytes.saturating_sub(self.free_metadata);
        let Some(left) = self.text.checked_sub(more) else { return false };
        self.text = left;
        self.free_metadata = self.free_metadata.saturating_sub(bytes);
        true
    }

    /// Takes room for data. Returns `false` if there is not enough; the data then counts as left out.
    fn charge_media(&mut self, bytes: usize) -> bool {
        let left = self.media.checked_sub(bytes);
        match left {
            Some(left) => self.media = left,
            None => self.left_out.media += bytes,
        }
        left.is_some()
    }

    fn replace(&mut self, block: &mut ContentBlock, what: &str) -> bool {
        let Some(note) = self.note(what) else { return false };
        *block = ContentBlock::text(note);
        true
    }

    /// Returns the note for an omitted part; `None` after the last note, because notes need room too.
    fn note(&mut self, what: &str) -> Option<String> {
        self.notes = self.notes.checked_sub(1)?;
        Some(match self.notes {
            0 => format!("[{what} and more left out: the output is too large]"),
            _ => format!("[{what} left out: the output is too large]"),
        })
    }
}

/// Returns the text or data of a block.
fn payload(block: &mut ContentBlock) -> Option<&mut String> {
    match block {
        ContentBlock::Text(text) => Some(&mut text.text),
        ContentBlock::Image(image) => Some(&mut image.data),
        ContentBlock::Audio(audio) => Some(&mut audio.data),
        ContentBlock::Resource(embedded) => resource_payload(&mut embedded.resource),
        _ => None,
    }
}

/// Returns the text or data of a resource.
fn resource_payload(resource: &mut ResourceContents) -> Option<&mut String> {
    match resource {
        ResourceContents::TextResourceContents { text, .. } => Some(text),
        ResourceContents::BlobResourceContents { blob, .. } => Some(blob),
        _ => None,
    }
}

/// Returns the size of a block without its text or data.
fn metadata_size<T: Serialize>(block: &mut T, payload: fn(&mut T) -> Option<&mut String>) -> usize {
    let taken = payload(block).map(std::mem::take);
    let bytes = size(block);
    if let (Some(empty), Some(taken)) = (payload(block), taken) {
        *empty = taken;
    }
    bytes
}

/// The maximum number of notes in one outcome.
const MAX_NOTES: usize = 20;
/// The bytes of metadata that do not count as text.
const MAX_FREE_METADATA: usize = 64 << 10;
/// The bytes that each block counts in addition to its content.
const ENTRY: usize = 32;
/// The maximum length of an error message, in bytes.
const MAX_MESSAGE: usize = 16 << 10;
/// The error of `rmcp` for requests of an expired session over streamable HTTP.
pub(crate) const REPLACED: &str = "streamable HTTP session was re-initialized before the response arrived";

#[cfg(test)]
mod tests;
