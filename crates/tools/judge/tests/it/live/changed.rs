//! The CLI continues with the changes of a stored session.

use agentwire::{Session, protocol::SessionId};
use agentwire_sessions::{Page, Sessions};
use agentwire_testkit::model::Answer;
use serde_json::Value;

use super::place::{Place, turn};

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn a_session_that_was_renamed_and_tagged_goes_on() {
    let place = talking().await;
    let session = ask(&place, "one", None).await;
    ask(&place, "two", Some(&session)).await;
    let sessions = Sessions::at(place.path("home/.claude"));
    sessions.rename(&session, "A walk").unwrap();
    sessions.tag(&session, Some("todo")).unwrap();
    sessions.archive(&session).unwrap();
    let info = || sessions.info(&session).unwrap().unwrap();
    assert_eq!(
        (&*info().summary, info().tag.as_deref(), info().archived),
        ("A walk", Some("todo"), Some(true))
    );
    assert_eq!(ask(&place, "three", Some(&session)).await, session);
    assert_eq!(asked_with(&place), [0, 2, 4]);
    // The CLI's own entries at the end keep our title, and the new prompt took the session out of the archive.
    assert_eq!(
        (&*info().summary, info().tag.as_deref(), info().archived),
        ("A walk", Some("todo"), Some(false))
    );
    assert_eq!(
        message_texts(&sessions, &session),
        ["one", "Answer 1", "two", "Answer 2", "three", "Answer 3"]
    );
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn a_fork_goes_on_from_its_last_message() {
    let place = talking().await;
    let session = ask(&place, "one", None).await;
    ask(&place, "two", Some(&session)).await;
    let sessions = Sessions::at(place.path("home/.claude"));
    let messages = sessions.messages(&session, Page::ALL).unwrap().unwrap();
    let fork = sessions.fork(&session, Some(&messages[1].uuid), Some("Elsewhere")).unwrap();
    assert_eq!(ask(&place, "three", Some(&fork)).await, fork);
    assert_eq!(asked_with(&place), [0, 2, 2]);
    assert_eq!(message_texts(&sessions, &fork), ["one", "Answer 1", "three", "Answer 3"]);
    assert_eq!(sessions.info(&fork).unwrap().unwrap().summary, "Elsewhere");
    let whole = sessions.fork(&session, None, None).unwrap();
    assert_eq!(ask(&place, "four", Some(&whole)).await, whole);
    assert_eq!(asked_with(&place)[3..], [4]);
    assert_eq!(message_texts(&sessions, &session), ["one", "Answer 1", "two", "Answer 2"]);
}

/// Returns a place with a model that counts its answers.
async fn talking() -> Place {
    let replies = (1..=4).map(|number| format!(r#"{{"blocks": [{{"text": "Answer {number}"}}]}}"#));
    Place::scripted(&format!(r#"{{"replies": [{}]}}"#, replies.collect::<Vec<_>>().join(","))).await
}

/// Asks in a new CLI process, in an existing session or a new one.
async fn ask(place: &Place, prompt: &str, resumed: Option<&SessionId>) -> SessionId {
    let mut options = place.in_project();
    if let Some(session) = resumed {
        options = options.resume(session.as_str());
    }
    turn(Session::builder().options(options), prompt).await.session_id.unwrap()
}

/// Returns how many more messages each request of the conversation had than the first one.
fn asked_with(place: &Place) -> Vec<usize> {
    let requests = place.model.requests();
    let main = requests.iter().filter(|request| request.answer == Answer::Main);
    let counts: Vec<_> = main.map(|request| request.messages).collect();
    counts.iter().map(|count| count - counts[0]).collect()
}

/// Returns the texts of the messages.
fn message_texts(sessions: &Sessions, session: &SessionId) -> Vec<String> {
    let messages = sessions.messages(session, Page::ALL).unwrap().unwrap();
    let text = |message: Value| {
        let content = &message["content"];
        content.as_str().or_else(|| content[0]["text"].as_str()).unwrap_or_default().to_owned()
    };
    messages.iter().map(|message| text(message.message.decode().unwrap())).collect()
}
