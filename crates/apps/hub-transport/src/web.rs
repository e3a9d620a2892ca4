//! The HTTP side of a connection: its client, headers and tokens.

use std::{
    future::{Future, pending, ready},
    pin::Pin,
    sync::{Arc, OnceLock},
    time::Duration,
};

use agentwire_net::{error_chain, tls_config};
use reqwest::{
    Client, ClientBuilder, Method, RequestBuilder, Response, StatusCode, Url,
    dns::Resolve,
    header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue, WWW_AUTHENTICATE},
    redirect::Policy,
};
use tokio::time::sleep;

use crate::{link::DisconnectReason, record::Record};

/// The access tokens for a connection.
#[derive(Clone)]
pub struct AccessTokens {
    pub(crate) source: Arc<dyn Tokens>,
    pub(crate) record: Arc<Record>,
    /// The token, or its absence, that the server has refused while there was no other token.
    pub(crate) refused: Arc<OnceLock<Option<String>>>,
}

impl AccessTokens {
    /// Returns another token after the server refused this one. If there is none, notes the reason.
    pub(crate) async fn after(&self, refused: Option<&Token>) -> Result<Option<Token>, DisconnectReason> {
        let refused = refused.map(|token| token.text.clone());
        let other = Arc::clone(&self.source).after(refused.clone()).await?;
        if other.is_none() {
            let why = self.source.refusal();
            // Further requests with the same token may have been refused, with the same reason.
            if self.refused.set(refused).is_ok()
                && let Some(why) = why
            {
                self.record.note(&why);
            }
        }
        Ok(other)
    }

    /// Waits until another process, or another connection, has stored a token after the server refused the one of this
    /// connection. Waits forever if the server refused none.
    pub async fn replaced(&self) {
        let Some(refused) = self.refused.get() else { return pending().await };
        loop {
            sleep(LOOK).await;
            // The store may be unreadable for a moment.
            let stored = Arc::clone(&self.source).stored().await.ok().flatten();
            if stored.is_some_and(|token| Some(token.text) != *refused) {
                return;
            }
        }
    }
}

/// A source of access tokens for a server.
pub(crate) trait Tokens: Send + Sync {
    /// Returns the DNS resolver for connections to the server, or `None` for the client's default.
    fn resolver(&self) -> Option<Arc<dyn Resolve>>;

    /// Returns the current token, if there is one.
    fn current(self: Arc<Self>) -> TokenFuture;

    /// Returns another token after the server refused this one, or a request without a token. Returns `None` if there is no
    /// other token.
    fn after(self: Arc<Self>, refused: Option<String>) -> TokenFuture;

    /// Returns the token in the store if it can be sent. Requests none.
    fn stored(self: Arc<Self>) -> TokenFuture {
        Box::pin(ready(Ok(None)))
    }

    /// Takes the reason why the authorization server has refused to renew a token.
    fn refusal(&self) -> Option<String> {
        None
    }

    /// Notes the challenge of a refused request, before the call to `after`.
    fn challenged(&self, challenge: &str);
}

/// A token, or the reason why there is none, which contains no secret.
pub(crate) type TokenFuture = Pin<Box<dyn Future<Output = Result<Option<Token>, DisconnectReason>> + Send>>;

/// An access token.
#[derive(Clone)]
pub(crate) struct Token {
    pub(crate) text: String,
    /// The key that the token is bound to; `None` for a bearer token.
    pub(crate) proof: Option<Arc<dyn Proof>>,
}

/// Proofs of possession of the key that a token is bound to (DPoP).
pub(crate) trait Proof: Send + Sync {
    /// Returns the proof for one request, or `None` if the system has no random numbers.
    fn proof(&self, method: &Method, url: &Url, token: &str) -> Option<HeaderValue>;

    /// Returns the current nonce for a server.
    fn nonce(&self, url: &Url) -> Option<String>;

    /// Stores the nonce of a response for later proofs.
    fn note(&self, url: &Url, headers: &HeaderMap);
}

impl Token {
    /// Returns the headers for one request.
    pub(crate) fn headers(&self, method: &Method, url: &Url) -> Result<HeaderMap, DisconnectReason> {
        let scheme = if self.proof.is_some() { "DPoP" } else { "Bearer" };
        let mut value = HeaderValue::from_str(&format!("{scheme} {}", self.text))
            .map_err(|_| DisconnectReason::lost("the token cannot be sent"))?;
        value.set_sensitive(true);
        let mut headers = HeaderMap::from_iter([(AUTHORIZATION, value)]);
        if let Some(proof) = &self.proof {
            let proof = proof.proof(method, url, &self.text);
            let proof = proof.ok_or_else(|| DisconnectReason::lost("no proof of possession can be made"))?;
            headers.insert(DPOP, proof);
        }
        Ok(headers)
    }
}

/// A response with status 401.
pub(crate) struct Refusal {
    pub(crate) challenge: Option<String>,
}

