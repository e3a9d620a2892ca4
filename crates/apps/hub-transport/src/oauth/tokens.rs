//! The tokens of one server, shared by all its connections. Only one of them renews a token at a time.

use std::{
    future::ready,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use agentwire_net::{error_chain, excerpt};
use reqwest::{Url, dns::Resolve};
use rmcp::transport::{AuthError, AuthorizationManager, auth::OAuthClientConfig};

use super::{
    AuthorizeError, TokenStore,
    client::OAuthClient,
    dpop::Dpop,
    network::{Network, RecordingResolver},
    record::{ClientRecord, StoredAuthorization},
    request::TEMPORARY,
    rmcp_store::RmcpStore,
    store::StoreError,
};
use crate::{
    link::DisconnectReason,
    web::{Proof, Token, TokenFuture, Tokens},
};

/// The tokens of one server.
pub(crate) struct ServerTokens {
    pub(crate) url: Url,
    pub(crate) store: Arc<dyn TokenStore>,
    pub(crate) network: Arc<Network>,
    /// The last challenge of the server, with which an authorization starts.
    challenge: Mutex<Option<Arc<str>>>,
    /// The key of bound tokens with the nonces of the servers, once there is one.
    dpop: Mutex<Option<Arc<Dpop>>>,
    /// Why the authorization server has refused the last renewal, until a connection notes it.
    refusal: Mutex<Option<String>>,
    /// Locked during renewal: other connections wait and use the new token.
    state: tokio::sync::Mutex<State>,
}

#[derive(Default)]
struct State {
    /// `None` until first read.
    record: Option<Option<StoredAuthorization>>,
    /// Created at the first renewal, since it discovers the authorization server. It renews tokens of this authorization
    /// and of those like it.
    manager: Option<(StoredAuthorization, AuthorizationManager)>,
    /// The last refused renewal.
    lapsed: Option<Lapsed>,
}

/// A refused renewal.
struct Lapsed {
    /// The stored authorization, as JSON.
    record: String,
    at: Instant,
    why: Option<String>,
}

impl ServerTokens {
    pub(crate) fn new(url: Url, store: Arc<dyn TokenStore>) -> Self {
        Self {
            network: Arc::new(Network::of(&url)),
            url,
            store,
            challenge: Mutex::default(),
            dpop: Mutex::default(),
            refusal: Mutex::default(),
            state: tokio::sync::Mutex::default(),
        }
    }

    /// Creates an `rmcp` manager without tokens for this server.
    pub(crate) async fn bare_manager(
        &self,
        dpop: Option<Arc<Dpop>>,
    ) -> Result<AuthorizationManager, AuthError> {
        let http = Arc::new(OAuthClient::new(Arc::clone(&self.network), dpop));
        AuthorizationManager::new_with_oauth_http_client(identifier(&self.url), http).await
    }

    /// Returns the key stored with the tokens; `None` if there is none or it can't be read.
    pub(crate) fn dpop(&self, client: &ClientRecord) -> Option<Arc<Dpop>> {
        let secret = client.dpop_key.as_deref()?;
        let mut known = self.dpop.lock().unwrap_or_else(PoisonError::into_inner);
        match &*known {
            Some(dpop) if dpop.secret() == secret => {}
            _ => *known = Dpop::read(secret).map(Arc::new),
        }
        known.clone()
    }

    /// Returns a token in the form that connections send.
    fn sent(&self, record: &StoredAuthorization, text: String) -> Token {
        let dpop = if record.is_bound() { self.dpop(&record.client) } else { None };
        Token { text, proof: dpop.map(|dpop| dpop as Arc<dyn Proof>) }
    }

    pub(crate) fn challenge(&self) -> Option<Arc<str>> {
        self.challenge.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Reads the stored authorization.
    pub(crate) async fn record(&self) -> Result<Option<StoredAuthorization>, StoreError> {
        match self.store.load(self.url.as_str()).await? {
            Some(text) => Ok(Some(StoredAuthorization::parse(&text)?)),
            None => Ok(None),
        }
    }

    /// Changes the store while no connection and no other process renews the tokens: a renewal would save the old
    /// authorization again. Discards the cached state.
    pub(crate) async fn change(
        &self,
        change: impl Future<Output = Result<(), AuthorizeError>>,
    ) -> Result<(), AuthorizeError> {
        let mut state = self.state.lock().await;
        let _lock = self.store.lock(self.url.as_str()).await.map_err(AuthorizeError::Store)?;
        change.await?;
        *state = State::default();
        *self.challenge.lock().unwrap_or_else(PoisonError::into_inner) = None;
        Ok(())
    }

    /// Returns the cached token, or that there is none; `None` if this is not known yet.
    fn known(&self, state: &State) -> Option<Option<Token>> {
        match state.record.as_ref()? {
            Some(record) => record.fresh_token().map(|text| Some(self.sent(record, text))),
            None => Some(None),
        }
    }

    /// Returns the token to send, if there is one.
    async fn token(&self) -> Result<Option<Token>, DisconnectReason> {
        let mut state = self.state.lock().await;
        match self.known(&state) {
            Some(known) => Ok(known),
            None => self.load(&mut state, None).await,
        }
    }

    /// Returns another token than this one.
    async fn other_than(&self, refused: Option<&str>) -> Result<Option<Token>, DisconnectReason> {
        let mut state = self.state.lock().await;
        self.load(&mut state, refused).await
    }

    /// Returns the stored token, which another connection or process may have renewed already, or a new one.
    async fn load(
        &self,
        state: &mut State,
        refused: Option<&str>,
    ) -> Result<Option<Token>, DisconnectReason> {
        match self.read(state).await?.filter(|token| Some(token.text.as_str()) != refused) {
            Some(token) => Ok(Some(token)),
            None => self.renew(state).await,
        }
    }

    /// Returns the stored token, unless it has expired or expires soon.
    async fn read(&self, state: &mut State) -> Result<Option<Token>, DisconnectReason> {
        let record = state.record.insert(self.record().await.map_err(unreadable)?);
        Ok(record.as_ref().and_then(|record| Some(self.sent(record, record.fresh_token()?))))
    }

    /// Renews the token; `None` if that requires a new authorization.
    async fn renew(&self, state: &mut State) -> Result<Option<Token>, DisconnectReason> {
        let Some(record) = state.record.clone().flatten() else { return Ok(None) };
        let stored = serde_json::to_string(&record).unwrap_or_default();
        // Calls that waited for the refusal must not ask again, one after the other.
        if let Some(Lapsed { record, at, why }) = &state.lapsed
            && at.elapsed() < LAPSED
            && *record == stored
        {
            self.last_refusal().clone_from(why);
            return Ok(None);
        }
        if state.manager.as_ref().is_none_or(|(known, _)| !known.is_like(&record)) {
            state.manager = self.manager(&record).await.map_err(unrenewed)?.map(|manager| (record, manager));
        }
        let Some((known, manager)) = &state.manager else {
            // No further attempt until the server refuses a request without a token.
            state.record = Some(None);
            return Ok(None);
        };
        match manager.refresh_token().await {
            Ok(_) => {
                let record = state.record.insert(self.record().await.map_err(unreadable)?);
                Ok(record.as_ref().and_then(|record| Some(self.sent(record, record.new_token()?))))
            }
            // The authorization server has forgotten the client, or its secret has changed. An authorization registers
            // the client anew, or takes the secret of its request. Another process may have stored a new one meanwhile.
            Err(AuthError::TokenRefreshFailed(why))
                if CLIENT.iter().any(|code| is_refused_with(&why, code)) =>
            {
                let _lock = self.store.lock(self.url.as_str()).await.map_err(unreadable)?;
                let other = self.record().await.map_err(unreadable)?.filter(|other| !other.is_like(known));
                if other.is_none() {
                    self.refuse(state, &why);
                    self.store.remove(self.url.as_str()).await.map_err(unreadable)?;
                }
                *state = State { record: Some(other), ..State::default() };
                Ok(self.known(state).flatten())
            }
            Err(error) => {
                // The next renewal discovers the authorization server again: its endpoint may have moved.
                state.manager = None;
                if !is_final(&error) {
                    return Err(unrenewed(error));
                }
                // Without a refresh token, there was no request.
                if !matches!(error, AuthError::AuthorizationRequired) {
                    self.refuse(state, &error.to_string());
                }
                let why = self.last_refusal().clone();
                state.lapsed = Some(Lapsed { record: stored, at: Instant::now(), why });
                Ok(None)
            }
        }
    }

    /// Keeps the reason of a refusal for the record of a connection.
    fn refuse(&self, state: &State, why: &str) {
        // The authorization server may repeat a token in its description.
        let is_secret = state.record.iter().flatten().any(|record| record.is_shown_in(why));
        let why = if is_secret { "its reason contains a secret".into() } else { excerpt(why) };
        let why = format!("the authorization server renews no token: {why}");
        *self.last_refusal() = Some(why);
    }

    fn last_refusal(&self) -> MutexGuard<'_, Option<String>> {
        self.refusal.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Creates the manager for renewals. It discovers the authorization server again: `None` if it is not the one that
    /// issued the tokens.
    async fn manager(&self, record: &StoredAuthorization) -> Result<Option<AuthorizationManager>, AuthError> {
        let mut manager = self.bare_manager(self.dpop(&record.client)).await?;
        let found = manager.resolve_metadata_from_challenge(self.challenge().as_deref()).await?.metadata;
        // Without metadata, `rmcp` assumes `/token` at the MCP server, which must not get the refresh token and the secret.
        // It may get those that it issued itself: they have no issuer.
        if record.credentials.issuer != found.issuer {
            return Ok(None);
        }
        manager.set_metadata(found);
        let store =
            RmcpStore::new(&self.url, &self.store, record.client.clone(), record.credentials.issuer.clone());
        manager.set_credential_store(store);
        let ClientRecord { id, secret, redirect_uri, .. } = record.client.clone();
        let mut config = OAuthClientConfig::new(id, redirect_uri);
        if let Some(secret) = secret {
            config = config.with_client_secret(secret);
        }
        manager.configure_client(config)?;
        Ok(Some(manager))
    }
}

/// Renewals run as tasks with limited requests, which complete even if the connection's request is dropped: a used
/// refresh token without its saved successor would require a new authorization by the user.
impl Tokens for ServerTokens {
    fn resolver(&self) -> Option<Arc<dyn Resolve>> {
        Some(Arc::new(RecordingResolver(Arc::clone(&self.network))))
    }

    fn current(self: Arc<Self>) -> TokenFuture {
        if let Some(known) = self.state.try_lock().ok().and_then(|state| self.known(&state)) {
            return Box::pin(ready(Ok(known)));
        }
        Box::pin(to_the_end(async move { self.token().await }))
    }

    fn after(self: Arc<Self>, refused: Option<String>) -> TokenFuture {
        Box::pin(to_the_end(async move { self.other_than(refused.as_deref()).await }))
    }

    fn stored(self: Arc<Self>) -> TokenFuture {
        Box::pin(to_the_end(async move {
            let mut state = self.state.lock().await;
            self.read(&mut state).await
        }))
    }

    fn refusal(&self) -> Option<String> {
        self.last_refusal().take()
    }

    fn challenged(&self, challenge: &str) {
        *self.challenge.lock().unwrap_or_else(PoisonError::into_inner) = Some(challenge.into());
    }
}

/// Runs work as a task, which completes even if the caller stops waiting.
pub(crate) async fn to_the_end<T: Send + 'static>(
    work: impl Future<Output = Result<T, DisconnectReason>> + Send + 'static,
) -> Result<T, DisconnectReason> {
    tokio::spawn(work).await.map_err(|error| DisconnectReason::lost(error.to_string()))?
}

/// Returns whether the authorization server would refuse the same renewal again.
fn is_final(error: &AuthError) -> bool {
    match error {
        AuthError::AuthorizationRequired | AuthError::TokenRefreshRejected(_) => true,
        AuthError::TokenRefreshFailed(why) => {
            why.starts_with(REFUSED) && !TEMPORARY.iter().any(|code| is_refused_with(why, code))
        }
        _ => false,
    }
}

fn is_refused_with(why: &str, code: &str) -> bool {
    why.strip_prefix(REFUSED).is_some_and(|error| error.starts_with(code))
}

/// How long a refusal is remembered. A restart of the server later than this tries again.
const LAPSED: Duration = Duration::from_secs(10);
/// The start of the text by which `rmcp` reports an error of the authorization server. Its code follows.
const REFUSED: &str = "Server returned error response: ";
/// The error codes of a client that may not renew its tokens.
const CLIENT: [&str; 2] = ["invalid_client", "unauthorized_client"];

/// Returns the identifier of a server as a resource: its URL without a query, which may contain a secret and would reach
/// the authorization server and errors.
pub(crate) fn identifier(url: &Url) -> Url {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    url
}

fn unreadable(error: StoreError) -> DisconnectReason {
    DisconnectReason::lost(format!("no token: {}", error_chain(&*error)))
}

fn unrenewed(error: AuthError) -> DisconnectReason {
    DisconnectReason::lost(format!("the token cannot be renewed: {}", error_chain(&error)))
}

#[cfg(test)]
mod tests;
