//! The tokens of all servers of a hub, by URL.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use reqwest::Url;
use rmcp::transport::AuthorizationRequest;

use super::{
    AuthorizeError, Grant, PendingAuthorization, ServerTokens, TokenStore, granted::Granted, store::Memory,
};
use crate::{
    link::DisconnectReason,
    record::Record,
    web::{AccessTokens, Tokens},
};

/// The tokens of all servers of a hub.
pub struct Book {
    store: Arc<dyn TokenStore>,
    servers: Mutex<HashMap<String, Arc<ServerTokens>>>,
    /// The servers for which the program has a grant.
    granted: HashMap<String, Arc<Granted>>,
}

impl Book {
    /// Sets the store. By default tokens are kept in memory.
    pub fn set_store(&mut self, store: Arc<dyn TokenStore>) {
        self.store = store;
    }

    /// Uses a grant for the server at a URL. An invalid URL matches no server.
    pub fn grant(&mut self, url: &str, grant: Grant) {
        if let Ok(url) = key(url) {
            self.granted.insert(url.to_string(), Arc::new(Granted::new(url, grant)));
        }
    }

    fn granted(&self, url: &str) -> Option<&Arc<Granted>> {
        self.granted.get(key(url).ok()?.as_str())
    }

    /// Returns the tokens of the server at a URL. All callers share them.
    fn of(&self, url: &str) -> Result<Arc<ServerTokens>, DisconnectReason> {
        let key = key(url)?;
        let mut servers = self.servers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tokens) = servers.get(key.as_str()) {
            return Ok(Arc::clone(tokens));
        }
        if servers.len() >= MANY {
            servers.retain(|_, tokens| Arc::strong_count(tokens) > 1);
        }
        let tokens = Arc::new(ServerTokens::new(key.clone(), Arc::clone(&self.store)));
        servers.insert(key.into(), Arc::clone(&tokens));
        Ok(tokens)
    }

    /// Returns the tokens for a connection. The record gets the reasons why tokens are not renewed.
    ///
    /// # Errors
    ///
    /// If the URL is invalid.
    pub fn access(&self, url: &str, record: &Arc<Record>) -> Result<AccessTokens, DisconnectReason> {
        let source: Arc<dyn Tokens> = match self.granted(url) {
            Some(granted) => Arc::<Granted>::clone(granted),
            None => self.of(url)?,
        };
        Ok(AccessTokens { source, record: Arc::clone(record), refused: Arc::default() })
    }

    /// Starts an authorization by a user: finds the authorization server, and registers this program there if needed.
    ///
    /// # Errors
    ///
    /// If there is a grant for the server, or its authorization server can't be found or refuses this program.
    pub async fn authorize(
        &self,
        url: &str,
        request: AuthorizationRequest,
    ) -> Result<PendingAuthorization, AuthorizeError> {
        PendingAuthorization::start(self.authorizable(url)?, request).await
    }

    /// Deletes the tokens of a server. They are not revoked. Waits for a renewal by another connection or process
    /// first.
    ///
    /// # Errors
    ///
    /// If there is a grant for the server, the store can't be locked, or the tokens can't be deleted.
    pub async fn forget(&self, url: &str) -> Result<(), AuthorizeError> {
        let tokens = self.authorizable(url)?;
        let removal = async { tokens.store.remove(tokens.url.as_str()).await.map_err(AuthorizeError::Store) };
        tokens.change(removal).await
    }

    fn authorizable(&self, url: &str) -> Result<Arc<ServerTokens>, AuthorizeError> {
        if self.granted(url).is_some() {
            return Err(AuthorizeError::HasGrant);
        }
        Ok(self.of(url)?)
    }
}

/// Returns the URL by which servers are distinguished.
fn key(url: &str) -> Result<Url, DisconnectReason> {
    let mut url = Url::parse(url)
        .map_err(|error| DisconnectReason::unusable(format!("the URL is invalid: {error}")))?;
    url.set_fragment(None);
    Ok(url)
}

impl Default for Book {
    fn default() -> Self {
        Self { store: Arc::new(Memory::default()), servers: Mutex::default(), granted: HashMap::new() }
    }
}

impl fmt::Debug for Book {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Book")
    }
}

/// At this number of URLs, those without a connection are removed.
const MANY: usize = 1_000;
