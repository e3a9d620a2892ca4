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
    /// The path of the issuer.
    pub(super) issuer: String,
    /// Members of the metadata, in addition to the endpoints or in their place.
    pub(super) metadata: Value,
    codes: HashSet<String>,
    /// The valid access tokens.
    pub(super) tokens: HashSet<String>,
    /// The valid refresh tokens, each of which can be used once.
    pub(super) refresh: HashSet<String>,
    pub(super) registered: Vec<Value>,
    /// All requests for tokens.
    pub(super) asked: Vec<Asked>,
    pub(super) lifetime: u64,
    /// Whether clients get a secret.
    pub(super) secret: bool,
    /// The answer to each request for a token, if it must not be a token.
    pub(super) refusal: Option<(u16, Value)>,
    /// How often a used refresh token was sent again.
    pub(super) reused: u32,
    /// The `issued_token_type` of the identity provider.
    pub(super) issued: &'static str,
    /// The scheme of the tokens.
    pub(super) scheme: &'static str,
    /// What both servers want in proofs.
    pub(super) nonce: Nonce,
    pub(super) proofs: Vec<Proof>,
    /// The scope without which no tool can be called.
    pub(super) scope: Option<String>,
    next: u32,
}

/// The nonce that proofs must have.
#[derive(Default)]
pub(super) enum Nonce {
    #[default]
    None,
    This(&'static str),
    /// Another one each time, so no proof is valid.
    Another,
    /// The same, but only at the MCP server.
    AnotherOfServer,
}

#[derive(Clone, Debug)]
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

#[derive(Clone)]
pub(super) struct Authority(Arc<Mutex<State>>);

impl Authority {
    /// Makes a server require the authorization of a user.
    pub(super) fn guard(server: &WebServer) -> Self {
        let registration = server.url("/register");
        Self::with_metadata(
            server,
            json!({"registration_endpoint": registration, "response_types_supported": ["code"]}),
        )
    }

    /// Starts a server that requires tokens of programs, with an identity provider at `/idp`.
    pub(super) fn start() -> (WebServer, Self) {
        let server = WebServer::start();
        let authority =
            Self::with_metadata(&server, json!({"scopes_supported": ["basic", "offline_access"]}));
        (server, authority)
    }

    fn with_metadata(server: &WebServer, metadata: Value) -> Self {
        let authority = Self(Arc::new(Mutex::new(State {
            origin: server.url(""),
            metadata,
            lifetime: 3600,
            issued: "urn:ietf:params:oauth:token-type:id-jag",
            scheme: "Bearer",
            ..State::default()
        })));
        let here = authority.clone();
        server.fault(move |seen| here.with(|state| state.answer(seen)));
        authority
    }

    pub(super) fn with<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        change(&mut self.0.lock().unwrap())
    }

    pub(super) fn asked(&self) -> usize {
        self.with(|state| state.asked.len())
    }

    pub(super) fn refreshes(&self) -> usize {
        self.with(|state| {
            state.asked.iter().filter(|asked| asked.form["grant_type"] == "refresh_token").count()
        })
    }
}

impl State {
    fn answer(&mut self, seen: &Seen) -> Option<Response> {
        let (origin, issuer) = (self.origin.clone(), format!("{}{}", self.origin, self.issuer));
        match (seen.method.as_str(), seen.path.as_str()) {
            ("GET", "/prm") => {
                let metadata = json!({
                    "resource": origin, "authorization_servers": [issuer], "scopes_supported": ["basic"],
                });
                Some(axum::Json(metadata).into_response())
            }
            ("GET", path) if path == format!("/.well-known/oauth-authorization-server{}", self.issuer) => {
                let mut metadata = json!({
                    "issuer": issuer,
                    "authorization_endpoint": format!("{origin}/authorize"),
                    "token_endpoint": format!("{origin}/token"),
                    "code_challenge_methods_supported": ["S256"],
                });
                for (name, value) in self.metadata.as_object().unwrap() {
                    metadata[name] = value.clone();
                }
                Some(axum::Json(metadata).into_response())
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
            ("POST", "/token" | "/idp") => Some(self.token(seen)),
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
        let authorization = seen.header("authorization").map(str::to_owned);
        self.asked.push(Asked { path: seen.path.clone(), form: form.clone(), authorization });
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
        self.next += 1;
        let token = format!("token-{}", self.next);
        let mut given =
            json!({"access_token": token, "token_type": self.scheme, "expires_in": self.lifetime});
        let of_user = match &*form["grant_type"] {
            "authorization_code" => {
                assert!(form["code_verifier"].len() >= 43);
                Some(self.codes.remove(&form["code"]))
            }
            "refresh_token" => {
                let is_good = self.refresh.remove(&form["refresh_token"]);
                self.reused += u32::from(!is_good);
                Some(is_good)
            }
            _ => None,
        };
        match of_user {
            Some(false) => {
                let error = axum::Json(json!({"error": "invalid_grant"}));
                return (StatusCode::BAD_REQUEST, error).into_response();
            }
            Some(true) => {
                let refresh = format!("refresh-{}", self.next);
                (given["refresh_token"], given["scope"]) = (json!(refresh), json!(form.get("scope")));
                self.refresh.insert(refresh);
            }
            None => {}
        }
        self.tokens.insert(token);
        axum::Json(given).into_response()
    }

    fn guard(&mut self, seen: &Seen) -> Option<Response> {
        let token = seen.header("authorization").and_then(|value| value.strip_prefix(self.scheme));
        let token = token.map(|token| token.trim().to_owned());
        let metadata = format!("resource_metadata=\"{}/prm\"", self.origin);
        let Some(token) = token.filter(|token| self.tokens.contains(token)) else {
            return Some(refusal(401, &format!("{} {metadata}", self.scheme)));
        };
        if let Some(refusal) = self.check(seen, Some(token), 401) {
            return Some(refusal);
        }
        let scope = self.scope.as_ref().filter(|_| seen.rpc() == "tools/call")?;
        Some(refusal(403, &format!("Bearer error=\"insufficient_scope\", scope=\"{scope}\", {metadata}")))
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

fn refusal(code: u16, challenge: &str) -> Response {
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
