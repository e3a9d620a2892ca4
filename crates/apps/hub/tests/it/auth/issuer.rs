//! An authorization server that gives tokens to programs, beside the MCP server of a test.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use axum::{
    http::StatusCode,
    response::{IntoResponse as _, Response},
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Value, json};

use super::server::{form, refusal};
use crate::web::{Seen, WebServer, status};

/// The authorization server beside an MCP server, and an identity provider at `/idp`.
#[derive(Clone)]
pub(super) struct Issuer(Arc<Mutex<State>>);

pub(super) struct State {
    pub(super) origin: String,
    /// What the metadata have beside the endpoints.
    pub(super) metadata: Value,
    /// All requests for tokens.
    pub(super) asked: Vec<Asked>,
    /// The answer to every request for a token, where it is not to be a token.
    pub(super) refusal: Option<(u16, Value)>,
    /// The `issued_token_type` of the identity provider.
    pub(super) issued: &'static str,
    /// The tokens that are good.
    pub(super) tokens: Vec<String>,
    /// The scheme of the tokens.
    pub(super) scheme: &'static str,
    /// What both servers want in proofs.
    pub(super) nonce: Nonce,
    pub(super) proofs: Vec<Proof>,
}

/// The nonce that proofs must have.
pub(super) enum Nonce {
    None,
    This(&'static str),
    /// Another one each time: no proof is good.
    Another,
    /// The same, of the MCP server alone.
    AnotherOfServer,
}

pub(super) struct Asked {
    pub(super) path: String,
    pub(super) form: HashMap<String, String>,
    pub(super) authorization: Option<String>,
}

/// A proof of possession as it came.
pub(super) struct Proof {
    pub(super) path: String,
    pub(super) header: Value,
    pub(super) claims: Value,
    pub(super) token: Option<String>,
}

impl Issuer {
    /// Starts a server that requires tokens of an issuer.
    pub(super) fn start() -> (WebServer, Self) {
        let server = WebServer::start();
        let authority = Self(Arc::new(Mutex::new(State {
            origin: server.url(""),
            metadata: json!({}),
            asked: Vec::new(),
            refusal: None,
            issued: "urn:ietf:params:oauth:token-type:id-jag",
            tokens: Vec::new(),
            scheme: "Bearer",
            nonce: Nonce::None,
            proofs: Vec::new(),
        })));
        let here = authority.clone();
        server.fault(move |seen| here.with(|state| state.answer(seen)));
        (server, authority)
    }

    pub(super) fn with<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        change(&mut self.0.lock().unwrap())
    }

    pub(super) fn asked(&self) -> usize {
        self.with(|state| state.asked.len())
    }
}

impl State {
    fn answer(&mut self, seen: &Seen) -> Option<Response> {
        let origin = self.origin.clone();
        match (seen.method.as_str(), seen.path.as_str()) {
            ("GET", "/prm") => {
                let metadata = json!({
                    "resource": origin, "authorization_servers": [origin], "scopes_supported": ["basic"],
                });
                Some(axum::Json(metadata).into_response())
            }
            ("GET", "/.well-known/oauth-authorization-server") => {
                let mut metadata = json!({
                    "issuer": origin,
                    "authorization_endpoint": format!("{origin}/authorize"),
                    "token_endpoint": format!("{origin}/token"),
                    "scopes_supported": ["basic", "offline_access"],
                    "code_challenge_methods_supported": ["S256"],
                });
                for (name, value) in self.metadata.as_object().unwrap() {
                    metadata[name] = value.clone();
                }
                Some(axum::Json(metadata).into_response())
            }
            ("POST", "/token" | "/idp") => Some(self.token(seen)),
            ("GET", path) if path.starts_with("/.well-known/") => Some(status(404)),
            _ => self.guard(seen),
        }
    }

    fn token(&mut self, seen: &Seen) -> Response {
        self.asked.push(Asked {
            path: seen.path.clone(),
            form: form(&seen.text),
            authorization: seen.header("authorization").map(str::to_owned),
        });
        if let Some((code, body)) = &self.refusal {
            return (StatusCode::from_u16(*code).unwrap(), axum::Json(body.clone())).into_response();
        }
        if let Some(refusal) = self.check(seen, None, 400) {
            return refusal;
        }
        if seen.path == "/idp" {
            let given =
                json!({"access_token": "id-jag", "issued_token_type": self.issued, "token_type": "N_A"});
            return axum::Json(given).into_response();
        }
        let token = format!("token-{}", self.asked.len());
        self.tokens.push(token.clone());
        let given = json!({"access_token": token, "token_type": self.scheme, "expires_in": 3600});
        axum::Json(given).into_response()
    }

    fn guard(&mut self, seen: &Seen) -> Option<Response> {
        let token = seen.header("authorization").and_then(|value| value.strip_prefix(self.scheme));
        let token = token.map(|token| token.trim().to_owned());
        let Some(token) = token.filter(|token| self.tokens.contains(token)) else {
            let challenge = format!("{} resource_metadata=\"{}/prm\"", self.scheme, self.origin);
            return Some(refusal(401, &challenge));
        };
        self.check(seen, Some(token), 401)
    }

    /// Stores the proof of a request, and refuses a proof without the nonce.
    fn check(&mut self, seen: &Seen, token: Option<String>, code: u16) -> Option<Response> {
        if self.scheme != "DPoP" || seen.path == "/idp" {
            return None;
        }
        let proof = seen.header("dpop").unwrap();
        let part = |n: usize| -> Value {
            let bytes = URL_SAFE_NO_PAD.decode(proof.split('.').nth(n).unwrap()).unwrap();
            serde_json::from_slice(&bytes).unwrap()
        };
        let (header, claims) = (part(0), part(1));
        assert_eq!(claims["htm"], seen.method.as_str());
        assert_eq!(claims["htu"], format!("{}{}", self.origin, seen.path));
        assert!(self.proofs.iter().all(|other| other.claims["jti"] != claims["jti"]));
        self.proofs.push(Proof { path: seen.path.clone(), header, claims: claims.clone(), token });
        let nonce = match &self.nonce {
            Nonce::None => return None,
            Nonce::AnotherOfServer if code == 400 => return None,
            Nonce::This(nonce) if claims["nonce"] == *nonce => return None,
            Nonce::This(nonce) => (*nonce).to_owned(),
            Nonce::Another | Nonce::AnotherOfServer => format!("nonce-{}", self.proofs.len()),
        };
        let mut response = refusal(code, "DPoP error=\"use_dpop_nonce\"");
        if code == 400 {
            response =
                (StatusCode::BAD_REQUEST, axum::Json(json!({"error": "use_dpop_nonce"}))).into_response();
        }
        response.headers_mut().insert("dpop-nonce", nonce.parse().unwrap());
        Some(response)
    }
}
