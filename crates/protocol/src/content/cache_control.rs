//! `cache_control`: cache breakpoints of a prompt.

use crate::{open_enum::open_enum, tagged::tagged};

tagged! {
    /// A cache breakpoint: the API caches the prompt up to the end of this block (`cache_control`).
    pub enum CacheControl by "type" {
        /// A short-lived cache entry.
        Ephemeral(EphemeralCache) = "ephemeral",
    }
}

impl CacheControl {
    /// Returns a breakpoint with the default lifetime: five minutes since the last use.
    pub fn ephemeral() -> Self {
        Self::Ephemeral(EphemeralCache::default())
    }

    /// Returns a breakpoint with this lifetime.
    pub fn ephemeral_for(ttl: CacheTtl) -> Self {
        Self::Ephemeral(EphemeralCache { ttl: Some(ttl) })
    }
}

/// A short-lived cache entry (`ephemeral`).
#[wire(Default)]
pub struct EphemeralCache {
    /// The lifetime; absent means five minutes.
    pub ttl: Option<CacheTtl>,
}

open_enum! {
    /// The lifetime of a cache entry.
    pub enum CacheTtl {
        /// Five minutes.
        FiveMinutes = "5m",
        /// One hour.
        OneHour = "1h",
    }
}
