//! Sources of images and documents.

/// Data within the block (`base64`, and `text` of a document).
#[wire]
pub struct InlineSource {
    /// The media type, such as `image/png`, `application/pdf` or `text/plain`.
    pub media_type: Box<str>,
    /// The data: base64 (`base64`) or plain text (`text`).
    pub data: String,
}

/// Data at a URL, which the API fetches (`url`).
#[wire]
pub struct UrlSource {
    /// The URL.
    pub url: Box<str>,
}

/// A file that was uploaded to the API (`file`).
#[wire]
pub struct FileSource {
    /// The file's id at the API.
    pub file_id: Box<str>,
}
