//! The limits of a mirror.

use std::time::Duration;

use crate::{Options, SessionStoreFlush};

/// The limits of a mirror.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MirrorOptions {
    /// Whether frames are appended before a flush is requested.
    pub(super) eager: bool,
    /// The longest time that a result or the end waits for the store.
    pub(super) flush_limit: Duration,
    /// The longest time of one append.
    pub(super) append_limit: Duration,
    /// The limit of pending bytes.
    pub(crate) max_pending: usize,
}

impl MirrorOptions {
    pub(crate) fn of(options: &Options) -> Self {
        let limit = |set: Option<u64>, default: Duration| set.map(Duration::from_millis).unwrap_or(default);
        Self {
            eager: options.session_store_flush == Some(SessionStoreFlush::Eager),
            flush_limit: limit(options.session_store_flush_timeout_ms, FLUSH_LIMIT),
            append_limit: limit(options.session_store_append_timeout_ms, APPEND_LIMIT),
            max_pending: options.session_store_max_pending_bytes.unwrap_or(MAX_PENDING),
        }
    }
}

const FLUSH_LIMIT: Duration = Duration::from_secs(10);
/// The default of the reference SDKs.
const APPEND_LIMIT: Duration = Duration::from_secs(60);
/// The same as the limit of a session's unread messages.
const MAX_PENDING: usize = 64 << 20;
