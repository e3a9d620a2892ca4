//! A mutex that ignores poisoning.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A mutex that ignores poisoning, for values that stay valid if code panics under the lock.
#[derive(Debug, Default)]
pub struct Lock<T>(Mutex<T>);

impl<T> Lock<T> {
    /// Creates an unlocked mutex.
    pub const fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }

    /// Waits for the lock, also after a panic of its last holder.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
