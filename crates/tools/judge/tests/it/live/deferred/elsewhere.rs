//! A question that is parked here and answered elsewhere, with the file of the example.

#[path = "../../../../../../agentwire/examples/deferred/park.rs"]
mod park;

use std::{fs, sync::Arc};

use agentwire::{
    Session, SessionBuilder,
    hooks::Hooks,
    sessions::{MemoryStore, SessionStore},
};
use park::{Answer, Outcome};

use super::super::Place;

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn a_parked_question_is_answered_on_another_machine() {
    for verdict in [Ok(()), Err("a person said no".to_owned())] {
        let allows = verdict.is_ok();
        let store: Arc<dyn SessionStore> = Arc::new(MemoryStore::new());
        let builder = |place: &Place, answer: Option<Answer>| -> SessionBuilder {
            let options = place.in_project().session_store_project("p");
            let hooks = park::ask_later(Hooks::new(), &["Bash"], answer);
            Session::builder().options(options).hooks(hooks).session_store(Arc::clone(&store))
        };
        let tool_use = r#"{"tool_use": {"name": "Bash", "input": {"command": "echo ran >> ran.txt", "description": "Note"}}}"#;
        let here = Place::scripted(&format!(r#"{{"replies": [{{"blocks": [{tool_use}]}}]}}"#)).await;
        let Outcome::Parked(session, question) = park::begin(builder(&here, None), "Go.").await.unwrap()
        else {
            panic!("it was to wait")
        };
        assert_eq!(&*question.name, "Bash");
        drop(here);

        let there = Place::new().await;
        let answer = Answer { tool_use: question.id, verdict };
        let resuming = builder(&there, Some(answer));
        let options = there.in_project().session_store_project("p");
        let outcome = park::resume(resuming.options(options.resume(session))).await.unwrap();
        assert!(matches!(&outcome, Outcome::Done(text) if text == "Hello."), "{outcome:?}");
        let ran = fs::read_to_string(there.file("project/ran.txt")).unwrap_or_default();
        assert_eq!(ran, if allows { "ran\n" } else { "" });
    }
}
