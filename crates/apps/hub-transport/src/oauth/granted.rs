//! Tokens of a grant for one server, shared by all its connections. Only one of them requests a token at a time.

use std::{
    future::ready,
    panic::AssertUnwindSafe,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use agentwire_net::error_chain;
use futures_util::FutureExt as _;
use reqwest::{Url, dns::Resolve};
use rmcp::transport::{AuthorizationManager, WWWAuthenticateParams, auth::AuthorizationMetadata};
use tokio::time::{Instant, timeout};

use super::{
    client::OAuthClient,
    dpop::{self, Dpop},
    grant::{Grant, IdentityProvider, Kind, Source},
    network::{Network, RecordingResolver, is_loopback},
    request::{Answer, TokenEndpoint},
    tokens::{identifier, to_the_end},
};
use crate::{
    link::DisconnectReason,
    web::{Proof, Token, TokenFuture, Tokens},
};

/// The tokens of a grant for one server.
pub(super) struct Granted {
    url: Url,
    grant: Grant,
    network: Arc<Network>,
    /// The last challenge of the server: it names the authorization server and the kind of token.
    challenge: Mutex<Option<Arc<str>>>,
    /// Locked during a request for a token: other connections wait and use the result.
    state: tokio::sync::Mutex<State>,
}

#[derive(Default)]
struct State {
    /// `None` until the server requires one.
    token: Option<Held>,
    dpop: Option<Arc<Dpop>>,
}

impl State {
    /// Returns the token, or that none is required; `None` if the token must be replaced.
    fn known(&self) -> Option<Option<Token>> {
        let Some(held) = &self.token else { return Some(None) };
        held.is_fresh().then(|| Some(held.token.clone()))
    }
}

struct Held {
    token: Token,
    /// From this time on a new token is requested.
    until: Option<Instant>,
}

impl Held {
    fn is_fresh(&self) -> bool {
        self.until.is_none_or(|until| Instant::now() < until)
    }
}

impl Granted {
    pub(super) fn new(url: Url, grant: Grant) -> Self {
        Self {
            network: Arc::new(Network::of(&url)),
            url,
            grant,
            challenge: Mutex::default(),
            state: tokio::sync::Mutex::default(),
        }
    }

    /// Returns the token to send; `None` until the server requires one.
    async fn token(&self) -> Result<Option<Token>, DisconnectReason> {
        let mut state = self.state.lock().await;
        match state.known() {
            Some(known) => Ok(known),
            None => self.obtain(&mut state).await.map(Some),
        }
    }

    /// Returns another token than this one. Another connection may have requested it already.
    async fn other_than(&self, refused: Option<&str>) -> Result<Option<Token>, DisconnectReason> {
        let mut state = self.state.lock().await;
        if let Some(held) = &state.token
            && held.is_fresh()
            && Some(held.token.text.as_str()) != refused
        {
            return Ok(Some(held.token.clone()));
        }
        self.obtain(&mut state).await.map(Some)
    }

    /// Requests a token: finds the authorization server, creates the assertion of the grant, and exchanges it.
    async fn obtain(&self, state: &mut State) -> Result<Token, DisconnectReason> {
        state.token = None;
        let challenge = self.challenge.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if state.dpop.is_none() && dpop::is_wanted(challenge.as_deref()) {
            let made = Dpop::generate().map_err(|error| DisconnectReason::lost(error.to_string()))?;
            state.dpop = Some(Arc::new(made));
        }
        let http = Arc::new(OAuthClient::new(Arc::clone(&self.network), state.dpop.clone()));
        let (metadata, scopes) = self.discover(Arc::clone(&http), challenge.as_deref()).await?;
        let issuer = self.issuer(&metadata)?;
        let resource = self.resource(http.resource());
        let scope = scopes.join(" ");
        let mut form = match &self.grant.kind {
            Kind::ClientCredentials => {
                vec![("grant_type", "client_credentials".to_owned()), ("resource", resource)]
            }
            Kind::JwtBearer(source) => {
                let assertion = made("the assertion", source, issuer).await?;
                vec![("grant_type", JWT_BEARER.to_owned()), ("assertion", assertion), ("resource", resource)]
            }
            Kind::Enterprise(provider) => {
                let assertion = exchange(provider, issuer, resource, &scope).await?;
                vec![("grant_type", JWT_BEARER.to_owned()), ("assertion", assertion)]
            }
        };
        // The identity provider's assertion contains the allowed scopes; requesting more of them would fail.
        if !scope.is_empty() && !matches!(self.grant.kind, Kind::Enterprise(_)) {
            form.push(("scope", scope));
        }
        let endpoint = TokenEndpoint {
            url: &metadata.token_endpoint,
            audience: issuer,
            methods: metadata.additional_fields.get("token_endpoint_auth_methods_supported"),
            algorithms: metadata.additional_fields.get("token_endpoint_auth_signing_alg_values_supported"),
        };
        let answer = endpoint.request(&http, &self.grant.client, form).await?;
        let held = hold(answer, state.dpop.as_ref())?;
        Ok(state.token.insert(held).token.clone())
    }

    /// Finds the authorization server and the scopes to request.
    async fn discover(
        &self,
        http: Arc<OAuthClient>,
        challenge: Option<&str>,
    ) -> Result<(AuthorizationMetadata, Vec<String>), DisconnectReason> {
        let unfound = |error| {
            DisconnectReason::lost(format!("no authorization server was found: {}", error_chain(&error)))
        };
        let mut manager = AuthorizationManager::new_with_oauth_http_client(identifier(&self.url), http)
            .await
            .map_err(unfound)?;
        let found = manager.resolve_metadata_from_challenge(challenge).await.map_err(unfound)?;
        if !found.source.is_discovered() {
            return Err(DisconnectReason::unusable(
                "no authorization server was found: the server names none",
            ));
        }
        manager.set_metadata(found.metadata.clone());
        let mut scopes = self.grant.scopes.clone();
        if scopes.is_empty() {
            scopes = manager.select_initial_scopes(&[]).await;
            // A refresh token is useless here: the grant is used again.
            scopes.retain(|scope| scope != "offline_access");
        }
        Ok((found.metadata, scopes))
    }

    /// Returns the resource identifier for requests: the one in the server's metadata if it contains the server, or else
    /// the URL without its query.
    fn resource(&self, named: Option<String>) -> String {
        let is_ours = |named: &String| Url::parse(named).is_ok_and(|named| contains(&named, &self.url));
        named.filter(is_ours).unwrap_or_else(|| identifier(&self.url).to_string())
    }

    /// Returns the issuer of the metadata, which must match the configured issuer.
    fn issuer<'a>(&self, metadata: &'a AuthorizationMetadata) -> Result<&'a str, DisconnectReason> {
        let issuer = metadata.issuer.as_deref().ok_or_else(|| {
            DisconnectReason::unusable("the metadata of the authorization server name no issuer")
        })?;
        match &self.grant.issuer {
            Some(only) if only.trim_end_matches('/') != issuer.trim_end_matches('/') => {
                Err(DisconnectReason::unusable(format!(
                    "the server names the authorization server {issuer}, and the grant is for {only} alone"
                )))
            }
            _ => Ok(issuer),
        }
    }
}

