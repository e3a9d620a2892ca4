//! Requests for tokens: the form, the authentication of the client, and the answer.

use std::{
    fmt,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use agentwire_net::excerpt;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::{StatusCode, header::AUTHORIZATION};
use reqwest::{
    Method, Request, Url,
    header::{ACCEPT, CONTENT_TYPE, HeaderValue},
};
use serde_json::{Value, json};

use super::{
    answers::seconds,
    client::OAuthClient,
    grant::{Authentication, RegisteredClient},
    key::{SigningKey, unique},
    network::Refused,
};
use crate::link::DisconnectReason;

/// A token endpoint and its metadata.
pub(crate) struct TokenEndpoint<'a> {
    pub(crate) url: &'a str,
    /// The audience of assertions of the client.
    pub(crate) audience: &'a str,
    /// `token_endpoint_auth_methods_supported`, if known.
    pub(crate) methods: Option<&'a Value>,
    /// `token_endpoint_auth_signing_alg_values_supported`, if known.
    pub(crate) algorithms: Option<&'a Value>,
}

/// The answer to a request for a token.
pub(crate) struct Answer {
    pub(crate) token: String,
    pub(crate) kind: String,
    pub(crate) issued: Option<String>,
    pub(crate) lifetime: Option<Duration>,
}

impl TokenEndpoint<'_> {
    /// Requests a token once. Errors contain nothing of the request.
    pub(crate) async fn request(
        &self,
        http: &OAuthClient,
        client: &RegisteredClient,
        mut form: Vec<(&str, String)>,
    ) -> Result<Answer, DisconnectReason> {
        let url = Url::parse(self.url).map_err(|error| {
            DisconnectReason::unusable(format!("the token endpoint is not an address: {error}"))
        })?;
        let server = Origin(&url);
        let mut request = Request::new(Method::POST, url.clone());
        request.headers_mut().insert(ACCEPT, HeaderValue::from_static("application/json"));
        request
            .headers_mut()
            .insert(CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded"));
        let mut secrets: Vec<String> = form
            .iter()
            .filter(|(name, _)| ["assertion", "subject_token"].contains(name))
            .map(|(_, value)| value.clone())
            .collect();
        match &client.authentication {
            Authentication::None => form.push(("client_id", client.id.clone())),
            Authentication::Secret(secret) => {
                secrets.push(secret.to_string());
                if self.takes("client_secret_basic") {
                    request.headers_mut().insert(AUTHORIZATION, basic(&url, &client.id, secret)?);
                } else if self.takes("client_secret_post") {
                    form.push(("client_id", client.id.clone()));
                    form.push(("client_secret", secret.to_string()));
                } else {
                    return Err(DisconnectReason::unusable(format!(
                        "{server} takes no client with a secret"
                    )));
                }
            }
            Authentication::Key(key) => {
                if !self.takes("private_key_jwt") {
                    return Err(DisconnectReason::unusable(format!("{server} takes no client with a key")));
                }
                let assertion = self.assertion(client, key, &server)?;
                secrets.push(assertion.clone());
                form.push(("client_assertion_type", ASSERTION_TYPE.into()));
                form.push(("client_assertion", assertion));
            }
        }
        let mut written = url.clone();
        written.query_pairs_mut().clear().extend_pairs(&form);
        *request.body_mut() = Some(written.query().unwrap_or_default().to_owned().into());
        let answer = http.exchange(request, 0, None).await.map_err(|error| {
            let why = format!("{server} was not asked for a token: {error}");
            // Another attempt would get the same address.
            if error.is::<Refused>() { DisconnectReason::unusable(why) } else { DisconnectReason::lost(why) }
        })?;
        if !answer.status().is_success() {
            return Err(refused(&server, answer.status(), answer.body(), &secrets));
        }
        read(answer.body()).ok_or_else(|| DisconnectReason::lost(format!("{server} answers with no token")))
    }

    /// Returns whether a method of authentication is accepted; unlisted methods count as accepted if there is no list.
    fn takes(&self, method: &str) -> bool {
        names(self.methods).is_none_or(|mut methods| methods.any(|some| some == method))
    }

    /// Returns the assertion of a client with a key.
    fn assertion(
        &self,
        client: &RegisteredClient,
        key: &SigningKey,
        server: &Origin<'_>,
    ) -> Result<String, DisconnectReason> {
        let is_accepted =
            |algorithm: &str| names(self.algorithms).is_none_or(|mut all| all.any(|some| some == algorithm));
        let algorithm =
            key.algorithms().iter().find(|algorithm| is_accepted(algorithm)).ok_or_else(|| {
                let algorithms = key.algorithms().join(", ");
                DisconnectReason::unusable(format!(
                    "{server} takes no signature that the key can make ({algorithms})"
                ))
            })?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let claims = json!({
            "iss": client.id,
            "sub": client.id,
            "aud": self.audience,
            "iat": now,
            "exp": now + LIFETIME,
            "jti": unique(),
        });
        key.token(algorithm, json!({"typ": "client-authentication+jwt"}), &claims)
            .ok_or_else(|| DisconnectReason::lost("the key cannot sign: the system has no random numbers"))
    }
}

