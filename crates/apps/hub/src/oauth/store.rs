//! Where tokens are kept.

use std::{
    collections::HashMap,
    error::Error,
    fmt,
    future::{Future, ready},
    pin::Pin,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// A place where the authorizations of servers are kept: a file ([`TokenFile`](super::TokenFile)), a keyring, a database.
///
/// What is kept for a server is one text of JSON, secret as a whole: tokens, and what the client was registered with.
/// Its key is the address of the server.
pub trait TokenStore: Send + Sync {
    /// What is kept for a server; `None` where nothing is.
    ///
    /// # Errors
    ///
    /// Where that cannot be told. The server is then tried again later, and not asked for a new authorization.
    fn load<'a>(&'a self, server: &'a str) -> StoreFuture<'a, Option<String>>;

    /// Keeps this for a server instead of what was there, as a whole or not at all.
    ///
    /// # Errors
    ///
    /// Where it may not have been kept. An old refresh token may be worth nothing by then.
    fn save<'a>(&'a self, server: &'a str, secret: &'a str) -> StoreFuture<'a, ()>;

    /// Forgets what is kept for a server.
    ///
    /// # Errors
    ///
    /// Where it may still be kept.
    fn remove<'a>(&'a self, server: &'a str) -> StoreFuture<'a, ()>;

    /// Keeps other processes from renewing the tokens of a server until what this gives is dropped.
    ///
    /// [`load`](Self::load) and [`save`](Self::save) are called meanwhile.
    /// By default it keeps nobody: the connections of one hub never renew the same tokens at once in any case.
    ///
    /// # Errors
    ///
    /// Where nobody can be kept from it. The tokens are then not renewed.
    fn lock<'a>(&'a self, _server: &'a str) -> StoreFuture<'a, TokenLock> {
        Box::pin(ready(Ok(TokenLock::none())))
    }
}

/// The future of a store.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Why a store did not do what it was asked for. Its text is shown to the user, and must hold no secret.
pub type StoreError = Box<dyn Error + Send + Sync>;

/// Keeps others from renewing tokens as long as it is there.
#[must_use = "dropped, it keeps nobody from anything"]
pub struct TokenLock(#[expect(dead_code, reason = "it is there to be dropped")] Box<dyn Send>);

impl TokenLock {
    /// Holds this as long as the lock is held.
    pub fn new(held: impl Send + 'static) -> Self {
        Self(Box::new(held))
    }

    fn none() -> Self {
        Self::new(())
    }
}

impl fmt::Debug for TokenLock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenLock")
    }
}

/// Keeps tokens as long as the hub is there.
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