/// Returns whether a URL is a resource or below it. `rmcp` does not use the metadata of other resources.
fn contains(resource: &Url, url: &Url) -> bool {
    let rest = url.path().strip_prefix(resource.path());
    resource.origin() == url.origin()
        && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || resource.path().ends_with('/'))
}

/// Exchanges the user's identity token for an assertion for the authorization server (RFC 8693, ID-JAG).
async fn exchange(
    provider: &IdentityProvider,
    issuer: &str,
    resource: String,
    scope: &str,
) -> Result<String, DisconnectReason> {
    let url = Url::parse(&provider.token_endpoint).map_err(|error| {
        DisconnectReason::unusable(format!("the identity provider's token endpoint: {error}"))
    })?;
    if url.scheme() != "https" && !is_loopback(&url) {
        return Err(DisconnectReason::unusable("the identity provider's token endpoint is not https"));
    }
    let id_token = made("the identity token", &provider.id_token, &provider.client.id).await?;
    let mut form = vec![
        ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange".to_owned()),
        ("requested_token_type", ID_JAG.to_owned()),
        ("subject_token_type", "urn:ietf:params:oauth:token-type:id_token".to_owned()),
        ("subject_token", id_token),
        ("audience", issuer.to_owned()),
        ("resource", resource),
    ];
    if !scope.is_empty() {
        form.push(("scope", scope.to_owned()));
    }
    // The program names the provider, so it may be in a private network even if the server is public.
    let http = OAuthClient::new(Arc::new(Network::of(&url)), None);
    let endpoint = TokenEndpoint {
        url: &provider.token_endpoint,
        audience: &provider.token_endpoint,
        methods: None,
        algorithms: None,
    };
    let answer = endpoint.request(&http, &provider.client, form).await?;
    match answer.issued.as_deref() {
        Some(ID_JAG) => Ok(answer.token),
        _ => Err(DisconnectReason::unusable(
            "the identity provider gives no assertion for an authorization server (ID-JAG)",
        )),
    }
}

