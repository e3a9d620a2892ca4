//! Panics in code of the user.

use std::pin::pin;

use agentwire::control::panics::catch_polls;

/// Runs a future that calls code of the user. A panic is logged, and returned as a text.
pub(crate) async fn caught<T>(name: &str, future: impl Future<Output = T>) -> Result<T, String> {
    catch_polls(pin!(future)).await.map_err(|panic| {
        let why = format!("{name} panicked: {panic}");
        tracing::error!("{why}");
        why
    })
}
