//! `image`: an image.

use super::{CacheControl, FileSource, InlineSource, UrlSource};

/// An image (`image`).
#[wire(new)]
pub struct Image {
    /// The source of the image.
    pub source: ImageSource,
    /// Changes that the API may make before the model sees the image; only in requests.
    pub transformations: Option<ImageTransformations>,
    /// Cache breakpoint: the API caches the prompt up to this block. Only in requests.
    pub cache_control: Option<Box<CacheControl>>,
}

impl Image {
    /// Returns an image from base64 data; `media_type` is, for example, `image/png`.
    pub fn base64(media_type: impl Into<Box<str>>, data: impl Into<String>) -> Self {
        Self::new(ImageSource::Base64(InlineSource { media_type: media_type.into(), data: data.into() }))
    }

    /// Returns an image from a URL.
    pub fn url(url: impl Into<Box<str>>) -> Self {
        Self::new(ImageSource::Url(UrlSource { url: url.into() }))
    }

    /// Returns an image from a file that was uploaded to the API.
    pub fn file(file_id: impl Into<Box<str>>) -> Self {
        Self::new(ImageSource::File(FileSource { file_id: file_id.into() }))
    }
}

/// The source of an image.
#[wire(tag = "type")]
pub enum ImageSource {
    /// Data within the block.
    Base64(InlineSource) = "base64",
    /// A URL.
    Url(UrlSource) = "url",
    /// A file that was uploaded to the API.
    File(FileSource) = "file",
}

/// Changes that the API may make to an image (`transformations`).
#[wire(Default)]
pub struct ImageTransformations {
    /// How to treat an image that is too large; absent means downsizing.
    pub oversized_image: Option<OversizedImage>,
}

/// How to treat an image that is too large.
#[wire]
pub enum OversizedImage {
    /// Downsize it.
    Downsize = "downsize",
    /// Reject the request.
    Error = "error",
}
