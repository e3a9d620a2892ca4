//! A conversation that starts here and continues elsewhere, from each kind of store that needs no server.

use std::sync::Arc;

use agentwire::{
    Options,
    sessions::{FolderStore, MemoryStore, SessionStore},
};
use agentwire_judge::continued;

async fn goes_on_from(store: impl SessionStore + 'static) {
    continued::prove(Arc::new(store), Options::new()).await.unwrap();
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn a_conversation_goes_on_from_a_store_in_memory() {
    goes_on_from(MemoryStore::new()).await;
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn a_conversation_goes_on_from_a_store_in_a_folder() {
    let dir = tempfile::tempdir().unwrap();
    goes_on_from(FolderStore::at(dir.path())).await;
}
