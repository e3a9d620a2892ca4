//! The HTTP side of one connection: its client, what goes with each request, and the token that may be needed.

use std::{future::Future, pin::Pin, sync::Arc, time::Duration};

use reqwest::{
    Client, ClientBuilder, Method, RequestBuilder, Response, StatusCode, Url,
    dns::Resolve,
    header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue},
    redirect::Policy,
};

use super::{
    link::{Ended, chain},
    tls,
};

/// Access tokens of a server, from wherever they are kept.
pub(crate) trait Tokens: Send + Sync {
    /// What resolves names for the connections to the server, if not the client itself.
    fn resolver(&self) -> Option<Arc<dyn Resolve>>;

    /// The token to be sent; `None` where there is none.
    fn current(&self) -> TokenFuture<'_>;

    /// Another one, after the server refused this one, or refused to do without; `None` where there is no other.
    fn after<'a>(&'a self, refused: Option<&'a str>) -> TokenFuture<'a>;

    /// What the server said when it refused a request.
    fn challenged(&self, challenge: &str);
}

/// A token, or why it cannot be told; the text holds no secret.
pub(crate) type TokenFuture<'a> = Pin<Box<dyn Future<Output = Result<Option<String>, String>> + Send + 'a>>;

/// One server over HTTP.
pub(crate) struct Web {
    pub(super) client: Client,
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
    tokens: Option<Arc<dyn Tokens>>,
}

impl Web {
    /// Checks what was configured; nothing is sent. Where there is a header with an authorization, tokens are not used.
    pub(crate) fn new(
        url: &str,
        headers: &[(String, String)],
        tokens: Option<Arc<dyn Tokens>>,
    ) -> Result<Self, Ended> {
        let url = address(url)?;
        let headers = parse(headers)?;
        let tokens = tokens.filter(|_| !headers.contains_key(AUTHORIZATION));
        let mut client = client(same_origin())?;
        if let Some(resolver) = tokens.as_ref().and_then(|tokens| tokens.resolver()) {
            client = client.dns_resolver(resolver);
        }
        let client = client.build().map_err(|error| Ended::unusable(told(error)))?;
        Ok(Self { client, url, headers, tokens })
    }

    pub(super) async fn token(&self) -> Result<Option<String>, String> {
        match &self.tokens {
            Some(tokens) => tokens.current().await,
            None => Ok(None),
        }
    }

    /// Another token, after this one was refused. Where none was sent there may be one by now.
    pub(super) async fn token_after(&self, refused: Option<&str>) -> Result<Option<String>, String> {
        match &self.tokens {
            Some(tokens) => tokens.after(refused).await,
            None => Ok(None),
        }
    }

    /// Makes a request with the token that there is, and again with another one where that is refused.
    pub(super) async fn with_token<F>(&self, request: impl Fn(Option<String>) -> F) -> Result<Response, Ended>
    where
        F: Future<Output = Result<Response, Ended>>,
    {
        let mut token = self.token().await.map_err(Ended::lost)?;
        for _ in 0..RENEWALS {
            let response = request(token.clone()).await?;
            if response.status() != StatusCode::UNAUTHORIZED {
                return Ok(response);
            }
            token = self.token_after(token.as_deref()).await.map_err(Ended::lost)?;
            if token.is_none() {
                return Ok(response);
            }
        }
        request(token).await
    }

    /// Keeps what the server said when it refused a request: an authorization starts from it.
    pub(super) fn challenged(&self, challenge: &str) {
        if let Some(tokens) = &self.tokens {
            tokens.challenged(challenge);
        }
    }