/// The origin of a URL, without path and query, which may contain secrets.
struct Origin<'a>(&'a Url);

impl fmt::Display for Origin<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the authorization server {}", self.0.origin().ascii_serialization())
    }
}

fn names(list: Option<&Value>) -> Option<impl Iterator<Item = &str>> {
    Some(list?.as_array()?.iter().filter_map(Value::as_str))
}

/// Returns the header of a client. Both parts are form-encoded before they are joined (RFC 6749, section 2.3.1).
fn basic(url: &Url, id: &str, secret: &str) -> Result<HeaderValue, DisconnectReason> {
    let part = |text: &str| {
        let mut written = url.clone();
        written.query_pairs_mut().clear().append_key_only(text);
        written.query().unwrap_or_default().to_owned()
    };
    let text = format!("Basic {}", STANDARD.encode(format!("{}:{}", part(id), part(secret))));
    let mut value =
        HeaderValue::from_str(&text).map_err(|_| DisconnectReason::unusable("the secret cannot be sent"))?;
    value.set_sensitive(true);
    Ok(value)
}

/// Converts a refusal to an error: of the configuration, unless the server reports a temporary error.
fn refused(server: &Origin<'_>, status: StatusCode, body: &[u8], secrets: &[String]) -> DisconnectReason {
    let answer: Value = serde_json::from_slice(body).unwrap_or_default();
    let code = answer["error"].as_str().filter(|code| is_code(code));
    // The description may repeat secrets of the request.
    let is_clean = |text: &&str| {
        let shows = |secret: &String| !secret.is_empty() && text.contains(secret.as_str());
        !text.chars().any(char::is_control) && !secrets.iter().any(shows)
    };
    let description = answer["error_description"].as_str().filter(is_clean);
    let why = match (code, description) {
        (Some(code), Some(text)) => format!("{server} refuses a token: {code} ({})", excerpt(text)),
        (Some(code), None) => format!("{server} refuses a token: {code}"),
        (None, _) => format!("{server} refuses a token: HTTP {status}"),
    };
    let is_passing = is_temporary(status) || code.is_some_and(|code| TEMPORARY.contains(&code));
    if is_passing { DisconnectReason::lost(why) } else { DisconnectReason::unusable(why) }
}

/// Returns whether the server has not judged the request, which may succeed later.
pub(super) fn is_temporary(status: StatusCode) -> bool {
    status.is_server_error() || matches!(status, StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS)
}

/// The error codes of requests that may succeed later.
pub(super) const TEMPORARY: [&str; 3] = ["temporarily_unavailable", "server_error", "slow_down"];

/// Returns whether a text is an error code, not prose.
fn is_code(text: &str) -> bool {
    text.len() <= 64 && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.:".contains(&byte))
}

