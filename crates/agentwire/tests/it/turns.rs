//! Ownership of turns: `ask` returns the turn of its own prompt, and nothing else is lost.

use std::time::Duration;

use agentwire::{ControlError, Error, PromptState, Session, control::Config, protocol::message::UserInput};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::peer::{
    Peer, assistant, can_use_tool, connected, connected_with, error_result, init, kind, next_kind, read,
    rest, result, state,
};
use crate::permissions::handler;

/// Returns the id and the text of the next prompt.
async fn prompt(peer: &mut Peer) -> (String, String) {
    let line = peer.line().await.expect("a prompt");
    assert_eq!(line["type"], "user", "{line}");
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    (text(&line["uuid"]), text(&line["message"]["content"]))
}

async fn lifecycle(peer: &Peer, prompt: &str, state: &str) {
    peer.say(json!({"type": "command_lifecycle", "command_uuid": prompt, "state": state})).await;
}

fn init_of(prompts: &[&str]) -> Value {
    let mut init = init();
    init["user_message_uuids"] = json!(prompts);
    init
}

fn result_of(text: &str, prompts: &[&str]) -> Value {
    json!({
        "type": "result", "subtype": "success", "is_error": false, "result": text,
        "user_message_uuid": prompts.last(), "user_message_uuids": prompts,
    })
}

/// Sends a whole turn, as CLI 2.1.330 does.
async fn turn_of(peer: &Peer, prompts: &[&str], text: &str) {
    for prompt in prompts {
        lifecycle(peer, prompt, "started").await;
    }
    peer.say(init_of(prompts)).await;
    peer.say(assistant(text)).await;
    peer.say(result_of(text, prompts)).await;
    for prompt in prompts {
        lifecycle(peer, prompt, "completed").await;
    }
}

#[tokio::test(start_paused = true)]
async fn every_prompt_has_a_fresh_or_given_id() {
    let (session, mut peer) = connected(Session::builder()).await;
    let (one, two) = (session.send("one").await.unwrap(), session.send("two").await.unwrap());
    assert_ne!(one, two);
    assert_eq!(prompt(&mut peer).await, (one.to_string(), "one".to_owned()));
    assert_eq!(prompt(&mut peer).await, (two.to_string(), "two".to_owned()));
    let mut own = UserInput::from("three");
    own.uuid = Some("mine".into());
    assert_eq!(session.send(own).await.unwrap().as_str(), "mine");
    assert_eq!(prompt(&mut peer).await.0, "mine");
}

#[tokio::test(start_paused = true)]
async fn rest_of_an_interrupted_turn_is_set_aside() {
    let (mut session, mut peer) = connected(Session::builder()).await;
    let mut turn = session.ask("first").await.unwrap();
    let (first, _) = prompt(&mut peer).await;
    lifecycle(&peer, &first, "queued").await;
    lifecycle(&peer, &first, "started").await;
    peer.say(init_of(&[&first])).await;
    peer.say(assistant("beginning")).await;
    for _ in 0..4 {
        turn.next().await.unwrap().unwrap();
    }
    drop(turn);
    let (interrupted, ()) = tokio::join!(session.interrupt(), async {
        peer.answer("interrupt", json!({"still_queued": []})).await;
    });
    interrupted.unwrap();
    // The next prompt is sent before the rest of the first turn arrives.
    let turn = session.ask("second").await.unwrap();
    let (second, _) = prompt(&mut peer).await;
    peer.say(assistant("and the rest")).await;
    let mut cut = error_result("interrupted");
    cut["user_message_uuids"] = json!([first]);
    peer.say(cut).await;
    lifecycle(&peer, &first, "cancelled").await;
    lifecycle(&peer, &second, "queued").await;
    turn_of(&peer, &[&second], "the answer").await;
    let answer = turn.answer().await.unwrap();
    assert_eq!((answer.text.as_str(), answer.result.result.as_deref()), ("the answer", Some("the answer")));
    let kinds: Vec<_> = session.leftovers().iter().map(kind).collect();
    assert_eq!(kinds, ["assistant", "result"]);
    assert_eq!(next_kind(&mut session).await, "command_lifecycle");
    assert_eq!(session.settled(&first.as_str().into()).await.unwrap(), PromptState::Failed);
    assert_eq!(session.settled(&second.as_str().into()).await.unwrap(), PromptState::Completed);
}

