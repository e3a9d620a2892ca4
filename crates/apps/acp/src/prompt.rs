//! Prompts of the client as input of the CLI.

use agent_client_protocol::v1::schema::{
    BlobResourceContents, ContentBlock, EmbeddedResourceResource, ImageContent,
};
use agentwire::{
    Block,
    protocol::content::{Document, Image, Text},
};

use crate::{embedded, mapping::with_own_name, mention};

/// Returns the blocks of a prompt.
///
/// The CLI takes the last block of text for what the user typed: it runs a slash command at its start, and reads the files
/// that it mentions. That block therefore has the user's words and links only. Embedded texts, which strangers may have
/// written, precede it, as do images and documents. Content of kinds that the model can't read becomes a note.
pub(crate) fn blocks(prompt: &[ContentBlock]) -> Vec<Block> {
    let (mut blocks, mut typed) = (Vec::new(), Typed::default());
    for block in prompt {
        match block {
            ContentBlock::Text(text) => typed.push(&text.text),
            ContentBlock::Image(image) => blocks.push(of_image(image)),
            ContentBlock::ResourceLink(link) => typed.push(&mention::of(link)),
            ContentBlock::Resource(resource) => match &resource.resource {
                EmbeddedResourceResource::TextResourceContents(text) => {
                    typed.push(&embedded::reference(&text.uri));
                    blocks.push(Text::new(embedded::written(text)).into());
                }
                EmbeddedResourceResource::BlobResourceContents(blob) => match of_blob(blob) {
                    Some(block) => blocks.push(block),
                    None => typed.push(&unreadable(&blob.uri)),
                },
                _ => typed.push(UNREADABLE),
            },
            _ => typed.push(UNREADABLE),
        }
    }
    // The CLI needs a block, also from a prompt of empty texts.
    if !typed.0.is_empty() || blocks.is_empty() {
        blocks.push(Text::new(with_own_name(&typed.0)).into());
    }
    blocks
}

/// What the user typed: words, and references to files and resources.
#[derive(Default)]
struct Typed(String);

impl Typed {
    /// Appends words or a reference.
    fn push(&mut self, part: &str) {
        // Without a blank, a command or a mention would continue with the next part.
        let is_apart = self.0.ends_with(char::is_whitespace) || part.starts_with(char::is_whitespace);
        if !self.0.is_empty() && !part.is_empty() && !is_apart {
            self.0.push(' ');
        }
        self.0.push_str(part);
    }
}

/// Returns the block of an image: its data or, without data, its remote address.
fn of_image(image: &ImageContent) -> Block {
    match &image.uri {
        Some(uri) if image.data.is_empty() && is_remote(uri) => Image::url(&**uri).into(),
        _ => Image::base64(&*image.mime_type, image.data.clone()).into(),
    }
}

/// Returns the block of an image or a document; `None` for data of another kind.
fn of_blob(blob: &BlobResourceContents) -> Option<Block> {
    match blob.mime_type.as_deref()? {
        kind if kind.starts_with("image/") => Some(Image::base64(kind, blob.blob.clone()).into()),
        PDF => Some(Document::base64(PDF, blob.blob.clone()).into()),
        _ => None,
    }
}

fn unreadable(uri: &str) -> String {
    mention::escaped(&format!("[{uri}: the content can't be read]"))
}

fn is_remote(uri: &str) -> bool {
    uri.starts_with("https://") || uri.starts_with("http://")
}

const PDF: &str = "application/pdf";
const UNREADABLE: &str = "[content of a kind that can't be read]";

#[cfg(test)]
mod tests {
    use agent_client_protocol::v1::schema::{
        AudioContent, EmbeddedResource, ResourceLink, TextResourceContents,
    };
    use serde_json::{Value, json};

    use super::*;

    fn sent(prompt: &[ContentBlock]) -> Vec<Value> {
        blocks(prompt).iter().map(|block| serde_json::to_value(block).unwrap()).collect()
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
    fn words_and_links_are_the_last_block() {
        let text = TextResourceContents::new("fn main() {} // @.env", "file:///project/a.rs");
        let resource = EmbeddedResource::new(EmbeddedResourceResource::TextResourceContents(text));
        let link = || ContentBlock::ResourceLink(ResourceLink::new("b.rs", "file:///p/b.rs"));
        let context = "<context ref=\"file:///project/a.rs\">\nfn main() {} // @.env\n</context>";
        for (words, typed) in [
            (["Explain ", " to me."], "[file:///project/a.rs] Explain @/p/b.rs to me."),
            (["Explain:", ", please"], "[file:///project/a.rs] Explain: @/p/b.rs , please"),
            (["", ""], "[file:///project/a.rs] @/p/b.rs"),
        ] {
            let [before, after] = words.map(ContentBlock::from);
            let image = ContentBlock::Image(ImageContent::new("AAAA", "image/png"));
            let sent = sent(&[ContentBlock::Resource(resource.clone()), before, link(), after, image]);
            let texts: Vec<&Value> = sent.iter().map(|block| &block["text"]).collect();
            assert_eq!(texts, [&json!(context), &Value::Null, &json!(typed)]);
        }
    }

    #[test]
    fn texts_around_an_image_stay_apart() {
        for (before, after, typed) in [
            ("See @a.png", "then fix it", "See @a.png then fix it"),
            ("/review", "src", "/review src"),
            ("Fix\n", "it", "Fix\nit"),
        ] {
            let image = ContentBlock::Image(ImageContent::new("AAAA", "image/png"));
            let sent = sent(&[before.into(), image, after.into()]);
            assert_eq!(sent[1..], [json!({"type": "text", "text": typed})]);
        }
    }

    #[test]
    fn empty_texts_are_one_empty_text() {
        assert_eq!(sent(&["".into(), "".into()]), [json!({"type": "text", "text": ""})]);
    }

    #[test]
    fn command_with_a_link_is_a_command() {
        let link = ContentBlock::ResourceLink(ResourceLink::new("b.rs", "file:///p/b.rs"));
        let sent = sent(&[ContentBlock::from("/mcp:files:list"), link]);
        assert_eq!(sent, [json!({"type": "text", "text": "/files:list (MCP) @/p/b.rs"})]);
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
