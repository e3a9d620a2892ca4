//! `container_upload`: a file to be put into the API's container.

use serde::{Deserialize, Serialize};

use super::CacheControl;

/// A file to be put into the API's container (`container_upload`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ContainerUpload {
    /// The file's id at the API.
    pub file_id: Box<str>,
    /// A mark that the prompt up to here be cached; only on its way to the model.
    pub cache_control: Option<Box<CacheControl>>,
}

impl ContainerUpload {
    /// That file.
    pub fn new(file_id: impl Into<Box<str>>) -> Self {
        Self { file_id: file_id.into(), cache_control: None }
    }
}
