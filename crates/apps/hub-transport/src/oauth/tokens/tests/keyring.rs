//! A store whose changes are recorded, and which another process or a fault can change.

use std::{
    future::ready,
    io,
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use crate::oauth::{StoreError, StoreFuture, TokenLock, TokenStore};

/// A store for one server.
#[derive(Default)]
pub(super) struct Keyring {
    kept: Mutex<Option<String>>,
    /// Stored at the next lock, as by a process that held it before.
    pub(super) at_lock: Mutex<Option<String>>,
    pub(super) changes: Mutex<Vec<&'static str>>,
    pub(super) is_broken: AtomicBool,
    /// Whether no authorization can be saved, as on a full disk.
    pub(super) is_full: AtomicBool,
}

#[derive(Debug, thiserror::Error)]
#[error("the keyring is closed")]
struct Closed(#[source] io::Error);

impl Keyring {
    pub(super) fn put(&self, record: String) {
        *self.kept.lock().unwrap() = Some(record);
    }

    pub(super) fn kept(&self) -> Option<String> {
        self.kept.lock().unwrap().clone()
    }

    fn check<T: Send + 'static>(&self, value: T) -> StoreFuture<'_, T> {
        let checked: Result<T, StoreError> = match self.is_broken.load(Ordering::Relaxed) {
            true => Err(Closed(io::Error::other("no password")).into()),
            false => Ok(value),
        };
        Box::pin(ready(checked))
    }

    fn change(&self, name: &'static str, record: Option<String>) -> StoreFuture<'_, ()> {
        if !self.is_broken.load(Ordering::Relaxed) {
            self.changes.lock().unwrap().push(name);
            *self.kept.lock().unwrap() = record;
        }
        self.check(())
    }
}

impl TokenStore for Keyring {
    fn load<'a>(&'a self, _: &'a str) -> StoreFuture<'a, Option<String>> {
        self.check(self.kept())
    }

    fn save<'a>(&'a self, _: &'a str, secret: &'a str) -> StoreFuture<'a, ()> {
        if self.is_full.load(Ordering::Relaxed) {
            return Box::pin(ready(Err("no space".into())));
        }
        self.change("save", Some(secret.to_owned()))
    }

    fn remove<'a>(&'a self, _: &'a str) -> StoreFuture<'a, ()> {
        self.change("remove", None)
    }

    fn lock<'a>(&'a self, _: &'a str) -> StoreFuture<'a, TokenLock> {
        self.changes.lock().unwrap().push("lock");
        if let Some(record) = self.at_lock.lock().unwrap().take() {
            self.put(record);
        }
        Box::pin(ready(Ok(TokenLock::new(()))))
    }
}
