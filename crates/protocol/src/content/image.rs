//! `image`: a picture.

use serde::{Deserialize, Serialize};

use super::{CacheControl, FileSource, InlineSource, UrlSource};
use crate::{open_enum::open_enum, tagged::tagged};

/// A picture (`image`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Image {
    /// Where the picture is.
    pub source: ImageSource,
    /// What the API may do to the picture before the model sees it; only on its way to the model.
    pub transformations: Option<ImageTransformations>,
    /// A mark that the prompt up to here be cached; only on its way to the model.
    pub cache_control: Option<Box<CacheControl>>,
}

impl Image {
    /// A picture whose bytes are here, in base64; `media_type` is such as `image/png`.
    pub fn base64(media_type: impl Into<Box<str>>, data: impl Into<String>) -> Self {
        Self::new(ImageSource::Base64(InlineSource { media_type: media_type.into(), data: data.into() }))
    }

    /// A picture at an address.
    pub fn url(url: impl Into<Box<str>>) -> Self {
        Self::new(ImageSource::Url(UrlSource { url: url.into() }))
    }

    /// A picture that was given to the API before.
    pub fn file(file_id: impl Into<Box<str>>) -> Self {
        Self::new(ImageSource::File(FileSource { file_id: file_id.into() }))
    }

    /// A picture from that source.
    pub fn new(source: ImageSource) -> Self {
        Self { source, transformations: None, cache_control: None }
    }
}

tagged! {
    /// Where a picture is.
    pub enum ImageSource by "type" {
        /// Within the block.
        Base64(InlineSource) = "base64",
        /// At an address.
        Url(UrlSource) = "url",
        /// In a file that was given to the API before.
        File(FileSource) = "file",
    }
}

/// What the API may do to a picture before the model sees it (`transformations`).
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ImageTransformations {
    /// What is done with a picture that is too large; absent means that it is made smaller.
    pub oversized_image: Option<OversizedImage>,
}

open_enum! {
    /// What is done with a picture that is too large.
    pub enum OversizedImage {
        /// It is made smaller.
        Downsize = "downsize",
        /// The request is refused.
        Error = "error",
    }
}