fn read(body: &[u8]) -> Option<Answer> {
    let answer: Value = serde_json::from_slice(body).ok()?;
    let text = |name: &str| answer[name].as_str().map(str::to_owned);
    Some(Answer {
        token: text("access_token").filter(|token| is_sendable(token))?,
        kind: text("token_type")?,
        issued: text("issued_token_type"),
        lifetime: seconds(&answer["expires_in"]).map(Duration::from_secs),
    })
}

fn is_sendable(token: &str) -> bool {
    !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic())
}

const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
/// The lifetime of an assertion in seconds: it is sent at once.
const LIFETIME: u64 = 300;

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use futures_util::FutureExt as _;
    use serde_json::json;
    use tokio::net::TcpListener;

    use super::{
        super::network::Network, DisconnectReason, OAuthClient, RegisteredClient, StatusCode, TokenEndpoint,
        Url, basic, read, refused,
    };

    #[tokio::test]
    async fn token_endpoint_at_a_private_address_gets_no_request_for_a_public_server() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let network = Arc::new(Network::of(&Url::parse("https://1.1.1.1/mcp").unwrap()));
        let http = OAuthClient::new(network, None);
        for host in ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]"] {
            let url = format!("https://{host}:{port}/token");
            let endpoint = TokenEndpoint { url: &url, audience: "a", methods: None, algorithms: None };
            let client = RegisteredClient::with_secret("a", "hunter2");
            let error = endpoint.request(&http, &client, Vec::new()).await.err().unwrap();
            assert!(matches!(error, DisconnectReason::Unusable(_)), "{error:?}");
            assert!(error.to_string().ends_with("has no public address"), "{error}");
        }
        let came = std::pin::pin!(listener.accept());
        assert!(came.now_or_never().is_none());
    }

    #[test]
    fn id_and_secret_are_form_encoded() {
        let url = Url::parse("https://host/token?x=1").unwrap();
        let value = basic(&url, "a b", "c:d+é").unwrap();
        // a+b:c%3Ad%2B%C3%A9
        assert_eq!(value.to_str().unwrap(), "Basic YStiOmMlM0FkJTJCJUMzJUE5");
        assert!(!format!("{value:?}").contains("YSti"));
    }

    #[test]
    fn refusal_is_final_unless_temporary_and_shows_no_secret() {
        let url = Url::parse("https://host/token?key=hidden").unwrap();
        let origin = super::Origin(&url);
        let judge = |status, body: serde_json::Value| {
            let status = StatusCode::from_u16(status).unwrap();
            refused(&origin, status, body.to_string().as_bytes(), &["hunter2".into()])
        };
        let start = "the authorization server https://host refuses a token";
        let last = |why: &str| DisconnectReason::unusable(format!("{start}: {why}"));
        let reason = judge(400, json!({"error": "invalid_client", "error_description": "No such client"}));
        assert_eq!(reason, last("invalid_client (No such client)"));
        for echo in ["hunter2 is wrong", "a\u{1b}[0m"] {
            let reason = judge(401, json!({"error": "invalid_client", "error_description": echo}));
            assert_eq!(reason, last("invalid_client"));
        }
        assert_eq!(judge(403, json!({"error": "<html> hunter2"})), last("HTTP 403 Forbidden"));
        for passing in
            [judge(500, json!({})), judge(429, json!({})), judge(400, json!({"error": "server_error"}))]
        {
            assert!(matches!(passing, DisconnectReason::Lost(_)), "{passing}");
        }
    }

    #[test]
    fn answer_has_a_sendable_token() {
        let token = |token: &str| json!({"access_token": token, "token_type": "Bearer", "expires_in": "60"});
        let answer = read(token("abc").to_string().as_bytes()).unwrap();
        assert_eq!(answer.lifetime.unwrap().as_secs(), 60);
        for wrong in ["", "a b", "a\nb", "é"] {
            assert!(read(token(wrong).to_string().as_bytes()).is_none(), "{wrong:?}");
        }
        assert!(read(b"{\"access_token\":\"a\"}").is_none(), "a token without a kind");
        assert!(read(b"no").is_none());
    }
}