    pub(super) fn request(&self, method: Method, url: Url, token: Option<&str>) -> RequestBuilder {
        let request = self.client.request(method, url).headers(self.headers.clone());
        match token {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }
}

/// A client of ours: TLS without a provider of the process, no request longer than its connection, no redirect that
/// would carry headers elsewhere.
pub(crate) fn client(redirects: Policy) -> Result<ClientBuilder, Ended> {
    let tls = tls::config().map_err(|error| Ended::unusable(format!("no TLS: {}", chain(&error))))?;
    let builder = Client::builder()
        .tls_backend_preconfigured(tls)
        .user_agent(concat!("agentwire-hub/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT)
        .tcp_keepalive(KEEPALIVE)
        .tcp_keepalive_interval(KEEPALIVE / 3)
        .tcp_keepalive_retries(3)
        .redirect(redirects);
    Ok(builder)
}

/// An error of the client as text, without the address: its query may hold a secret.
pub(crate) fn told(error: reqwest::Error) -> String {
    chain(&error.without_url())
}

fn address(url: &str) -> Result<Url, Ended> {
    let url = Url::parse(url).map_err(|error| Ended::unusable(format!("the address is not one: {error}")))?;
    match url.scheme() {
        "http" | "https" => Ok(url),
        other => Err(Ended::unusable(format!("the address must be http or https, and not {other}"))),
    }
}

fn parse(headers: &[(String, String)]) -> Result<HeaderMap, Ended> {
    let mut map = HeaderMap::with_capacity(headers.len());
    for (name, value) in headers {
        let parsed = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| Ended::unusable(format!("{name:?} is not the name of a header")))?;
        if OURS.contains(&parsed.as_str()) {
            return Err(Ended::unusable(format!("the header {name} is the connection's own")));
        }
        let mut value = HeaderValue::from_str(value)
            .map_err(|_| Ended::unusable(format!("the value of the header {name} cannot be sent")))?;
        value.set_sensitive(true);
        map.insert(parsed, value);
    }
    Ok(map)
}

/// Follows a redirect to the same origin that keeps method and body, and no other: another one would lose the message,
/// or carry the headers to somebody else.
fn same_origin() -> Policy {
    Policy::custom(|attempt| {
        let keeps =
            matches!(attempt.status(), StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT);
        let same = attempt.previous().first().is_some_and(|first| first.origin() == attempt.url().origin());
        if keeps && same && attempt.previous().len() <= REDIRECTS { attempt.follow() } else { attempt.stop() }
    })
}

/// How often a token that is refused is replaced: the first one by what another process may have got meanwhile, which
/// may be over too, and that one by a new one.
pub(super) const RENEWALS: usize = 2;
const CONNECT: Duration = Duration::from_secs(30);
/// A peer that vanished without a word is noticed after twice that time.
const KEEPALIVE: Duration = Duration::from_secs(30);
const REDIRECTS: usize = 5;
/// What the transports set themselves.
const OURS: [&str; 6] =
    ["accept", "content-length", "content-type", "last-event-id", "mcp-protocol-version", "mcp-session-id"];

#[cfg(test)]
mod tests {
    use super::{Ended, Web};

    fn refused(url: &str, headers: &[(&str, &str)]) -> String {
        let headers: Vec<_> = headers.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        match Web::new(url, &headers, None) {
            Err(Ended::Unusable(why)) => why.to_string(),
            Err(other) => panic!("{other}"),
            Ok(_) => panic!("accepted"),
        }
    }

    #[test]
    fn what_cannot_be_used_is_named_without_its_value() {
        assert_eq!(refused("not an address", &[]), "the address is not one: relative URL without a base");
        assert_eq!(refused("file:///x", &[]), "the address must be http or https, and not file");
        let url = "http://localhost/mcp";
        assert_eq!(refused(url, &[("a b", "secret")]), r#""a b" is not the name of a header"#);
        assert_eq!(refused(url, &[("x-key", "sec\nret")]), "the value of the header x-key cannot be sent");
        assert_eq!(refused(url, &[("Accept", "x")]), "the header Accept is the connection's own");
    }

    #[test]
    fn values_of_headers_are_not_shown() {
        let headers = [("x-key".to_owned(), "secret".to_owned())];
        let web = Web::new("https://localhost/mcp", &headers, None).unwrap_or_else(|e| panic!("{e}"));
        assert!(!format!("{:?}", web.headers).contains("secret"));
    }
}
