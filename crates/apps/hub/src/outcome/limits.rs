//! The limits on the duration of calls and the size of their outcomes.

use std::time::Duration;

/// The limits on the duration of calls and the size of their outcomes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "plain settings, written with `..default()`")]
pub struct CallLimits {
    /// The maximum duration of a call, regardless of progress. The default is 10 minutes.
    ///
    /// A longer `timeout` of a server takes precedence.
    pub longest: Duration,
    /// The maximum size of the text of an outcome, and of its structured content as JSON, in bytes. The default is 1 MiB.
    pub text: usize,
    /// The maximum size of images, sound and other data of an outcome, in bytes of base64. The default is 16 MiB.
    pub media: usize,
}

impl Default for CallLimits {
    fn default() -> Self {
        Self { longest: Duration::from_secs(600), text: 1 << 20, media: 16 << 20 }
    }
}
