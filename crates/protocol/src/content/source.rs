//! Sources of images and documents.

use serde::{Deserialize, Serialize};

/// Data within the block (`base64`, and `text` of a document).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct InlineSource {
    /// The media type, such as `image/png`, `application/pdf` or `text/plain`.
    pub media_type: Box<str>,
    /// The data: base64 (`base64`) or plain text (`text`).
    pub data: String,
}

/// Data at a URL, which the API fetches (`url`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct UrlSource {
    /// The URL.
    pub url: Box<str>,
}

/// A file that was uploaded to the API (`file`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct FileSource {
    /// The file's id at the API.
    pub file_id: Box<str>,
}
