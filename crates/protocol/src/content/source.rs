//! The kinds of source that pictures and documents share.

use serde::{Deserialize, Serialize};

/// Data within the block itself (`base64`, and `text` of a document).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct InlineSource {
    /// What the data is, such as `image/png`, `application/pdf` or `text/plain`.
    pub media_type: Box<str>,
    /// The data, in base64 (`base64`) or as it is (`text`).
    pub data: String,
}

/// Data at an address, which the API fetches (`url`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct UrlSource {
    /// The address.
    pub url: Box<str>,
}

/// A file that was given to the API before (`file`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct FileSource {
    /// The file's id at the API.
    pub file_id: Box<str>,
}