#[tokio::test(start_paused = true)]
async fn prompt_that_was_answered_before_has_no_result() {
    let (mut session, mut peer) = connected(Session::builder()).await;
    let turn = session.ask(UserInput::from("hi").with_uuid("mine")).await.unwrap();
    assert_eq!(prompt(&mut peer).await.0, "mine");
    turn_of(&peer, &["mine"], "the answer").await;
    assert_eq!(turn.text().await.unwrap(), "the answer");
    assert_eq!(next_kind(&mut session).await, "command_lifecycle");
    // The CLI ignores it without a report.
    let turn = session.ask(UserInput::from("hi").with_uuid("mine")).await.unwrap();
    assert_eq!(prompt(&mut peer).await.0, "mine");
    let answer = timeout(Duration::from_secs(60), turn.text()).await.expect("an end");
    let error = answer.unwrap_err().to_string();
    assert!(error.contains("its id was used before"), "{error}");
}

/// Returns a session in which a prompt with the id `mine` ends in this state.
async fn settled(state: PromptState) -> (Session, Peer) {
    let (session, mut peer) = connected(Session::builder()).await;
    let mine = session.send(UserInput::from("hi").with_uuid("mine")).await.unwrap();
    assert_eq!(prompt(&mut peer).await.0, "mine");
    match state {
        PromptState::Completed => turn_of(&peer, &["mine"], "the answer").await,
        PromptState::Failed => {
            lifecycle(&peer, "mine", "started").await;
            peer.say(init_of(&["mine"])).await;
            peer.say(error_result("interrupted")).await;
            lifecycle(&peer, "mine", "cancelled").await;
        }
        _ => lifecycle(&peer, "mine", "cancelled").await,
    }
    assert_eq!(session.settled(&mine).await.unwrap(), state);
    (session, peer)
}

const SETTLED: [PromptState; 3] = [PromptState::Completed, PromptState::Failed, PromptState::Withdrawn];

