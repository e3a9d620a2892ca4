//! Storage of tokens.

use std::{
    collections::HashMap,
    error::Error,
    fmt,
    future::{Future, ready},
    pin::Pin,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// A store for the authorizations of servers: a file ([`TokenFile`](super::TokenFile)), a keyring, a database.
///
/// The authorization of a server is one secret JSON text with its tokens and the registration of the client. Its key is
/// the URL of the server.
pub trait TokenStore: Send + Sync {
    /// Loads the authorization of a server; `None` if there is none. Called every few seconds while a server needs an
    /// authorization, so it must not ask the user.
    ///
    /// # Errors
    ///
    /// If the store can't be read. The hub tries again later, and does not request a new authorization.
    fn load<'a>(&'a self, server: &'a str) -> StoreFuture<'a, Option<String>>;

    /// Replaces the authorization of a server atomically.
    ///
    /// Before a renewal the hub saves the authorization unchanged: if that fails, it sends no refresh token.
    ///
    /// # Errors
    ///
    /// If it may not be saved. The previous refresh token may be invalid by then.
    fn save<'a>(&'a self, server: &'a str, secret: &'a str) -> StoreFuture<'a, ()>;

    /// Deletes the authorization of a server.
    ///
    /// # Errors
    ///
    /// If it may still be stored.
    fn remove<'a>(&'a self, server: &'a str) -> StoreFuture<'a, ()>;

    /// Prevents other processes from renewing or replacing the tokens of a server until the returned lock is dropped.
    ///
    /// The hub calls [`load`](Self::load), [`save`](Self::save) and [`remove`](Self::remove) meanwhile.
    /// The default locks nothing; the connections of one hub never renew the same tokens concurrently.
    ///
    /// # Errors
    ///
    /// If the lock can't be acquired. The tokens are then neither renewed, nor saved by an authorization, nor deleted.
    fn lock<'a>(&'a self, _server: &'a str) -> StoreFuture<'a, TokenLock> {
        Box::pin(ready(Ok(TokenLock::new(()))))
    }
}

/// The future of a store.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// An error of a store. Its text is shown to the user and must not contain secrets.
pub type StoreError = Box<dyn Error + Send + Sync>;

/// Prevents others from renewing or replacing tokens until it is dropped.
#[must_use = "dropping the lock releases it"]
pub struct TokenLock(#[expect(dead_code, reason = "dropping it releases the lock")] Box<dyn Send>);

impl TokenLock {
    /// Holds a value until the lock is dropped.
    pub fn new(held: impl Send + 'static) -> Self {
        Self(Box::new(held))
    }
}

impl fmt::Debug for TokenLock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenLock")
    }
}

/// Keeps tokens in memory.
#[derive(Default)]
pub(super) struct Memory(Mutex<HashMap<String, String>>);

impl Memory {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TokenStore for Memory {
    fn load<'a>(&'a self, server: &'a str) -> StoreFuture<'a, Option<String>> {
        let kept = self.lock().get(server).cloned();
        Box::pin(ready(Ok(kept)))
    }

    fn save<'a>(&'a self, server: &'a str, secret: &'a str) -> StoreFuture<'a, ()> {
        self.lock().insert(server.to_owned(), secret.to_owned());
        Box::pin(ready(Ok(())))
    }

    fn remove<'a>(&'a self, server: &'a str) -> StoreFuture<'a, ()> {
        self.lock().remove(server);
        Box::pin(ready(Ok(())))
    }
}
