//! `document`: a PDF or a plain text.

use super::{CacheControl, CitationsConfig, Content, FileSource, InlineSource, UrlSource};

/// A PDF or a plain text (`document`).
#[wire(new)]
pub struct Document {
    /// The source of the document.
    pub source: DocumentSource,
    /// The title, for the model.
    pub title: Option<String>,
    /// Context for the model, which is not cited; only in requests.
    pub context: Option<String>,
    /// Whether the model cites the document.
    pub citations: Option<CitationsConfig>,
    /// Cache breakpoint: the API caches the prompt up to this block. Only in requests.
    pub cache_control: Option<Box<CacheControl>>,
}

impl Document {
    /// Returns a document from base64 data; `media_type` is `application/pdf`.
    pub fn base64(media_type: impl Into<Box<str>>, data: impl Into<String>) -> Self {
        Self::new(DocumentSource::Base64(InlineSource { media_type: media_type.into(), data: data.into() }))
    }

    /// Returns a plain text document.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(DocumentSource::Text(InlineSource { media_type: "text/plain".into(), data: text.into() }))
    }

    /// Returns a document made of text and image blocks, which are cited one by one.
    pub fn content(content: impl Into<Content>) -> Self {
        Self::new(DocumentSource::Content(ContentSource { content: content.into() }))
    }

    /// Returns a document from the URL of a PDF.
    pub fn url(url: impl Into<Box<str>>) -> Self {
        Self::new(DocumentSource::Url(UrlSource { url: url.into() }))
    }

    /// Returns a document from a file that was uploaded to the API.
    pub fn file(file_id: impl Into<Box<str>>) -> Self {
        Self::new(DocumentSource::File(FileSource { file_id: file_id.into() }))
    }
}

/// The source of a document.
#[wire(tag = "type")]
pub enum DocumentSource {
    /// Data within the block, in base64.
    Base64(InlineSource) = "base64",
    /// Plain text within the block.
    Text(InlineSource) = "text",
    /// Content blocks within the block.
    Content(ContentSource) = "content",
    /// A URL.
    Url(UrlSource) = "url",
    /// A file that was uploaded to the API.
    File(FileSource) = "file",
}

/// A document made of content blocks (`content`).
#[wire]
pub struct ContentSource {
    /// Text, or text and image blocks.
    pub content: Content,
}