/// The CLI ignores it without a report.
#[tokio::test(start_paused = true)]
async fn prompt_with_the_id_of_a_settled_one_has_no_result() {
    for state in SETTLED {
        let (mut session, mut peer) = settled(state).await;
        let turn = session.ask(UserInput::from("hi").with_uuid("mine")).await.unwrap();
        assert_eq!(prompt(&mut peer).await.0, "mine");
        let answer = timeout(Duration::from_secs(60), turn.text()).await.expect("an end");
        assert!(matches!(answer, Err(Error::NoResult { .. })), "{state:?}: {answer:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn query_with_the_id_of_a_settled_prompt_ends() {
    for state in SETTLED {
        let (mut session, mut peer) = settled(state).await;
        // The end of the earlier run was read.
        while timeout(Duration::from_secs(1), session.next()).await.is_ok() {}
        let reading = read(session.into_query(UserInput::from("hi").with_uuid("mine")).await.unwrap());
        assert_eq!(prompt(&mut peer).await.0, "mine");
        timeout(Duration::from_secs(60), peer.exit_after_input()).await.expect("the end of the input");
        assert_eq!(reading.await.unwrap().0, [""; 0], "{state:?}");
    }
}

/// CLI 2.1.330 reports nothing else for a prompt of the conversation that it has resumed.
#[tokio::test(start_paused = true)]
async fn prompt_that_is_only_reported_as_completed_has_no_result() {
    let mine = || UserInput::from("hi").with_uuid("mine");
    let (mut session, mut peer) = connected(Session::builder()).await;
    let turn = session.ask(mine()).await.unwrap();
    assert_eq!(prompt(&mut peer).await.0, "mine");
    lifecycle(&peer, "mine", "completed").await;
    let answer = timeout(Duration::from_secs(60), turn.text()).await.expect("an end");
    let error = answer.unwrap_err().to_string();
    assert!(error.contains("completed the prompt without a turn"), "{error}");

    let (session, mut peer) = connected(Session::builder()).await;
    let reading = read(session.into_query(mine()).await.unwrap());
    assert_eq!(prompt(&mut peer).await.0, "mine");
    lifecycle(&peer, "mine", "completed").await;
    timeout(Duration::from_secs(60), peer.exit_after_input()).await.expect("the end of the input");
    assert_eq!(reading.await.unwrap().0, ["command_lifecycle"]);
}

#[tokio::test(start_paused = true)]
async fn turn_in_which_the_cli_becomes_idle_has_no_result() {
    for first in ["system/init", "receipt", "assistant"] {
        let (mut session, mut peer) = connected(Session::builder()).await;
        let turn = session.ask("hi").await.unwrap();
        let (id, _) = prompt(&mut peer).await;
        match first {
            "system/init" => peer.say(init_of(&[&id])).await,
            "receipt" => lifecycle(&peer, &id, "started").await,
            _ => peer.say(assistant("hello")).await,
        }
        peer.say(state("idle")).await;
        let text = timeout(Duration::from_secs(60), turn.text()).await.expect(first);
        assert_eq!(text.unwrap_err().to_string(), "the turn has no result: the CLI became idle", "{first}");
    }
}

/// The earlier prompt is answered while the later one waits for room.
#[tokio::test(start_paused = true)]
async fn prompt_whose_id_is_settled_while_it_waits_has_no_result() {
    for reports_states in [true, false] {
        let mut config = Config::default();
        config.write_buffer_limit = 1;
        let (mut session, mut peer) = connected_with(Session::builder().config(config), 1).await;
        let mine = session.send(UserInput::from("hi").with_uuid("mine")).await.unwrap();
        assert_eq!(prompt(&mut peer).await.0, "mine");
        session.send("x".repeat(500)).await.unwrap();
        session.send("y".repeat(500)).await.unwrap();
        let control = session.control().clone();
        let (turn, _peer) = tokio::join!(session.ask(UserInput::from("hi").with_uuid("mine")), async {
            if reports_states {
                turn_of(&peer, &["mine"], "the answer").await;
            } else {
                peer.complete_turn("the answer").await;
            }
            assert_eq!(control.prompt_settled(&mine).await.unwrap(), PromptState::Completed);
            for _ in 0..2 {
                peer.prompt().await;
            }
            peer
        });
        let answer = timeout(Duration::from_secs(60), turn.unwrap().text()).await.expect("an end");
        assert!(matches!(answer, Err(Error::NoResult { .. })), "{reports_states}: {answer:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn turn_started_by_the_cli_is_set_aside() {
    let (mut session, mut peer) = connected(Session::builder()).await;
    let turn = session.ask("first").await.unwrap();
    let (first, _) = prompt(&mut peer).await;
    turn_of(&peer, &[&first], "sent an agent away").await;
    assert_eq!(turn.text().await.unwrap(), "sent an agent away");
    let mut turn = session.ask("second").await.unwrap();
    let (second, _) = prompt(&mut peer).await;
    // The agent sends a message between the turns, and then the CLI starts a turn about it.
    let mut agent = assistant("I am an agent");
    agent["parent_tool_use_id"] = json!("t");
    peer.say(&agent).await;
    peer.say(init()).await;
    peer.complete_turn("it has come back").await;
    turn_of(&peer, &[&second], "the answer").await;
    assert_eq!(
        rest(&mut turn).await,
        // The `command_lifecycle` message of the first prompt and the agent's message belong to no turn.
        ["command_lifecycle", "assistant", "command_lifecycle", "system", "assistant", "result"]
    );
    assert_eq!(turn.result().unwrap().result.as_deref(), Some("the answer"));
    assert_eq!(rest(&mut session.turn()).await, ["system", "assistant", "result"]);
    assert_eq!(next_kind(&mut session).await, "command_lifecycle");
}

/// Returns a session that has read the beginning of a turn that the CLI started, after this state.
async fn busy(state: Value) -> (Session, Peer) {
    let (session, mut peer) = connected(Session::builder().permissions(handler())).await;
    for line in [state, init(), assistant("of the other turn")] {
        peer.say(line).await;
    }
    // The session has read the lines that precede this request.
    peer.ask("q", can_use_tool("Bash")).await;
    peer.response("q").await;
    (session, peer)
}

/// CLI 2.1.197 reports such a state with `CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS`.
#[tokio::test(start_paused = true)]
async fn running_turn_may_be_that_of_a_prompt_if_the_state_is_not_marked() {
    let (mut session, mut peer) = busy(state("running")).await;
    let turn = session.ask("own").await.unwrap();
    prompt(&mut peer).await;
    peer.say(result("both")).await;
    assert_eq!(turn.finish().await.unwrap().unwrap().result.as_deref(), Some("both"));
}

#[tokio::test(start_paused = true)]
async fn turn_that_runs_before_the_first_prompt_is_set_aside() {
    let mut running = state("running");
    running["sdk_host_only"] = json!(true);
    let (mut session, mut peer) = busy(running).await;
    let mut turn = session.ask("own").await.unwrap();
    let own = prompt(&mut peer).await.0;
    assert!(timeout(Duration::from_secs(1), turn.next()).await.is_err(), "a message of the other turn");
    peer.say(result_of("other", &[])).await;
    lifecycle(&peer, &own, "queued").await;
    turn_of(&peer, &[&own], "own").await;
    assert_eq!(turn.finish().await.unwrap().unwrap().result.as_deref(), Some("own"));
    assert_eq!(rest(&mut session.turn()).await, ["system", "system", "assistant", "result"]);
}

#[tokio::test(start_paused = true)]
async fn merged_prompts_share_one_turn() {
    let (mut session, mut peer) = connected(Session::builder()).await;
    let one = session.send("one").await.unwrap();
    let turn = session.ask("two").await.unwrap();
    let (first, _) = prompt(&mut peer).await;
    let (second, _) = prompt(&mut peer).await;
    turn_of(&peer, &[&first, &second], "to both").await;
    let answer = turn.answer().await.unwrap();
    assert_eq!(answer.text, "to both");
    let named: Vec<_> = answer.result.user_message_uuids.unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(named, [first, second]);
    assert_eq!(session.settled(&one).await.unwrap(), PromptState::Completed);
    // The other prompt's `command_lifecycle` message arrived before the turn named ours.
    let kinds: Vec<_> = session.leftovers().iter().map(kind).collect();
    assert_eq!(kinds, ["command_lifecycle"]);
}

#[tokio::test(start_paused = true)]
async fn absorbed_prompt_has_the_rest_of_the_turn() {
    let (mut session, mut peer) = connected(Session::builder()).await;
    session.send("one").await.unwrap();
    let (first, _) = prompt(&mut peer).await;
    lifecycle(&peer, &first, "started").await;
    peer.say(init_of(&[&first])).await;
    peer.say(assistant("I use a tool")).await;
    let turn = session.ask("two").await.unwrap();
    let (second, _) = prompt(&mut peer).await;
    lifecycle(&peer, &second, "started").await;
    peer.say(assistant("both done")).await;
    // As on the wire: settled before the result that it shares.
    lifecycle(&peer, &second, "completed").await;
    peer.say(result_of("both done", &[&first, &second])).await;
    assert_eq!(turn.text().await.unwrap(), "both done");
    let kinds: Vec<_> = session.leftovers().iter().map(kind).collect();
    assert_eq!(kinds, ["command_lifecycle", "system", "assistant"]);
}

#[tokio::test(start_paused = true)]
async fn cancelled_prompt_has_a_turn_without_a_result() {
    let (mut session, mut peer) = connected(Session::builder()).await;
    session.send("one").await.unwrap();
    let (first, _) = prompt(&mut peer).await;
    lifecycle(&peer, &first, "started").await;
    peer.say(init_of(&[&first])).await;
    let control = session.control().clone();
    let turn = session.ask("two").await.unwrap();
    let (second, _) = prompt(&mut peer).await;
    lifecycle(&peer, &second, "queued").await;
    let (cancelled, ()) = tokio::join!(control.cancel_async_message(second.as_str().into()), async {
        let request = peer.request("cancel_async_message").await;
        assert_eq!(request["request"]["message_uuid"], *second);
        lifecycle(&peer, &second, "cancelled").await;
        peer.reply(&request, json!({"cancelled": true, "message_uuid": second})).await;
    });
    assert!(cancelled.unwrap().cancelled);
    assert!(turn.finish().await.unwrap().is_none());
    assert_eq!(session.settled(&second.as_str().into()).await.unwrap(), PromptState::Withdrawn);
    // The first turn continues and is complete.
    peer.say(result_of("one", &[&first])).await;
    assert_eq!(
        rest(&mut session.turn()).await,
        ["command_lifecycle", "system", "command_lifecycle", "command_lifecycle", "result"]
    );
    let turn = session.ask("three").await.unwrap();
    let (third, _) = prompt(&mut peer).await;
    lifecycle(&peer, &third, "cancelled").await;
    let error = turn.answer().await.unwrap_err();
    assert_eq!(error.to_string(), "the turn has no result: the prompt was cancelled before its turn");
}

/// With a CLI that names no prompts, turns that had ended when the prompt was sent are still excluded.
#[tokio::test(start_paused = true)]
async fn earlier_turns_are_set_aside_without_prompt_names() {
    // A hard limit below the soft one is treated as the soft one, also for messages of other turns.
    for hard in [Config::default().unread_hard_limit, 0] {
        let mut config = Config::default();
        config.unread_hard_limit = hard;
        let (mut session, mut peer) = connected(Session::builder().config(config)).await;
        peer.receive_prompt(&session, "one").await;
        peer.complete_turn("one").await;
        // It has arrived but was not read yet.
        while session.control().turns_ended() == 0 {
            tokio::task::yield_now().await;
        }
        let turn = peer.start_turn(&mut session, "two").await;
        peer.complete_turn("two").await;
        assert_eq!(turn.text().await.unwrap(), "two");
        let kinds: Vec<_> = session.leftovers().iter().map(kind).collect();
        assert_eq!(kinds, ["assistant", "result"]);
    }
}

#[tokio::test(start_paused = true)]
async fn leftovers_are_bounded_and_nothing_is_lost() {
    let mut config = Config::default();
    (config.unread_soft_limit, config.unread_hard_limit) = (1024, 4096);
    let (mut session, mut peer) = connected(Session::builder().config(config)).await;
    let mut turn = session.ask("one").await.unwrap();
    let (first, _) = prompt(&mut peer).await;
    let speaking = tokio::spawn(async move {
        lifecycle(&peer, &first, "queued").await;
        peer.say(init()).await;
        for number in 0..100 {
            peer.say(assistant(&format!("by itself {number}"))).await;
        }
        peer.say(result("by itself")).await;
        turn_of(&peer, &[&first], "the answer").await;
        peer
    });
    let (mut own, mut others) = (Vec::new(), Vec::new());
    loop {
        match turn.next().await {
            Some(Ok(incoming)) => own.push(kind(&incoming)),
            Some(Err(error)) => {
                let Error::Control(ControlError::Backlogged { unread, .. }) = &error else {
                    panic!("{error:?}")
                };
                assert!(*unread > 4096);
                let text = error.report().to_string();
                let expected =
                    "bytes of unread messages (also skipped ones) and open requests exceed the limit";
                assert!(text.contains(expected) && text.contains("take the leftovers"), "{text}");
                let taken = turn.leftovers();
                assert!(!taken.is_empty());
                others.extend(taken.iter().map(kind));
            }
            None => break,
        }
    }
    others.extend(session.leftovers().iter().map(kind));
    assert_eq!(own, ["command_lifecycle", "command_lifecycle", "system", "assistant", "result"]);
    assert_eq!(others.len(), 102);
    drop(speaking.await.unwrap());
}

#[tokio::test(start_paused = true)]
async fn replayed_prompts_are_not_model_text() {
    let (mut session, mut peer) = connected(Session::builder()).await;
    let mut turn = session.ask("one").await.unwrap();
    let (first, text) = prompt(&mut peer).await;
    peer.say(json!({
        "type": "user", "message": {"role": "user", "content": text}, "uuid": first, "isReplay": true,
        "parent_tool_use_id": null, "session_id": "s",
    }))
    .await;
    let incoming = turn.next().await.unwrap().unwrap();
    let Some(agentwire::Message::User(user)) = incoming.message() else { panic!("{incoming:?}") };
    assert_eq!((user.is_replay, user.uuid.as_ref()), (Some(true), turn.prompt()));
    peer.say(state("running")).await;
    peer.complete_turn("hello").await;
    assert_eq!(turn.text().await.unwrap(), "hello");
}

#[tokio::test(start_paused = true)]
async fn skipped_turn_does_not_hang() {
    let (mut session, mut peer) = connected(Session::builder()).await;
    let mut turn = session.ask("one").await.unwrap();
    let (first, _) = prompt(&mut peer).await;
    assert!(timeout(Duration::from_secs(1), turn.next()).await.is_err());
    turn_of(&peer, &[&first], "one").await;
    drop(turn);
    assert_eq!(rest(&mut session.turn()).await, ["command_lifecycle", "system", "assistant", "result"]);
}

#[tokio::test(start_paused = true)]
async fn result_before_the_prompt_belongs_to_another_turn() {
    // A CLI that names no prompts, and a prompt that waits for room until the turn before has ended.
    let mut config = Config::default();
    config.write_buffer_limit = 1;
    let (mut session, mut peer) = connected_with(Session::builder().config(config), 1).await;
    session.send("first").await.unwrap();
    assert_eq!(peer.prompt().await, "first");
    session.send("x".repeat(500)).await.unwrap();
    session.send("y".repeat(500)).await.unwrap();
    let control = session.control().clone();
    let (turn, peer) = tokio::join!(session.ask("mine"), async {
        tokio::task::yield_now().await;
        peer.say(result("of another")).await;
        while control.turns_ended() == 0 {
            tokio::task::yield_now().await;
        }
        for _ in 0..2 {
            peer.prompt().await;
        }
        peer
    });
    let mut peer = peer;
    let (text, ()) = tokio::join!(turn.unwrap().answer(), async {
        assert_eq!(peer.prompt().await, "mine");
        peer.complete_turn("for you").await;
    });
    assert_eq!(text.unwrap().text, "for you");
}
