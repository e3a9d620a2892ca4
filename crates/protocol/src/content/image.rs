//! `image`: a picture.

use serde::{Deserialize, Serialize};

use crate::RawJson;

/// A picture (`image`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Image {
    /// Where the picture is: `{"type":"base64","media_type":…,"data":…}` or another kind of source.
    pub source: RawJson,
}
