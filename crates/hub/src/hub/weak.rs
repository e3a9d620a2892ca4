//! A hub that is not kept.

use std::sync::Weak;

use super::{Hub, Inner};

/// A hub that this does not keep: it ends when nobody else uses it any more. A clone is cheap.
///
/// With it the parts of a program that know nothing of one another can share a hub, which ends with the last of them:
///
/// ```
/// use std::{collections::HashMap, path::{Path, PathBuf}, sync::Mutex};
///
/// use agentwire_hub::{Hub, WeakHub, config::Sources};
///
/// #[derive(Default)]
/// struct Hubs(Mutex<HashMap<PathBuf, WeakHub>>);
///
/// impl Hubs {
///     /// The hub of a folder: the one that is there, or a new one.
///     fn of(&self, folder: &Path) -> Hub {
///         let mut hubs = self.0.lock().unwrap();
///         if let Some(hub) = hubs.get(folder).and_then(WeakHub::upgrade) {
///             return hub;
///         }
///         // Servers of the folder start once they are trusted.
///         let hub = Hub::builder().sources(Sources::new().project(folder)).build();
///         hubs.insert(folder.to_owned(), hub.downgrade());
///         hub
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let hubs = Hubs::default();
/// let folder = std::env::temp_dir();
/// let (one, other) = (hubs.of(&folder), hubs.of(&folder));
/// one.set_enabled(false);
/// assert!(!other.is_enabled());
/// drop((one, other));
/// assert!(hubs.of(&folder).is_enabled(), "it is a new one");
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct WeakHub {
    inner: Weak<Inner>,
}

impl WeakHub {
    /// The hub, where somebody still uses it.
    pub fn upgrade(&self) -> Option<Hub> {
        self.inner.upgrade().map(|inner| Hub { inner })
    }
}

impl Hub {
    /// The same hub, without keeping it.
    pub fn downgrade(&self) -> WeakHub {
        WeakHub { inner: std::sync::Arc::downgrade(&self.inner) }
    }
}