impl Refusal {
    /// Returns the refusal if the status is 401.
    pub(crate) fn of<E>(result: &Result<Response, E>) -> Option<Self> {
        let response =
            result.as_ref().ok().filter(|response| response.status() == StatusCode::UNAUTHORIZED)?;
        Some(Self { challenge: challenge(response) })
    }
}

/// The client for one server over HTTP.
pub struct Web {
    pub(crate) client: Client,
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    tokens: Option<AccessTokens>,
}

impl Web {
    /// Checks the configuration and sends nothing. A configured `Authorization` header disables tokens.
    ///
    /// # Errors
    ///
    /// If the URL or a header can't be used.
    pub fn new(
        url: &str,
        headers: &[(String, String)],
        tokens: Option<AccessTokens>,
    ) -> Result<Self, DisconnectReason> {
        let url = address(url)?;
        let headers = parse(headers)?;
        let tokens = tokens.filter(|_| !headers.contains_key(AUTHORIZATION));
        let mut client = client(same_origin());
        if let Some(resolver) = tokens.as_ref().and_then(|tokens| tokens.source.resolver()) {
            client = client.dns_resolver(resolver);
        }
        let client = client.build().map_err(|error| DisconnectReason::unusable(error_text(error)))?;
        Ok(Self { client, url, headers, tokens })
    }

    /// Returns the current token, if there is one.
    pub(crate) async fn token(&self) -> Result<Option<Token>, DisconnectReason> {
        match &self.tokens {
            Some(tokens) => Arc::clone(&tokens.source).current().await,
            None => Ok(None),
        }
    }

    /// Returns another token after this one was refused. If none was sent, there may be one by now.
    async fn token_after(&self, refused: Option<&Token>) -> Result<Option<Token>, DisconnectReason> {
        match &self.tokens {
            Some(tokens) => tokens.after(refused).await,
            None => Ok(None),
        }
    }

    /// Makes a request with the current token, and again with another token while the server refuses it.
    pub(crate) async fn with_token<T, E, F>(
        &self,
        request: impl Fn(Option<Token>) -> F,
        refusal: impl Fn(&Result<T, E>) -> Option<Refusal>,
    ) -> Result<T, E>
    where
        E: From<DisconnectReason>,
        F: Future<Output = Result<T, E>>,
    {
        let mut token = self.token().await?;
        for _ in 0..RENEWALS {
            let result = self.with_nonce(&request, &refusal, token.as_ref()).await;
            let Some(refused) = refusal(&result) else { return result };
            if let Some(challenge) = &refused.challenge {
                self.challenged(challenge);
            }
            token = self.token_after(token.as_ref()).await?;
            if token.is_none() {
                return result;
            }
        }
        self.with_nonce(&request, &refusal, token.as_ref()).await
    }

    /// Makes a request, and a second time if the server requires its nonce in the proof.
    async fn with_nonce<T, E, F>(
        &self,
        request: &impl Fn(Option<Token>) -> F,
        refusal: &impl Fn(&Result<T, E>) -> Option<Refusal>,
        token: Option<&Token>,
    ) -> Result<T, E>
    where
        E: From<DisconnectReason>,
        F: Future<Output = Result<T, E>>,
    {
        let Some((token, proof)) = token.and_then(|token| Some((token, token.proof.as_deref()?))) else {
            return request(token.cloned()).await;
        };
        let nonce = proof.nonce(&self.url);
        let result = request(Some(token.clone())).await;
        let challenge = refusal(&result).and_then(|refused| refused.challenge);
        // RFC 9449, section 9.
        if !challenge.is_some_and(|challenge| challenge.contains("use_dpop_nonce")) {
            return result;
        }
        // This response, or the one to another request, may have contained the nonce.
        if proof.nonce(&self.url) == nonce {
            self.fetch_nonce(token, proof).await?;
        }
        if proof.nonce(&self.url) == nonce {
            return result;
        }
        request(Some(token.clone())).await
    }

    /// Requests the nonce that the server requires in proofs.
    ///
    /// `rmcp` does not expose the header of the refusal. So this sends a request without a message: it is refused in the same
    /// way, or has no effect.
    async fn fetch_nonce(&self, token: &Token, proof: &dyn Proof) -> Result<(), DisconnectReason> {
        let request = self.request(Method::POST, self.url.clone(), Some(token))?;
        let response = request.send().await.map_err(|error| DisconnectReason::lost(error_text(error)))?;
        proof.note(&self.url, response.headers());
        Ok(())
    }

    /// Stores the challenge of a refused request, for an authorization.
    pub(crate) fn challenged(&self, challenge: &str) {
        if let Some(tokens) = &self.tokens {
            tokens.source.challenged(challenge);
        }
    }

    /// Builds a request with the configured headers and a token.
    pub(crate) fn request(
        &self,
        method: Method,
        url: Url,
        token: Option<&Token>,
    ) -> Result<RequestBuilder, DisconnectReason> {
        let proved = token.map(|token| token.headers(&method, &url)).transpose()?;
        let request = self.client.request(method, url).headers(self.headers.clone());
        Ok(request.headers(proved.unwrap_or_default()))
    }

