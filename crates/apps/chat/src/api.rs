//! A client of the Messages API.

use std::{env, fmt, time::Duration};

use agentwire_net::tls_config;
use reqwest::{
    Client, Response,
    header::{HeaderMap, HeaderValue},
    redirect::Policy,
};
use serde::Deserialize;
use serde_json::Value;

use crate::error::ApiError;

/// A model behind the Messages API. A clone is cheap.
#[derive(Clone)]
pub struct Api {
    client: Client,
    url: String,
    key: HeaderValue,
    pub(crate) model: String,
}

/// A message of the model.
#[derive(Debug, Deserialize)]
pub(crate) struct Reply {
    /// The blocks, unchanged, because they are sent back.
    pub(crate) content: Vec<Value>,
    #[serde(default)]
    pub(crate) stop_reason: Option<String>,
}

impl Api {
    /// Creates a client for the API at this base URL (`https://api.anthropic.com`, without `/v1`).
    ///
    /// # Errors
    ///
    /// If the URL or the key is invalid.
    pub fn new(
        base_url: impl Into<String>,
        key: impl Into<String>,
        model: impl Into<String>,
    ) -> Result<Self, ApiError> {
        let base_url = base_url.into();
        let url = format!("{}/v1/messages", base_url.trim_end_matches('/'));
        if !reqwest::Url::parse(&url).is_ok_and(|url| matches!(url.scheme(), "http" | "https")) {
            return Err(ApiError::Address(base_url));
        }
        let key: String = key.into();
        let mut key = HeaderValue::try_from(key).map_err(|_| ApiError::Key)?;
        key.set_sensitive(true);
        let client = Client::builder()
            .tls_backend_preconfigured(tls_config())
            .timeout(LIMIT)
            // The key and the conversation are for this host only.
            .redirect(Policy::none())
            .build()
            .map_err(ApiError::Http)?;
        Ok(Self { client, url, key, model: model.into() })
    }

    /// Creates a client from `ANTHROPIC_BASE_URL` (the vendor's by default), `ANTHROPIC_API_KEY` and `ANTHROPIC_MODEL`.
    /// An empty variable counts as missing.
    ///
    /// # Errors
    ///
    /// If the key or the model is missing, if a variable is not valid Unicode, and as for [`new`](Self::new).
    pub fn from_env() -> Result<Self, ApiError> {
        let variable = |name: &'static str| match env::var(name) {
            Ok(value) => Ok(Some(value).filter(|value| !value.is_empty())),
            Err(env::VarError::NotPresent) => Ok(None),
            // With the default URL, the key would go to another host than the configured one.
            Err(env::VarError::NotUnicode(_)) => Err(ApiError::Variable(name)),
        };
        let needed = |name| variable(name)?.ok_or(ApiError::Variable(name));
        let url = variable("ANTHROPIC_BASE_URL")?.unwrap_or_else(|| VENDOR.to_owned());
        Self::new(url, needed("ANTHROPIC_API_KEY")?, needed("ANTHROPIC_MODEL")?)
    }

    /// Sends a request; retries while the API is overloaded, up to three attempts.
    pub(crate) async fn send(&self, request: &Value) -> Result<Reply, ApiError> {
        let mut tries = 1;
        loop {
            let response = self.post(request).await?;
            let (status, wait) = (response.status().as_u16(), wait(response.headers(), tries));
            let location =
                response.headers().get("location").and_then(|url| Some(url.to_str().ok()?.to_owned()));
            let body = body(response).await?;
            match status {
                200..=299 => {
                    return serde_json::from_slice(&body).map_err(|_| ApiError::NoMessage(message(&body)));
                }
                429 | 500.. if tries < TRIES => tokio::time::sleep(wait).await,
                300..=399 => {
                    let message =
                        format!("a redirect to {}, which is not followed", location.unwrap_or_default());
                    return Err(ApiError::Refused { status, message });
                }
                _ => return Err(ApiError::Refused { status, message: message(&body) }),
            }
            tries += 1;
        }
    }

    async fn post(&self, request: &Value) -> Result<Response, ApiError> {
        let post = self.client.post(&self.url).header("x-api-key", &self.key);
        let post = post.header("anthropic-version", VERSION).header("content-type", "application/json");
        post.body(request.to_string()).send().await.map_err(ApiError::Http)
    }
}

/// Returns the delay before the next attempt.
fn wait(headers: &HeaderMap, tries: u32) -> Duration {
    let retry_after = headers.get("retry-after").and_then(|value| value.to_str().ok()?.parse().ok());
    retry_after.map_or(FIRST_WAIT * 2_u32.pow(tries - 1), Duration::from_secs).min(LONGEST_WAIT)
}

async fn body(mut response: Response) -> Result<Vec<u8>, ApiError> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(ApiError::Http)? {
        if body.len() + chunk.len() > LONGEST {
            return Err(ApiError::TooLong);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// Returns the error message in a response.
fn message(body: &[u8]) -> String {
    let response = serde_json::from_slice::<Value>(body).ok();
    let message =
        response.and_then(|response| Some(response.pointer("/error/message")?.as_str()?.to_owned()));
    message.unwrap_or_else(|| String::from_utf8_lossy(body).chars().take(SHOWN).collect())
}

// Leaves out the key.
impl fmt::Debug for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Api").field("url", &self.url).field("model", &self.model).finish_non_exhaustive()
    }
}

const VENDOR: &str = "https://api.anthropic.com";
const VERSION: &str = "2023-06-01";
/// A long answer without streaming takes minutes.
const LIMIT: Duration = Duration::from_secs(600);
const TRIES: u32 = 3;
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// The longest accepted answer, in bytes.
const LONGEST: usize = 64 << 20;
/// How many characters of an answer without an error message are shown.
const SHOWN: usize = 500;
