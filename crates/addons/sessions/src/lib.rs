#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod change;
mod change_error;
pub mod conformance;
mod cost;
mod ends;
pub mod entry;
mod export;
mod fields;
mod folder;
mod ids;
mod info;
mod list;
mod read;
mod search;
mod sessions;
mod store;
mod stream;
mod time;

pub use change_error::ChangeError;
pub use cost::{CostMeter, CostSummary, Day, Price, Prices, Spent, Tokens};
pub use entry::{Entry, RawEntry};
pub use export::Export;
pub use folder::{composed_path, project_key};
pub use list::Page;
pub use read::{conversation, conversation_with_system};
pub use search::{Hit, HitPart, Hits, Search};
pub use sessions::{SessionError, Sessions};
pub use store::{
    FolderStore, ImportError, KeyError, MemoryStore, SessionKey, SessionStore, SessionSummary, StoreError,
    StoreFuture, StoreSessions, StoredSession, fold_summary, import_session,
};
