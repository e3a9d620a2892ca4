//! How long a call may take, and how much it may give.

use std::time::Duration;

/// How long a call may take, and how much it may give.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallLimits {
    /// How long a call may take in all, however much progress its server reports: 10 minutes by default.
    ///
    /// A server whose `timeout` is longer has that much.
    pub longest: Duration,
    /// How much text an outcome may have, in bytes, and how much structured content as JSON: 1 MiB by default.
    pub text: usize,
    /// How much images, sound and other data an outcome may have, in bytes of base64: 16 MiB by default.
    pub media: usize,
}

impl CallLimits {
    /// With another limit of the time.
    pub fn longest(mut self, longest: Duration) -> Self {
        self.longest = longest;
        self
    }

    /// With another limit of text, in bytes.
    pub fn text(mut self, bytes: usize) -> Self {
        self.text = bytes;
        self
    }

    /// With another limit of data, in bytes of base64.
    pub fn media(mut self, bytes: usize) -> Self {
        self.media = bytes;
        self
    }
}

impl Default for CallLimits {
    fn default() -> Self {
        Self { longest: Duration::from_secs(600), text: 1 << 20, media: 16 << 20 }
    }
}