    /// Sends a request, and stores the nonce of the response.
    pub(crate) async fn send(
        &self,
        request: RequestBuilder,
        token: Option<&Token>,
    ) -> reqwest::Result<Response> {
        let response = request.send().await?;
        if let Some(proof) = token.and_then(|token| token.proof.as_ref()) {
            proof.note(&self.url, response.headers());
        }
        Ok(response)
    }
}

/// Returns the challenges of a response in one text.
pub(crate) fn challenge(response: &Response) -> Option<String> {
    let challenges = response.headers().get_all(WWW_AUTHENTICATE).iter();
    let challenges: Vec<_> = challenges.filter_map(|challenge| challenge.to_str().ok()).collect();
    (!challenges.is_empty()).then(|| challenges.join(", "))
}

/// Returns a client builder with the hub's TLS configuration and timeouts, and without a process-wide TLS provider.
pub(crate) fn client(redirects: Policy) -> ClientBuilder {
    Client::builder()
        .tls_backend_preconfigured(tls_config())
        .user_agent(concat!("agentwire-hub/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT)
        .tcp_keepalive(KEEPALIVE)
        .tcp_keepalive_interval(KEEPALIVE / 3)
        .tcp_keepalive_retries(3)
        .redirect(redirects)
}

/// Returns the text of a client error without the URL: its query may contain a secret.
pub(crate) fn error_text(error: reqwest::Error) -> String {
    error_chain(&error.without_url())
}

fn address(url: &str) -> Result<Url, DisconnectReason> {
    let url = Url::parse(url)
        .map_err(|error| DisconnectReason::unusable(format!("the URL is invalid: {error}")))?;
    match url.scheme() {
        "http" | "https" => Ok(url),
        other => {
            Err(DisconnectReason::unusable(format!("the address must be http or https, and not {other}")))
        }
    }
}

fn parse(headers: &[(String, String)]) -> Result<HeaderMap, DisconnectReason> {
    let mut map = HeaderMap::with_capacity(headers.len());
    for (name, value) in headers {
        let parsed = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| DisconnectReason::unusable(format!("{name:?} is not the name of a header")))?;
        if OURS.contains(&parsed.as_str()) {
            return Err(DisconnectReason::unusable(format!("the header {name} is the connection's own")));
        }
        let mut value = HeaderValue::from_str(value).map_err(|_| {
            DisconnectReason::unusable(format!("the value of the header {name} cannot be sent"))
        })?;
        value.set_sensitive(true);
        map.insert(parsed, value);
    }
    Ok(map)
}

/// Follows only redirects to the same origin that keep method and body. Others would lose the message or send the headers to
/// another server.
fn same_origin() -> Policy {
    Policy::custom(|attempt| {
        let keeps =
            matches!(attempt.status(), StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT);
        let same = attempt.previous().first().is_some_and(|first| first.origin() == attempt.url().origin());
        if keeps && same && attempt.previous().len() <= REDIRECTS { attempt.follow() } else { attempt.stop() }
    })
}

/// How often a refused token is replaced: first by a token that another process may have stored meanwhile, and then, as that
/// may have expired too, by a new token.
const RENEWALS: usize = 2;
/// The header with the proof of possession.
pub(crate) const DPOP: &str = "dpop";
/// How often a connection that needs an authorization reads the store.
const LOOK: Duration = Duration::from_secs(3);
const CONNECT: Duration = Duration::from_secs(30);
/// A vanished peer is noticed after twice this time.
const KEEPALIVE: Duration = Duration::from_secs(30);
const REDIRECTS: usize = 5;
/// The headers that the transports set.
const OURS: [&str; 6] =
    ["accept", "content-length", "content-type", "last-event-id", "mcp-protocol-version", "mcp-session-id"];

#[cfg(test)]
mod tests {
    use super::{DisconnectReason, Web};

    fn refused(url: &str, headers: &[(&str, &str)]) -> String {
        let headers: Vec<_> = headers.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        match Web::new(url, &headers, None) {
            Err(DisconnectReason::Unusable(why)) => why.to_string(),
            Err(other) => panic!("{other}"),
            Ok(_) => panic!("accepted"),
        }
    }

    #[test]
    fn unusable_configuration_is_reported_without_values() {
        assert_eq!(refused("not an address", &[]), "the URL is invalid: relative URL without a base");
        assert_eq!(refused("file:///x", &[]), "the address must be http or https, and not file");
        let url = "http://localhost/mcp";
        assert_eq!(refused(url, &[("a b", "secret")]), r#""a b" is not the name of a header"#);
        assert_eq!(refused(url, &[("x-key", "sec\nret")]), "the value of the header x-key cannot be sent");
        assert_eq!(refused(url, &[("Accept", "x")]), "the header Accept is the connection's own");
    }

    #[test]
    fn header_values_are_not_shown() {
        let headers = [("x-key".to_owned(), "secret".to_owned())];
        let web = Web::new("https://localhost/mcp", &headers, None).unwrap_or_else(|e| panic!("{e}"));
        assert!(!format!("{:?}", web.headers).contains("secret"));
    }
}
