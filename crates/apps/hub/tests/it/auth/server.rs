//! An authorization server beside the MCP server of a test, at the same address.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex},
};

use axum::{
    http::StatusCode,
    response::{IntoResponse as _, Response},
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Value, json};

use crate::web::{Seen, WebServer, status};

/// What the authorization server knows, and what a test changes of it.
#[derive(Default)]
pub(super) struct State {
    pub(super) origin: String,
    /// The page for the browser, if it differs from the server's page.
    pub(super) page: Option<String>,
    /// The path of the issuer.
    pub(super) issuer: String,
    codes: HashSet<String>,
    /// The access tokens that are good.
    pub(super) tokens: HashSet<String>,
    /// The refresh tokens that are good: each once.
    pub(super) refresh: HashSet<String>,
    pub(super) registered: Vec<Value>,
    /// The forms of all requests for tokens, with their header `Authorization`.
    pub(super) asked: Vec<(HashMap<String, String>, Option<String>)>,
    pub(super) lifetime: u64,
    /// Whether clients get a secret.
    pub(super) secret: bool,
    /// The answer to every request for tokens, where it is not to be a token.
    pub(super) broken: Option<u16>,
    /// How often a refresh token came that was used up.
    pub(super) reused: u32,
    /// Whether tokens are bound to a key.
    pub(super) dpop: bool,
    /// The keys of all proofs, with the path that each was for.
    pub(super) keys: Vec<(String, Value)>,
    /// The scope without which no tool can be called.
    pub(super) scope: Option<String>,
    next: u32,
}

#[derive(Clone)]
pub(super) struct Authority(Arc<Mutex<State>>);

impl Authority {
    /// Makes a server require authorization.
    pub(super) fn guard(server: &WebServer) -> Self {
        let state = State { origin: server.url(""), lifetime: 3600, ..State::default() };
        let authority = Self(Arc::new(Mutex::new(state)));
        let here = authority.clone();
        server.fault(move |seen| here.with(|state| state.answer(seen)));
        authority
    }

    pub(super) fn with<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        change(&mut self.0.lock().unwrap())
    }

    pub(super) fn refreshes(&self) -> usize {
        self.with(|state| {
            state.asked.iter().filter(|(form, _)| form["grant_type"] == "refresh_token").count()
        })
    }
}

impl State {
    fn answer(&mut self, seen: &Seen) -> Option<Response> {
        let origin = self.origin.clone();
        match (seen.method.as_str(), seen.path.as_str()) {
            ("GET", "/prm") => Some(
                axum::Json(json!({
                    "resource": origin,
                    "authorization_servers": [format!("{origin}{}", self.issuer)],
                    "scopes_supported": ["basic"],
                }))
                .into_response(),
            ),
            ("GET", path) if path == format!("/.well-known/oauth-authorization-server{}", self.issuer) => {
                Some(
                    axum::Json(json!({
                        "issuer": format!("{origin}{}", self.issuer),
                        "authorization_endpoint":
                            self.page.clone().unwrap_or_else(|| format!("{origin}/authorize")),
                        "token_endpoint": format!("{origin}/token"),
                        "registration_endpoint": format!("{origin}/register"),
                        "response_types_supported": ["code"],
                        "code_challenge_methods_supported": ["S256"],
                    }))
                    .into_response(),
                )
            }
            ("POST", "/register") => {
                self.registered.push(seen.body.clone());
                let secret = self.secret.then(|| "client-secret".to_owned());
                let client = json!({
                    "client_id": format!("client-{}", self.registered.len()),
                    "client_secret": secret,
                    "redirect_uris": seen.body["redirect_uris"],
                });
                Some(axum::Json(client).into_response())
            }
            ("GET", "/authorize") => Some(self.authorize(&form(&seen.query))),
            ("POST", "/token") => Some(self.token(seen)),
            ("GET", path) if path.starts_with("/.well-known/") => Some(status(404)),
            _ => self.guard(seen),
        }
    }

    fn authorize(&mut self, form: &HashMap<String, String>) -> Response {
        assert_eq!(form["code_challenge_method"], "S256");
        assert!(form["code_challenge"].len() >= 43);
        self.next += 1;
        let code = format!("code-{}", self.next);
        self.codes.insert(code.clone());
        let location = format!("{}?code={code}&state={}", form["redirect_uri"], form["state"]);
        (StatusCode::FOUND, [("location", location)]).into_response()
    }

    fn token(&mut self, seen: &Seen) -> Response {
        let form = form(&seen.text);
        self.asked.push((form.clone(), seen.header("authorization").map(str::to_owned)));
        if let Some(code) = self.broken {
            return status(code);
        }
        self.note_key(seen);
        let is_good = if form["grant_type"] == "authorization_code" {
            assert!(form["code_verifier"].len() >= 43);
            self.codes.remove(&form["code"])
        } else {
            let is_good = self.refresh.remove(&form["refresh_token"]);
            self.reused += u32::from(!is_good);
            is_good
        };
        if !is_good {
            let error = axum::Json(json!({"error": "invalid_grant"}));
            return (StatusCode::BAD_REQUEST, error).into_response();
        }
        self.next += 1;
        let (token, refresh) = (format!("token-{}", self.next), format!("refresh-{}", self.next));
        self.tokens.insert(token.clone());
        self.refresh.insert(refresh.clone());
        axum::Json(json!({
            "access_token": token, "token_type": self.scheme(), "expires_in": self.lifetime,
            "refresh_token": refresh, "scope": form.get("scope"),
        }))
        .into_response()
    }

    fn scheme(&self) -> &'static str {
        if self.dpop { "DPoP" } else { "Bearer" }
    }

    fn note_key(&mut self, seen: &Seen) {
        if self.dpop {
            let header = seen.header("dpop").unwrap().split('.').next().unwrap();
            let header: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(header).unwrap()).unwrap();
            self.keys.push((seen.path.clone(), header["jwk"].clone()));
        }
    }

    fn guard(&mut self, seen: &Seen) -> Option<Response> {
        let token = seen.header("authorization").and_then(|value| value.strip_prefix(self.scheme()));
        let token = token.map(str::trim);
        let metadata = format!("resource_metadata=\"{}/prm\"", self.origin);
        if !token.is_some_and(|token| self.tokens.contains(token)) {
            return Some(refusal(401, &format!("{} {metadata}", self.scheme())));
        }
        self.note_key(seen);
        let scope = self.scope.as_ref().filter(|_| seen.rpc() == "tools/call")?;
        Some(refusal(403, &format!("Bearer error=\"insufficient_scope\", scope=\"{scope}\", {metadata}")))
    }
}

pub(super) fn refusal(code: u16, challenge: &str) -> Response {
    let mut response = status(code);
    response.headers_mut().insert("www-authenticate", challenge.parse().unwrap());
    response
}

/// Parses the fields of a form or a query. Tests send few characters that are encoded.
pub(super) fn form(text: &str) -> HashMap<String, String> {
    let plain = |text: &str| {
        ["%3A :", "%2F /", "%3D =", "+  "].iter().fold(text.to_owned(), |text, pair| {
            text.replace(&pair[..pair.len() - 2], &pair[pair.len() - 1..])
        })
    };
    text.split('&')
        .filter_map(|pair| pair.split_once('='))
        .map(|(key, value)| (plain(key), plain(value)))
        .collect()
}
