//! `cache_control`: cache breakpoints of a prompt.

/// A cache breakpoint: the API caches the prompt up to the end of this block (`cache_control`).
#[wire(tag = "type")]
pub enum CacheControl {
    /// A short-lived cache entry.
    Ephemeral(EphemeralCache) = "ephemeral",
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

/// The lifetime of a cache entry.
#[wire]
pub enum CacheTtl {
    /// Five minutes.
    FiveMinutes = "5m",
    /// One hour.
    OneHour = "1h",
}
