//! Undecodable lines: the session delivers each of them and continues; only a request that waits for the line fails.

use agentwire::{Block, ControlError, Error, Incoming, Message, Session};
use serde_json::json;

use crate::peer::{assistant, connected, next_kind, rest, result};

#[tokio::test(start_paused = true)]
async fn message_without_a_known_type_is_kept() {
    let (mut session, peer) = connected(Session::builder()).await;
    for (line, expected) in
        [(r#"{"no":"type"}"#, ""), (r#"{"type":"system","subtype":"from_the_future","x":1}"#, "system")]
    {
        peer.say(line).await;
        let incoming = session.next().await.unwrap().unwrap();
        assert_eq!(crate::peer::kind(&incoming), expected, "{line}");
        assert_eq!(incoming.line().unwrap().to_str().unwrap(), line);
    }
}

#[tokio::test(start_paused = true)]
async fn undecodable_result_ends_its_turn() {
    for line in [r#"{"type":"result","subtype":5}"#, r#"{"duration_ms":1,"type":"result","is_err"#] {
        let (mut session, mut peer) = connected(Session::builder()).await;
        let mut turn = peer.start_turn(&mut session, "one").await;
        peer.say(line).await;
        assert_eq!(rest(&mut turn).await, ["undecodable"]);
        assert!(turn.result().is_none());
        let turn = peer.start_turn(&mut session, "once more").await;
        peer.say(line).await;
        let error = turn.finish().await.unwrap_err();
        assert!(
            matches!(&error, Error::UnreadableResult { line: Some(kept), .. } if kept.as_bytes() == line.as_bytes()),
            "{error}"
        );
        let turn = peer.start_turn(&mut session, "two").await;
        peer.say(result("two")).await;
        assert!(turn.finish().await.unwrap().is_some());
        // No turn is open, so this is a clean end.
        peer.close(session).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn result_with_an_unfitting_field_is_decoded() {
    for field in [
        r#""is_error":0"#,
        r#""is_error":false,"is_error":false"#,
        r#""is_error":false,"duration_ms":{"total":5}"#,
        r#""is_error":false,"modelUsage":null,"permission_denials":null,"usage":[]"#,
    ] {
        let (mut session, mut peer) = connected(Session::builder()).await;
        let turn = peer.start_turn(&mut session, "hi").await;
        peer.say(format!(r#"{{"subtype":"success",{field},"result":"done","type":"result"}}"#)).await;
        let result = turn.finish().await.unwrap().unwrap();
        assert_eq!((result.result.as_deref(), result.is_error), (Some("done"), false), "{field}");
    }
}

#[tokio::test(start_paused = true)]
async fn undecodable_response_fails_its_call() {
    let (session, mut peer) = connected(Session::builder()).await;
    for (broken, expected) in [
        (r#"{"subtype":7,"request_id":"ID"}"#, "unknown kind"),
        (r#"{"subtype":"maybe","request_id":"ID"}"#, "unknown kind"),
        (r#"{"subtype":"success","request_id":"ID","response":{"still_queued":7}}"#, "can't be read"),
        (r#"{"subtype":"success","request_id":"ID","response":{"cut"#, "can't be read"),
    ] {
        let (reply, ()) = tokio::join!(session.interrupt(), async {
            let request = peer.request("interrupt").await;
            let response = broken.replace("ID", request["request_id"].as_str().unwrap());
            peer.say(format!(r#"{{"type":"control_response","response":{response}}}"#)).await;
        });
        let error = reply.unwrap_err();
        assert!(
            matches!(
                &error,
                Error::Control(ControlError::BadReply { .. } | ControlError::UnknownReply { .. })
            ),
            "{error:?}"
        );
        assert!(error.report().to_string().contains(expected), "{}", error.report());
    }
    // The session continues.
    let (reply, ()) = tokio::join!(session.interrupt(), async {
        peer.answer("interrupt", json!({})).await;
    });
    reply.unwrap();
}

#[tokio::test(start_paused = true)]
async fn undecodable_request_gets_an_error_reply() {
    let (mut session, mut peer) = connected(Session::builder()).await;
    for (number, request) in
        [r#"{"subtype":"can_use_tool"}"#, r#"{"subtype":"hook_callback","callback_id":1}"#, "7", "{\"cut"]
            .into_iter()
            .enumerate()
    {
        let id = format!("r{number}");
        peer.say(format!(r#"{{"type":"control_request","request_id":"{id}","request":{request}}}"#)).await;
        assert!(peer.refusal(&id).await.contains("can't be read"));
        assert_eq!(next_kind(&mut session).await, "undecodable");
    }
}

#[tokio::test(start_paused = true)]
async fn lone_surrogate_is_replaced_and_broken_utf8_is_undecodable() {
    let (mut session, peer) = connected(Session::builder()).await;
    let line = assistant("MARK").to_string().replace("MARK", r"a\ud800b");
    peer.say(&line).await;
    let mut broken = line.clone().into_bytes();
    broken[2] = 0xff;
    broken.push(b'\n');
    peer.raw.write(broken.clone()).await.unwrap();
    peer.say(json!({"type": "after"})).await;

    let incoming = session.next().await.unwrap().unwrap();
    assert_eq!(incoming.line().unwrap().to_str().unwrap(), line);
    let Incoming::Message(Message::Assistant(message), _) = &incoming else { panic!("{incoming:?}") };
    assert!(matches!(&message.message.content[..], [Block::Text(text)] if text.text == "a\u{fffd}b"));

    let incoming = session.next().await.unwrap().unwrap();
    assert!(matches!(incoming, Incoming::Undecodable(..)), "{incoming:?}");
    assert_eq!(incoming.line().unwrap().as_bytes(), &broken[..broken.len() - 1]);
    assert_eq!(next_kind(&mut session).await, "after");
}
