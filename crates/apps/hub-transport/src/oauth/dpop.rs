//! Proofs of possession (DPoP, RFC 9449): a bound token can't be used without its key.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::{SystemTime, UNIX_EPOCH},
};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use reqwest::{
    Method, Request, Url,
    header::{HeaderMap, HeaderValue},
};
use ring::digest::{SHA256, digest};
use serde_json::{Value, json};

use super::key::{SigningKey, encoded, unique};
use crate::web::{DPOP, Proof};

/// The key of a server's tokens, and the nonces for its proofs.
pub(crate) struct Dpop {
    key: SigningKey,
    jwk: Value,
    secret: String,
    /// By origin: each server issues its own.
    nonces: Mutex<HashMap<String, String>>,
}

impl Dpop {
    /// Creates a new key.
    pub(crate) fn generate() -> Result<Self, NoKey> {
        let pkcs8 = SigningKey::generate().ok_or(NoKey)?;
        Self::read(&encoded(pkcs8)).ok_or(NoKey)
    }

    /// Reads a key as [`Self::secret`] returned it.
    pub(crate) fn read(secret: &str) -> Option<Self> {
        let (key, jwk) = SigningKey::generated(&URL_SAFE_NO_PAD.decode(secret).ok()?)?;
        Some(Self { key, jwk, secret: secret.to_owned(), nonces: Mutex::default() })
    }

    /// Returns the key in the form that is stored with the tokens.
    pub(crate) fn secret(&self) -> &str {
        &self.secret
    }

    /// Adds a proof to a request for a token.
    pub(crate) fn prove(&self, mut request: Request) -> Result<Request, NoKey> {
        let proof = self.proof(request.method(), request.url(), None).ok_or(NoKey)?;
        request.headers_mut().insert(DPOP, proof);
        Ok(request)
    }

    fn proof(&self, method: &Method, url: &Url, token: Option<&str>) -> Option<HeaderValue> {
        let mut address = url.clone();
        address.set_query(None);
        address.set_fragment(None);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let mut claims =
            json!({"jti": unique()?, "htm": method.as_str(), "htu": address.as_str(), "iat": now});
        if let Some(token) = token {
            claims["ath"] = encoded(digest(&SHA256, token.as_bytes())).into();
        }
        if let Some(nonce) = self.nonce(url) {
            claims["nonce"] = nonce.into();
        }
        let proof = self.key.token("ES256", json!({"typ": "dpop+jwt", "jwk": self.jwk}), &claims)?;
        let mut value = HeaderValue::from_str(&proof).ok()?;
        value.set_sensitive(true);
        Some(value)
    }
}

impl Proof for Dpop {
    fn proof(&self, method: &Method, url: &Url, token: &str) -> Option<HeaderValue> {
        self.proof(method, url, Some(token))
    }

    fn nonce(&self, url: &Url) -> Option<String> {
        let nonces = self.nonces.lock().unwrap_or_else(PoisonError::into_inner);
        nonces.get(&url.origin().ascii_serialization()).cloned()
    }

    fn note(&self, url: &Url, headers: &HeaderMap) {
        let Some(nonce) = headers.get(NONCE).and_then(|nonce| nonce.to_str().ok()) else { return };
        if nonce.is_empty() || nonce.len() > LONGEST {
            return;
        }
        let mut nonces = self.nonces.lock().unwrap_or_else(PoisonError::into_inner);
        if nonces.len() >= ORIGINS {
            nonces.clear();
        }
        nonces.insert(url.origin().ascii_serialization(), nonce.to_owned());
    }
}

/// Returns whether a challenge requires bound tokens: it has the scheme `DPoP`.
pub(crate) fn is_wanted(challenge: Option<&str>) -> bool {
    let is_scheme =
        |part: &str| part.split_whitespace().next().is_some_and(|scheme| scheme.eq_ignore_ascii_case("dpop"));
    challenge.is_some_and(|challenge| challenge.split(',').any(is_scheme))
}

/// No key or proof can be created.
#[derive(Debug, thiserror::Error)]
#[error("no proof of possession can be made: the system has no random numbers")]
pub(crate) struct NoKey;

const NONCE: &str = "dpop-nonce";
/// The longest nonce in bytes: it is part of each request.
const LONGEST: usize = 4_096;
/// Normally there are two, of the server and its authorization server; many more mean that origins keep changing.
const ORIGINS: usize = 8;

#[cfg(test)]
mod tests {
    use super::is_wanted;

    #[test]
    fn challenge_requires_dpop_by_its_scheme() {
        for wanted in ["DPoP", "dpop algs=\"ES256\"", "Bearer realm=\"a\", DPoP algs=\"ES256\""] {
            assert!(is_wanted(Some(wanted)), "{wanted}");
        }
        for other in ["Bearer realm=\"DPoP\"", "Bearer error=\"dpop\"", "DPoPs", ""] {
            assert!(!is_wanted(Some(other)), "{other}");
        }
        assert!(!is_wanted(None));
    }
}
