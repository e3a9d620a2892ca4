//! Prompts of the client as input of the CLI.

use agent_client_protocol::v1::schema::{
    BlobResourceContents, ContentBlock, EmbeddedResourceResource, ImageContent, ResourceLink,
};
use agentwire::{
    Block,
    protocol::content::{Document, Image, Text},
};

use crate::{embedded, mapping::with_own_name};

/// Returns the blocks of a prompt.
///
/// Links become mentions, embedded texts follow the blocks that mention them, and content of kinds that the model can't
/// read becomes a note.
pub(crate) fn blocks(prompt: &[ContentBlock]) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut at_the_end = Vec::new();
    for block in prompt {
        match block {
            ContentBlock::Text(text) => blocks.push(of_text(with_own_name(&text.text))),
            ContentBlock::Image(image) => blocks.push(of_image(image)),
            ContentBlock::ResourceLink(link) => blocks.push(of_text(mention(link))),
            ContentBlock::Resource(resource) => match &resource.resource {
                EmbeddedResourceResource::TextResourceContents(text) => {
                    blocks.push(of_text(embedded::mention(&text.uri)));
                    at_the_end.push(of_text(embedded::written(text)));
                }
                EmbeddedResourceResource::BlobResourceContents(blob) => at_the_end.push(of_blob(blob)),
                _ => blocks.push(of_text(UNREADABLE)),
            },
            _ => blocks.push(of_text(UNREADABLE)),
        }
    }
    blocks.append(&mut at_the_end);
    blocks
}

fn of_text(text: impl Into<String>) -> Block {
    Text::new(text).into()
}

/// An image without data is at its address.
fn of_image(image: &ImageContent) -> Block {
    match &image.uri {
        Some(uri) if image.data.is_empty() && is_remote(uri) => Image::url(&**uri).into(),
        _ => Image::base64(&*image.mime_type, image.data.clone()).into(),
    }
}

/// Returns a mention as a user types it: the CLI reads the file.
fn mention(link: &ResourceLink) -> String {
    let Some(path) = link.uri.strip_prefix("file://") else {
        return format!("[{}]({})", link.name, link.uri);
    };
    let (path, position) = split_position(path);
    let path = decoded(path);
    // The CLI reads a path up to a blank, unless it is in quotes.
    let file = if path.contains(char::is_whitespace) { format!("@\"{path}\"") } else { format!("@{path}") };
    match position {
        Some(position) => format!("{file} ({})", decoded(position)),
        None => file,
    }
}

/// Splits off the lines and the symbol that editors append: `a.rs?symbol=main#L2:9`.
fn split_position(path: &str) -> (&str, Option<&str>) {
    let names_line = |(at, _): &(usize, &str)| path[at + 2..].starts_with(|c: char| c.is_ascii_digit());
    let lines = path.match_indices("#L").find(names_line).map(|(at, _)| at);
    match path.find("?symbol=").or(lines) {
        Some(at) => (&path[..at], Some(&path[at + 1..])),
        None => (path, None),
    }
}

fn of_blob(blob: &BlobResourceContents) -> Block {
    match blob.mime_type.as_deref() {
        Some(kind) if kind.starts_with("image/") => Image::base64(kind, blob.blob.clone()).into(),
        Some(PDF) => Document::base64(PDF, blob.blob.clone()).into(),
        _ => of_text(format!("[{}: the content can't be read]", blob.uri)),
    }
}

fn is_remote(uri: &str) -> bool {
    uri.starts_with("https://") || uri.starts_with("http://")
}

/// Decodes percent encoding; returns an invalid path unchanged.
fn decoded(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [first, tail @ ..] = rest {
        let encoded = tail.get(..2).filter(|hex| *first == b'%' && hex.iter().all(u8::is_ascii_hexdigit));
        let byte = encoded.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| path.to_owned())
}

const PDF: &str = "application/pdf";
const UNREADABLE: &str = "[content of a kind that can't be read]";

#[cfg(test)]
mod tests {
    use agent_client_protocol::v1::schema::{AudioContent, EmbeddedResource, TextResourceContents};
    use serde_json::{Value, json};

    use super::*;

    fn sent(prompt: &[ContentBlock]) -> Vec<Value> {
        blocks(prompt).iter().map(|block| serde_json::to_value(block).unwrap()).collect()
    }

    #[test]
    fn link_to_a_file_is_a_mention() {
        for (uri, text) in [
            ("file:///project/a%2Bb.rs", "@/project/a+b.rs"),
            ("file:///project/a%20b.rs", "@\"/project/a b.rs\""),
            ("file:///project/a.rs#L2:9", "@/project/a.rs (L2:9)"),
            ("file:///project/a.rs?symbol=main#L2:9", "@/project/a.rs (symbol=main#L2:9)"),
            ("file:///c#/List.cs", "@/c#/List.cs"),
        ] {
            let link = ContentBlock::ResourceLink(ResourceLink::new("b.rs", uri));
            assert_eq!(sent(&[link]), [json!({"type": "text", "text": text})]);
        }
        assert_eq!(decoded("/100%/%zz/%+5/%ff"), "/100%/%zz/%+5/%ff");
    }

    #[test]
    fn command_of_an_mcp_server_is_sent_as_the_cli_names_it() {
        for (typed, text) in [
            ("/mcp:files:list a b", "/files:list (MCP) a b"),
            ("/mcp:files:list", "/files:list (MCP)"),
            ("/compact", "/compact"),
            ("See /mcp:files:list", "See /mcp:files:list"),
        ] {
            assert_eq!(sent(&[ContentBlock::from(typed)]), [json!({"type": "text", "text": text})]);
        }
    }

    #[test]
    fn embedded_text_follows_the_prompt() {
        let text = TextResourceContents::new("fn main() {}", "file:///project/a.rs");
        let resource = EmbeddedResource::new(EmbeddedResourceResource::TextResourceContents(text));
        let prompt = [ContentBlock::Resource(resource), ContentBlock::from("Explain it.")];
        let texts: Vec<Value> = sent(&prompt).into_iter().map(|mut block| block["text"].take()).collect();
        let context = "<context ref=\"file:///project/a.rs\">\nfn main() {}\n</context>";
        assert_eq!(texts, ["[file:///project/a.rs]", "Explain it.", context]);
    }

    #[test]
    fn image_is_sent_as_data_or_by_its_address() {
        let data = sent(&[ContentBlock::Image(ImageContent::new("AAAA", "image/png"))]);
        assert_eq!(data[0]["source"], json!({"type": "base64", "media_type": "image/png", "data": "AAAA"}));
        let far = ImageContent::new("", "image/png").uri("https://example.com/a.png".to_owned());
        let far = sent(&[ContentBlock::Image(far)]);
        assert_eq!(far[0]["source"], json!({"type": "url", "url": "https://example.com/a.png"}));
    }

    #[test]
    fn unreadable_content_is_a_note() {
        assert_eq!(
            sent(&[ContentBlock::Audio(AudioContent::new("AAAA", "audio/wav"))])[0]["text"],
            UNREADABLE
        );
    }
}
