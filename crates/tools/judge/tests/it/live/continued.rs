//! A conversation that starts here and continues elsewhere, from each kind of store that needs no server; and files of
//! the first process that the store lacks.

use std::sync::Arc;

use agentwire::{
    Options, Session,
    sessions::{FolderStore, MemoryStore, SessionStore},
};
use agentwire_judge::continued;
use serde_json::json;

use super::place::{self, Place};

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

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn files_are_rewound_only_to_prompts_of_the_same_process() {
    let write = |name: &str| {
        let input = json!({"file_path": format!("${{place}}/project/{name}"), "content": "x"});
        place::reply(&("Write", input))
    };
    let done = json!({"blocks": [{"text": "Done."}]});
    let script = json!({"replies": [write("b.txt"), done, write("c.txt"), done]});
    let place = Place::scripted(&script.to_string()).await;
    let store: Arc<dyn SessionStore> = Arc::new(MemoryStore::new());
    let options = place.in_project().allowed_tools(["Write"]).enable_file_checkpointing();
    let builder = |options: Options| Session::builder().options(options).session_store(Arc::clone(&store));
    let mut first = builder(options.clone()).connect().await.unwrap();
    let earlier = first.send("Go.").await.unwrap();
    let result = first.turn().finish().await.unwrap().unwrap();
    first.close().await.unwrap();

    let options = options.resume(result.session_id.as_ref().unwrap().as_str());
    let mut second = builder(options).connect().await.unwrap();
    let later = second.send("Go on.").await.unwrap();
    second.turn().finish().await.unwrap().unwrap();
    let exist = || ["b.txt", "c.txt"].map(|name| place.file(&format!("project/{name}")).exists());
    // The store lacks the backups of the first process, so a rewind would restore only some of the files.
    let refused = second.control().rewind_files(earlier).await;
    assert!(refused.is_err(), "{refused:?}");
    assert_eq!(exist(), [true, true]);
    second.control().rewind_files(later).await.unwrap();
    assert_eq!(exist(), [true, false]);
    second.close().await.unwrap();
}
