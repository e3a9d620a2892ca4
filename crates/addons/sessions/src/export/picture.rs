//! Images, embedded or replaced by a note.

use agentwire_protocol::content::{Image, ImageSource};

/// An image.
#[derive(Debug)]
pub(super) struct Picture {
    /// The type and size of the image.
    pub(super) note: String,
    /// The image as a `data:` URL without characters that are special in Markdown or HTML.
    pub(super) address: Option<String>,
}

impl Picture {
    pub(super) fn of(image: Image) -> Self {
        match image.source {
            ImageSource::Base64(source) => {
                let note = format!("Picture, {}, {} bytes", source.media_type, bytes(&source.data));
                let shown = SHOWN.contains(&&*source.media_type) && source.data.bytes().all(is_base64);
                let address = shown.then(|| format!("data:{};base64,{}", source.media_type, source.data));
                Self { note, address }
            }
            ImageSource::Url(source) => Self { note: format!("Picture at {}", source.url), address: None },
            ImageSource::File(source) => {
                Self { note: format!("Picture in file {}", source.file_id), address: None }
            }
            _ => Self { note: "Picture".to_owned(), address: None },
        }
    }
}

/// Returns the number of bytes that base64 text encodes.
fn bytes(data: &str) -> usize {
    data.trim_end_matches('=').len() * 3 / 4
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// Types that a browser displays without running scripts.
const SHOWN: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
