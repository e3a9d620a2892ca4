//! Reads a body up to a limit.

use reqwest::Response;

use crate::error::FetchError;

/// Reads the body; `max_bytes` limits the decompressed size.
pub(crate) async fn read(mut response: Response, max_bytes: usize) -> Result<Vec<u8>, FetchError> {
    if response.content_length().is_some_and(|length| length > max_bytes as u64) {
        return Err(FetchError::TooLarge(max_bytes));
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if chunk.len() > max_bytes - body.len() {
            return Err(FetchError::TooLarge(max_bytes));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}