/// Calls the program's function for a token.
async fn made(what: &str, source: &Source, audience: &str) -> Result<String, DisconnectReason> {
    let making = AssertUnwindSafe(async { source(audience.to_owned()).await }).catch_unwind();
    match timeout(LIMIT, making).await {
        Ok(Ok(Ok(token))) => Ok(token),
        Ok(Ok(Err(error))) => {
            Err(DisconnectReason::lost(format!("{what} could not be made: {}", error_chain(&*error))))
        }
        Ok(Err(_)) => Err(DisconnectReason::lost(format!("{what} could not be made: the program panicked"))),
        Err(_) => Err(DisconnectReason::lost(format!("{what} could not be made in time"))),
    }
}

/// Converts an answer to a token with its expiry.
fn hold(answer: Answer, dpop: Option<&Arc<Dpop>>) -> Result<Held, DisconnectReason> {
    let proof = match (answer.kind.to_ascii_lowercase().as_str(), dpop) {
        ("bearer", _) => None,
        ("dpop", Some(dpop)) => Some(Arc::clone(dpop) as Arc<dyn Proof>),
        _ => return Err(DisconnectReason::unusable("the token is of a kind that can't be sent")),
    };
    // A token with a short life is used for at least half of it.
    let until =
        answer.lifetime.and_then(|life| Instant::now().checked_add(life.saturating_sub(EARLY.min(life / 2))));
    Ok(Held { token: Token { text: answer.token, proof }, until })
}

/// Requests run as tasks: a result that arrives after a failed attempt to connect serves the next attempt.
impl Tokens for Granted {
    fn resolver(&self) -> Option<Arc<dyn Resolve>> {
        Some(Arc::new(RecordingResolver(Arc::clone(&self.network))))
    }

    fn current(self: Arc<Self>) -> TokenFuture {
        if let Some(known) = self.state.try_lock().ok().and_then(|state| state.known()) {
            return Box::pin(ready(Ok(known)));
        }
        Box::pin(to_the_end(async move { self.token().await }))
    }

    fn after(self: Arc<Self>, refused: Option<String>) -> TokenFuture {
        Box::pin(to_the_end(async move { self.other_than(refused.as_deref()).await }))
    }

    fn challenged(&self, challenge: &str) {
        // Such a challenge names the scopes of one call; other calls need different ones.
        if WWWAuthenticateParams::parse(challenge, &self.url).is_insufficient_scope() {
            return;
        }
        *self.challenge.lock().unwrap_or_else(PoisonError::into_inner) = Some(challenge.into());
    }
}

const JWT_BEARER: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const ID_JAG: &str = "urn:ietf:params:oauth:token-type:id-jag";
/// The time limit of the program's function.
const LIMIT: Duration = Duration::from_secs(30);
/// A token is replaced this long before its expiry.
const EARLY: Duration = Duration::from_secs(30);

#[cfg(test)]
mod tests {
    use std::{future::pending, time::Duration};

    use reqwest::Url;
    use tokio::time::timeout;

    use super::{Grant, Granted, Kind, Tokens as _, made};
    use crate::oauth::RegisteredClient;

    fn granted(url: &str) -> Granted {
        let grant = Grant::client_credentials(RegisteredClient::public("robot"));
        Granted::new(Url::parse(url).unwrap(), grant)
    }

    #[test]
    fn resource_of_another_server_is_not_requested() {
        let granted = granted("https://h/mcp/a?key=secret");
        let own = "https://h/mcp/a";
        for named in ["https://h", "https://h/", "https://h/mcp", "https://h/mcp/", own] {
            assert_eq!(granted.resource(Some(named.to_owned())), named);
        }
        for named in ["https://h/other", "https://h/mc", "https://h/mcp/a/b", "https://i/mcp/a", "mcp"] {
            assert_eq!(granted.resource(Some(named.to_owned())), own, "{named}");
        }
        assert_eq!(granted.resource(None), own);
    }

    #[test]
    fn challenge_about_the_scope_of_one_call_replaces_no_other() {
        let granted = granted("https://h/mcp");
        let first = r#"Bearer resource_metadata="https://h/prm""#;
        granted.challenged(first);
        granted.challenged(r#"Bearer error="insufficient_scope", scope="write""#);
        assert_eq!(granted.challenge.lock().unwrap().as_deref(), Some(first));
    }

    #[tokio::test(start_paused = true)]
    async fn function_that_never_returns_is_an_error_in_time() {
        let client = RegisteredClient::public("robot");
        let grant = Grant::jwt_bearer(client, |_| pending::<Result<String, String>>());
        let Kind::JwtBearer(source) = &grant.kind else { panic!("{grant:?}") };
        let making = timeout(Duration::from_secs(60), made("the assertion", source, "https://h"));
        let error = making.await.unwrap().unwrap_err();
        assert_eq!(error.to_string(), "the assertion could not be made in time");
    }
}
