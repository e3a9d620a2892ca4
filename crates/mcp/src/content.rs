//! What a tool gives back.

use std::fmt::Display;

use agentwire_hooks::excerpt;
use rmcp::model::{CallToolResult, ContentBlock};

/// What a tool gives back: text and images for the model, and whether it is an error.
///
/// An error is a result too: the model reads it and can try something else.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolOutput {
    parts: Vec<Part>,
    is_error: bool,
}

impl ToolOutput {
    /// Text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::default().and_text(text)
    }

    /// An image, as its bytes and its MIME type, such as `image/png`.
    pub fn image(bytes: &[u8], mime_type: impl Into<String>) -> Self {
        Self::default().and_image(bytes, mime_type)
    }

    /// A text that says what went wrong.
    pub fn error(text: impl Into<String>) -> Self {
        Self { is_error: true, ..Self::text(text) }
    }

    /// The same, and more text.
    #[must_use]
    pub fn and_text(mut self, text: impl Into<String>) -> Self {
        self.parts.push(Part::Text(text.into()));
        self
    }

    /// The same, and an image.
    #[must_use]
    pub fn and_image(mut self, bytes: &[u8], mime_type: impl Into<String>) -> Self {
        self.parts.push(Part::Image { base64: base64(bytes), mime_type: mime_type.into() });
        self
    }

    pub(crate) fn into_result(self) -> CallToolResult {
        let content = self.parts.into_iter().map(|part| match part {
            Part::Text(text) => ContentBlock::text(text),
            Part::Image { base64, mime_type } => ContentBlock::image(base64, mime_type),
        });
        let content = content.collect();
        if self.is_error { CallToolResult::error(content) } else { CallToolResult::success(content) }
    }
}

/// What a tool's handler may return: a [`ToolOutput`], text, nothing, or a `Result` of any of them.
pub trait IntoToolOutput {
    /// The output.
    fn into_tool_output(self) -> ToolOutput;
}

impl IntoToolOutput for ToolOutput {
    fn into_tool_output(self) -> ToolOutput {
        self
    }
}

impl IntoToolOutput for String {
    fn into_tool_output(self) -> ToolOutput {
        ToolOutput::text(self)
    }
}

impl IntoToolOutput for &str {
    fn into_tool_output(self) -> ToolOutput {
        ToolOutput::text(self)
    }
}

/// No content.
impl IntoToolOutput for () {
    fn into_tool_output(self) -> ToolOutput {
        ToolOutput::default()
    }
}

/// An error is an error result with its text.
impl<R: IntoToolOutput, D: Display> IntoToolOutput for Result<R, D> {
    fn into_tool_output(self) -> ToolOutput {
        match self {
            Ok(output) => output.into_tool_output(),
            Err(error) => ToolOutput::error(excerpt(&error.to_string())),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Part {
    Text(String),
    Image { base64: String, mime_type: String },
}

/// Base64 with padding; the one place that needs it is no reason for a crate.
fn base64(bytes: &[u8]) -> String {
    let digit = |bits: u32, shift: u32| char::from(ALPHABET[(bits >> shift) as usize & 63]);
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |index: usize| u32::from(chunk.get(index).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        text.push(digit(bits, 18));
        text.push(digit(bits, 12));
        text.push(if chunk.len() > 1 { digit(bits, 6) } else { '=' });
        text.push(if chunk.len() > 2 { digit(bits, 0) } else { '=' });
    }
    text
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn base64_is_the_usual_one() {
        let cases = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("foobar", "Zm9vYmFy"),
        ];
        for (plain, expected) in cases {
            assert_eq!(base64(plain.as_bytes()), expected);
        }
        assert_eq!(base64(&[0xff, 0xff, 0xfe, 0xfb]), "///++w==");
    }
}
