//! `container_upload`: a file for the API's container.

use super::CacheControl;

/// A file to upload to the API's container (`container_upload`).
#[wire(new)]
pub struct ContainerUpload {
    /// The file's id at the API.
    pub file_id: Box<str>,
    /// Cache breakpoint: the API caches the prompt up to this block. Only in requests.
    pub cache_control: Option<Box<CacheControl>>,
}
