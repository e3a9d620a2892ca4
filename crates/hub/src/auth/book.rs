//! The tokens of all servers of a hub, by their addresses.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use reqwest::Url;

use super::{ServerTokens, TokenStore, store::Memory, tokens::Access};
use crate::transport::{link::Ended, web::Tokens};

/// The tokens of all servers of a hub.
pub(crate) struct Book {
    store: Arc<dyn TokenStore>,
    servers: Mutex<HashMap<String, Arc<ServerTokens>>>,
}

impl Book {
    pub(crate) fn new(store: Arc<dyn TokenStore>) -> Self {
        Self { store, servers: Mutex::default() }
    }

    /// The tokens of the server at an address: the same for everybody who asks.
    pub(crate) fn of(&self, url: &str) -> Result<Arc<ServerTokens>, Ended> {
        let mut key =
            Url::parse(url).map_err(|error| Ended::unusable(format!("the address is not one: {error}")))?;
        key.set_fragment(None);
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

    /// The same for a connection.
    pub(crate) fn access(&self, url: &str) -> Result<Arc<dyn Tokens>, Ended> {
        Ok(Arc::new(Access(self.of(url)?)))
    }
}

impl Default for Book {
    fn default() -> Self {
        Self::new(Arc::new(Memory::default()))
    }
}

impl fmt::Debug for Book {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Book")
    }
}

/// So many addresses, and those are forgotten that nobody is connected to.
const MANY: usize = 1_000;
