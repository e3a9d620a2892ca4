//! How turns and sessions end: a result longer than the limit, an interrupt, a turn limit, an API error.

use agentwire::{EndedBy, Error, Incoming, Options, Session};

use super::{Place, bounded};

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn a_result_longer_than_the_limit_ends_its_turn() {
    bounded(async {
        let long = "x".repeat(2_000_000);
        let script = format!(
            r#"{{"replies": [{{"blocks": [{{"text": "{long}"}}]}}, {{"blocks": [{{"text": "ok"}}]}}]}}"#
        );
        let place = Place::scripted(&script).await;
        let mut session = Session::connect(place.options().max_buffer_size(1 << 20)).await.unwrap();
        let error = session.ask("Write much.").await.unwrap().finish().await.unwrap_err();
        assert!(matches!(error, Error::UnreadableResult { line: None, .. }), "{error:?}");
        let text = session.ask("Write little.").await.unwrap().text().await.unwrap();
        assert_eq!(text, "ok");
        session.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn closing_after_an_interrupt_is_no_error() {
    bounded(async {
        let place = Place::scripted(
            r#"{"replies": [{"blocks": [{"text": "One, two, three."}], "chunks": 4, "hold": "never"}]}"#,
        )
        .await;
        let mut session = Session::connect(place.options().include_partial_messages()).await.unwrap();
        let control = session.control().clone();
        let mut turn = session.ask("Count.").await.unwrap();
        loop {
            let incoming = turn.next().await.unwrap().unwrap();
            if is_text(&incoming) {
                break;
            }
        }
        control.call(&agentwire::protocol::control::Interrupt::default()).await.unwrap();
        turn.finish().await.unwrap().unwrap();
        ends_well(session).await;
    })
    .await;
}

fn is_text(incoming: &Incoming) -> bool {
    matches!(incoming.message(), Some(agentwire::Message::StreamEvent(event)) if event.text_delta().is_some())
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn closing_after_a_turn_limit_is_no_error() {
    bounded(async {
        let place = Place::scripted(
            r#"{"replies": [{"blocks": [{"tool_use": {"name": "Read", "input": {"file_path": "${place}/project/a.txt"}}}]}]}"#,
        )
        .await;
        let options = place.options().cwd(place.path("project")).max_turns(1);
        fails_and_closes(options).await;
    })
    .await;
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn closing_after_an_api_error_is_no_error() {
    bounded(async {
        let place =
            Place::scripted(r#"{"replies": [{"status": 400, "error_message": "no", "times": 6}]}"#).await;
        fails_and_closes(place.options()).await;
    })
    .await;
}

async fn fails_and_closes(options: Options) {
    let mut session = Session::connect(options).await.unwrap();
    let result = session.ask("Go.").await.unwrap().finish().await.unwrap().unwrap();
    assert!(result.is_error, "{result:?}");
    ends_well(session).await;
}

async fn ends_well(session: Session) {
    let closed = session.close().await.unwrap();
    assert_eq!(closed.by, EndedBy::Itself, "{closed:?}");
    assert!(closed.exit.is_some());
}
