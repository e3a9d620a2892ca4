//! The stored authorization of one server.

use std::time::{SystemTime, UNIX_EPOCH};

use rmcp::transport::StoredCredentials;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The stored authorization of one server. All of it is secret.
#[derive(Clone, Deserialize, Serialize)]
pub(crate) struct StoredAuthorization {
    pub(crate) client: ClientRecord,
    pub(crate) credentials: StoredCredentials,
}

/// The registration of the client, without which a token can't be renewed.
#[derive(Clone, Default, Deserialize, PartialEq, Serialize)]
pub(crate) struct ClientRecord {
    pub(crate) id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) secret: Option<String>,
    pub(crate) redirect_uri: String,
    /// The key of bound tokens (DPoP).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) dpop_key: Option<String>,
}

impl StoredAuthorization {
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        // Omit the parser's error: it may quote the content.
        serde_json::from_str(text).map_err(|_| "the stored authorization cannot be read")
    }

    /// Returns whether both are of the same client at the same authorization server.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        self.client == other.client && self.credentials.issuer == other.credentials.issuer
    }

    /// Returns the access token; `None` if there is none, or if it has expired or expires soon.
    pub(crate) fn fresh_token(&self) -> Option<String> {
        let (token, lifetime) = self.token()?;
        if let (Some(lifetime), Some(since)) = (lifetime, self.credentials.token_received_at) {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
            if since.saturating_add(lifetime) < now.saturating_add(EARLY.min(lifetime / 2)) {
                return None;
            }
        }
        Some(token)
    }

    /// Returns a token that was just issued. It is sent at least once, even if it expires soon.
    pub(crate) fn new_token(&self) -> Option<String> {
        self.token().map(|(token, _)| token)
    }

    /// Returns whether the token is bound to the key of the client.
    pub(crate) fn is_bound(&self) -> bool {
        let response = serde_json::to_value(self.credentials.token_response.as_ref());
        let kind = response.ok().and_then(|response| Some(response.get("token_type")?.as_str()?.to_owned()));
        kind.is_some_and(|kind| kind.eq_ignore_ascii_case("dpop"))
    }

    /// Returns whether a text contains a token or the secret of the client.
    pub(crate) fn is_shown_in(&self, text: &str) -> bool {
        let response = serde_json::to_value(self.credentials.token_response.as_ref()).unwrap_or_default();
        let tokens = ["access_token", "refresh_token"].map(|name| response.get(name).and_then(Value::as_str));
        let mut secrets = tokens.into_iter().chain([self.client.secret.as_deref()]).flatten();
        secrets.any(|secret| !secret.is_empty() && text.contains(secret))
    }

    /// Returns the token with its lifetime in seconds. Goes through JSON, because its type is in a crate that is not a
    /// dependency.
    fn token(&self) -> Option<(String, Option<u64>)> {
        let response = serde_json::to_value(self.credentials.token_response.as_ref()?).ok()?;
        let token = response.get("access_token")?.as_str()?.to_owned();
        Some((token, response.get("expires_in").and_then(Value::as_u64)))
    }
}

/// A token is not sent in its last seconds, or in the second half of a short lifetime.
const EARLY: u64 = 30;

#[cfg(test)]
mod tests {
    use std::time::{SystemTime, UNIX_EPOCH};

    use serde_json::json;

    use super::StoredAuthorization;

    fn record(lifetime: Option<u64>, age: u64) -> StoredAuthorization {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        let record = json!({
            "client": {"id": "a", "redirect_uri": "http://127.0.0.1/"},
            "credentials": {
                "client_id": "a",
                "token_response": {"access_token": "t", "token_type": "bearer", "expires_in": lifetime},
                "token_received_at": now - age,
            },
        });
        StoredAuthorization::parse(&record.to_string()).unwrap()
    }

    #[test]
    fn token_is_fresh_until_shortly_before_its_expiry() {
        assert_eq!(record(Some(100), 10).fresh_token().as_deref(), Some("t"));
        assert_eq!(record(None, 1_000_000).fresh_token().as_deref(), Some("t"));
        assert_eq!(record(Some(100), 80).fresh_token(), None);
        assert_eq!(record(Some(10), 4).fresh_token().as_deref(), Some("t"), "a short life is one too");
        assert_eq!(record(Some(10), 7).fresh_token(), None);
        assert_eq!(record(Some(10), 7).new_token().as_deref(), Some("t"));
        assert_eq!(record(Some(u64::MAX), 80).fresh_token().as_deref(), Some("t"));
        assert!(!StoredAuthorization::parse("{\"secret\"").err().unwrap().contains("secret"));
    }
}
