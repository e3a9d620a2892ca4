//! `cache_control`: a mark that the prompt up to here be cached.

use serde::{Deserialize, Serialize};

use crate::{open_enum::open_enum, tagged::tagged};

tagged! {
    /// A mark that the prompt up to the end of its block be cached (`cache_control`).
    pub enum CacheControl by "type" {
        /// For a short while.
        Ephemeral(EphemeralCache) = "ephemeral",
    }
}

impl CacheControl {
    /// Cached for as long as the API likes: five minutes, while it is used.
    pub fn ephemeral() -> Self {
        Self::Ephemeral(EphemeralCache::default())
    }

    /// Cached for that time.
    pub fn ephemeral_for(ttl: CacheTtl) -> Self {
        Self::Ephemeral(EphemeralCache { ttl: Some(ttl) })
    }
}

/// Cached for a short while (`ephemeral`).
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct EphemeralCache {
    /// For how long; absent means five minutes.
    pub ttl: Option<CacheTtl>,
}

open_enum! {
    /// How long the cache holds.
    pub enum CacheTtl {
        /// Five minutes.
        FiveMinutes = "5m",
        /// One hour.
        OneHour = "1h",
    }
}
