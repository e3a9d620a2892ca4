//! `document`: a PDF or a text.

use serde::{Deserialize, Serialize};

use super::{CacheControl, CitationsConfig, Content, FileSource, InlineSource, UrlSource};
use crate::tagged::tagged;

/// A PDF or a text (`document`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Document {
    /// Where the document is.
    pub source: DocumentSource,
    /// Its title, for the model.
    pub title: Option<String>,
    /// Words about it for the model, which are not cited; only on its way to the model.
    pub context: Option<String>,
    /// Whether the model is to cite it.
    pub citations: Option<CitationsConfig>,
    /// A mark that the prompt up to here be cached; only on its way to the model.
    pub cache_control: Option<Box<CacheControl>>,
}

impl Document {
    /// A document whose bytes are here, in base64; `media_type` is `application/pdf`.
    pub fn base64(media_type: impl Into<Box<str>>, data: impl Into<String>) -> Self {
        Self::new(DocumentSource::Base64(InlineSource { media_type: media_type.into(), data: data.into() }))
    }

    /// A plain text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(DocumentSource::Text(InlineSource { media_type: "text/plain".into(), data: text.into() }))
    }

    /// A document made of blocks of text and pictures, which are cited one by one.
    pub fn content(content: impl Into<Content>) -> Self {
        Self::new(DocumentSource::Content(ContentSource { content: content.into() }))
    }

    /// A PDF at an address.
    pub fn url(url: impl Into<Box<str>>) -> Self {
        Self::new(DocumentSource::Url(UrlSource { url: url.into() }))
    }

    /// A document that was given to the API before.
    pub fn file(file_id: impl Into<Box<str>>) -> Self {
        Self::new(DocumentSource::File(FileSource { file_id: file_id.into() }))
    }

    /// A document from that source.
    pub fn new(source: DocumentSource) -> Self {
        Self { source, title: None, context: None, citations: None, cache_control: None }
    }

    /// The same with a title.
    #[must_use]
    pub fn with_title(self, title: impl Into<String>) -> Self {
        Self { title: Some(title.into()), ..self }
    }
}

tagged! {
    /// Where a document is.
    pub enum DocumentSource by "type" {
        /// Within the block, as bytes.
        Base64(InlineSource) = "base64",
        /// Within the block, as text.
        Text(InlineSource) = "text",
        /// Within the block, as blocks.
        Content(ContentSource) = "content",
        /// At an address.
        Url(UrlSource) = "url",
        /// In a file that was given to the API before.
        File(FileSource) = "file",
    }
}

/// A document made of blocks (`content`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ContentSource {
    /// Text, or blocks of text and pictures.
    pub content: Content,
}
