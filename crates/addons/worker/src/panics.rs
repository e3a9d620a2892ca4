//! Panics in code of the user.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt as _;

/// Runs a future that calls code of the user. A panic is logged, and returned as a text.
pub(crate) async fn caught<T>(name: &str, future: impl Future<Output = T>) -> Result<T, String> {
    AssertUnwindSafe(future).catch_unwind().await.map_err(|panic| {
        let text = panic.downcast_ref::<&str>().copied();
        let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        let why = format!("{name} panicked: {}", text.unwrap_or("without a text"));
        tracing::error!("{why}");
        why
    })
}
