//! The HTTP side of one connection: its client, what goes with each request, and the token that may be needed.

use std::{future::Future, pin::Pin, sync::Arc, time::Duration};

use reqwest::{
    Client, ClientBuilder, Method, RequestBuilder, Response, StatusCode, Url,
    dns::Resolve,
    header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue, WWW_AUTHENTICATE},
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

    /// Notes what the server said when it refused a request, before another token is asked for.
    fn challenged(&self, challenge: &str);
}

/// A token, or why there is none; the text holds no secret.
pub(crate) type TokenFuture<'a> = Pin<Box<dyn Future<Output = Result<Option<Token>, Ended>> + Send + 'a>>;

/// An access token.
#[derive(Clone)]
pub(crate) struct Token {
    pub(crate) text: String,
    /// The key that the token is bound to; without one it is a bearer token.
    pub(crate) proof: Option<Arc<dyn Proof>>,
}

/// Proofs of possession of the key that a token is bound to (DPoP).
pub(crate) trait Proof: Send + Sync {
    /// Makes the proof for one request; `None` if the system has no random numbers.
    fn proof(&self, method: &Method, url: &Url, token: &str) -> Option<HeaderValue>;

    /// The nonce that the proofs for a server have now.
    fn nonce(&self, url: &Url) -> Option<String>;

    /// Notes the nonce that an answer has for later proofs.
    fn note(&self, url: &Url, headers: &HeaderMap);
}

impl Token {
    /// The headers with which a request has the token. Each request needs its own.
    pub(super) fn headers(&self, method: &Method, url: &Url) -> Result<HeaderMap, Ended> {
        let scheme = if self.proof.is_some() { "DPoP" } else { "Bearer" };
        let mut value = HeaderValue::from_str(&format!("{scheme} {}", self.text))
            .map_err(|_| Ended::lost("the token cannot be sent"))?;
        value.set_sensitive(true);
        let mut headers = HeaderMap::from_iter([(AUTHORIZATION, value)]);
        if let Some(proof) = &self.proof {
            let proof = proof.proof(method, url, &self.text);
            let proof = proof.ok_or_else(|| Ended::lost("no proof of possession can be made"))?;
            headers.insert(DPOP, proof);
        }
        Ok(headers)
    }
}

/// Whether a challenge wants the nonce of the answer in the proof (RFC 9449, section 9).
pub(super) fn wants_nonce(challenge: &str) -> bool {
    challenge.contains("use_dpop_nonce")
}

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

    pub(super) async fn token(&self) -> Result<Option<Token>, Ended> {
        match &self.tokens {
            Some(tokens) => tokens.current().await,
            None => Ok(None),
        }
    }

    /// Another token, after this one was refused. Where none was sent there may be one by now.
    pub(super) async fn token_after(&self, refused: Option<&Token>) -> Result<Option<Token>, Ended> {
        match &self.tokens {
            Some(tokens) => tokens.after(refused.map(|token| token.text.as_str())).await,
            None => Ok(None),
        }
    }

    /// Makes a request with the token that there is, and again with another one where that is refused.
    pub(super) async fn with_token<F>(&self, request: impl Fn(Option<Token>) -> F) -> Result<Response, Ended>
    where
        F: Future<Output = Result<Response, Ended>>,
    {
        let mut token = self.token().await?;
        for _ in 0..RENEWALS {
            let response = with_nonce(&self.url, &request, token.as_ref()).await?;
            if response.status() != StatusCode::UNAUTHORIZED {
                return Ok(response);
            }
            if let Some(challenge) = challenge(&response) {
                self.challenged(challenge);
            }
            token = self.token_after(token.as_ref()).await?;
            if token.is_none() {
                return Ok(response);
            }
        }
        with_nonce(&self.url, &request, token.as_ref()).await
    }

    /// Asks the server for the nonce that it wants in proofs.
    ///
    /// The refusal has it in a header that `rmcp` does not show. So this sends a request without a message, which is
    /// refused in the same way and does nothing if it is not.
    pub(super) async fn fetch_nonce(&self, token: &Token, proof: &dyn Proof) -> Result<(), Ended> {
        let request = self.request(Method::POST, self.url.clone(), Some(token))?;
        let response = request.send().await.map_err(|error| Ended::lost(told(error)))?;
        proof.note(&self.url, response.headers());
        Ok(())
    }

    /// Keeps what the server said when it refused a request: an authorization starts from it.
    pub(super) fn challenged(&self, challenge: &str) {
        if let Some(tokens) = &self.tokens {
            tokens.challenged(challenge);
        }
    }

    pub(super) fn request(
        &self,
        method: Method,
        url: Url,
        token: Option<&Token>,
    ) -> Result<RequestBuilder, Ended> {
        let proved = token.map(|token| token.headers(&method, &url)).transpose()?;
        let request = self.client.request(method, url).headers(self.headers.clone());
        Ok(request.headers(proved.unwrap_or_default()))
    }
}

/// Makes a request, and once more where the server wants its nonce in the proof.
async fn with_nonce<F>(
    url: &Url,
    request: &impl Fn(Option<Token>) -> F,
    token: Option<&Token>,
) -> Result<Response, Ended>
where
    F: Future<Output = Result<Response, Ended>>,
{
    let Some(proof) = token.and_then(|token| token.proof.as_ref()) else {
        return request(token.cloned()).await;
    };
    let nonce = proof.nonce(url);
    let response = request(token.cloned()).await?;
    proof.note(url, response.headers());
    let is_refused = response.status() == StatusCode::UNAUTHORIZED;
    if is_refused && challenge(&response).is_some_and(wants_nonce) && proof.nonce(url) != nonce {
        let response = request(token.cloned()).await?;
        proof.note(url, response.headers());
        return Ok(response);
    }
    Ok(response)
}

/// What a server says to a request that it refuses.
pub(super) fn challenge(response: &Response) -> Option<&str> {
    response.headers().get(WWW_AUTHENTICATE)?.to_str().ok()
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
/// The header with the proof of possession.
pub(crate) const DPOP: &str = "dpop";
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
