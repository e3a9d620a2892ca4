//! Unanswered questions are parked, and continue on another engine.

use agentwire::protocol::message::UserInput;
use agentwire_worker::Way;

use super::*;

/// Parks the questions about `tools`, ends the engine, answers them on another one, and returns what ran.
async fn parked(tools: &[Value], ways: &[Way], answer: &Answer) -> (String, Outcome) {
    let place = Place::using(tools).await;
    let name = session(1);
    let patient = |grace| worker(&place).approvals(["Bash"]).question_grace(grace);
    let first = engine(&place, patient(Duration::from_millis(100))).await;
    first.prompt(&name, prompt(1)).await.unwrap();
    asked(&first, &name, tools.len(), true).await;
    assert_eq!(first.worker().numbers().admission.running, 0, "no process waits");
    drop(first);
    assert_eq!(noted(&place, 1), "");

    let second = engine(&place, patient(LIMIT)).await;
    let status = second.status(&name).await.unwrap().unwrap();
    assert_eq!(status.questions.iter().map(|question| question.way).collect::<Vec<_>>(), ways);
    for question in status.questions {
        assert!(second.answer(&name, &question.id, answer.clone()).await.unwrap());
        assert!(!second.answer(&name, &question.id, answer.clone()).await.unwrap(), "an answer counts once");
    }
    let outcome = ended(&second, 1, 1).await;
    // A prompt that is sent again is not run again.
    second.prompt(&name, prompt(1)).await.unwrap();
    assert_eq!(ended(&second, 1, 1).await, outcome);
    second.close(LIMIT).await;
    (noted(&place, 1), outcome)
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn parked_tool_runs_once_when_it_is_allowed() {
    let tools = [bash("toolu_1", "echo one >> ran.txt")];
    let (ran, outcome) = parked(&tools, &[Way::Defer], &Answer::allow()).await;
    assert_eq!((ran.as_str(), outcome), ("one\n", done("Done.")));
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn parked_tool_never_runs_when_it_is_denied() {
    let one = [bash("toolu_1", "echo one >> ran.txt")];
    let (ran, outcome) = parked(&one, &[Way::Defer], &Answer::deny("no")).await;
    assert_eq!((ran.as_str(), outcome), ("", done("Done.")));
    let two = [bash("toolu_1", "echo one >> ran.txt"), bash("toolu_2", "echo two >> ran.txt")];
    let (ran, outcome) = parked(&two, &[Way::Defer, Way::Grant], &Answer::deny("no")).await;
    assert_eq!((ran.as_str(), outcome), ("", done("Done.")));
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn grant_allows_one_use_with_the_same_input() {
    let (one, two) = (bash("toolu_1", "echo one >> ran.txt"), bash("toolu_2", "echo two >> ran.txt"));
    // The CLI keeps the first tool use; the model repeats the second one, twice.
    let script = json!({"replies": [
        {"blocks": [one, two]},
        {"blocks": [{"text": "One is done."}]},
        {"blocks": [bash("toolu_3", "echo two >> ran.txt")]},
        {"blocks": [bash("toolu_4", "echo two >> ran.txt")]},
        {"blocks": [{"text": "Done."}], "times": 99},
    ]});
    let place = Place::scripted(&script.to_string()).await;
    let name = session(1);
    let hasty = worker(&place).approvals(["Bash"]).question_grace(Duration::from_millis(100));
    let engine = engine(&place, hasty).await;
    engine.prompt(&name, prompt(1)).await.unwrap();
    asked(&engine, &name, 2, true).await;
    for id in ["toolu_1", "toolu_2"] {
        assert!(engine.answer(&name, &id.into(), Answer::allow()).await.unwrap());
    }
    // The grant is used up by the first use.
    asked(&engine, &name, 1, true).await;
    assert_eq!(noted(&place, 1), "one\ntwo\n");
    let again = engine.status(&name).await.unwrap().unwrap().questions.remove(0);
    assert_eq!(again.id.as_str(), "toolu_4");
    engine.answer(&name, &again.id, Answer::deny("once is enough")).await.unwrap();
    assert_eq!(ended(&engine, 1, 1).await, done("Done."));
    engine.close(LIMIT).await;
    assert_eq!(noted(&place, 1), "one\ntwo\n");
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn question_that_is_answered_in_time_needs_no_parking() {
    let place = Place::using(&[bash("toolu_1", "echo one >> ran.txt")]).await;
    let name = session(1);
    let engine = engine(&place, worker(&place).approvals(["Bash"])).await;
    engine.prompt(&name, prompt(1)).await.unwrap();
    asked(&engine, &name, 1, false).await;
    assert!(engine.answer(&name, &"toolu_1".into(), Answer::allow()).await.unwrap());
    assert_eq!(ended(&engine, 1, 1).await, done("Done."));
    assert_eq!(engine.worker().numbers().idle, 1, "the process waits for the next prompt");
    engine.prompt(&name, prompt(2)).await.unwrap();
    assert_eq!(ended(&engine, 1, 2).await, done("Done."));
    engine.close(LIMIT).await;
    assert_eq!(noted(&place, 1), "one\n");
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn allowance_holds_although_a_rule_asks() {
    let note = |id| json!({"blocks": [bash(id, "echo one >> ran.txt")]});
    let last = json!({"blocks": [{"text": "Done."}], "times": 99});
    let script = json!({"replies": [note("toolu_1"), note("toolu_2"), last]});
    let place = Place::scripted(&script.to_string()).await;
    let name = session(1);
    let settings = place.file("workspaces").join(name.to_string()).join(".claude");
    fs::create_dir_all(&settings).unwrap();
    fs::write(settings.join("settings.json"), r#"{"permissions": {"ask": ["Bash(echo:*)"]}}"#).unwrap();
    let engine = engine(&place, worker(&place).question_grace(Duration::from_millis(100))).await;
    engine.prompt(&name, prompt(1)).await.unwrap();
    asked(&engine, &name, 1, true).await;
    allowed_once(engine, &place, "Done.").await;
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn cancelled_prompt_does_not_continue_before_the_next() {
    let input = json!({"file_path": "${place}/written.txt", "content": "one"});
    let write = json!({"tool_use": {"id": "toolu_1", "name": "Write", "input": input}});
    let next = json!([{"blocks": [{"text": "All is well."}], "times": 99}]);
    let script = json!({
        "match": [{"marker": "STATUS", "in": "last", "replies": next}],
        "replies": [
            {"blocks": [write]},
            {"blocks": [bash("toolu_2", "echo two >> ran.txt")]},
            {"blocks": [{"text": "Done."}], "times": 99},
        ],
    });
    let place = Place::scripted(&script.to_string()).await;
    let name = session(1);
    let hasty = worker(&place).approvals(["Write"]).question_grace(Duration::from_millis(100));
    let engine = engine(&place, hasty).await;
    engine.prompt(&name, prompt(1)).await.unwrap();
    asked(&engine, &name, 1, true).await;
    assert!(engine.cancel(&name).await.unwrap());
    engine.prompt(&name, TurnSpec::prompt(prompt_id(2), "STATUS?")).await.unwrap();
    assert_eq!(ended(&engine, 1, 1).await, Outcome::Cancelled);
    assert_eq!(ended(&engine, 1, 2).await, done("All is well."));
    engine.close(LIMIT).await;
    assert_eq!((noted(&place, 1).as_str(), place.file("written.txt").exists()), ("", false));
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn prompt_that_waits_for_a_question_does_not_replace_the_tool_use() {
    let place = Place::using(&[bash("toolu_1", "echo one >> ran.txt")]).await;
    let name = session(1);
    let patient = worker(&place).approvals(["Bash"]).question_grace(Duration::from_secs(3));
    let engine = engine(&place, patient).await;
    engine.prompt(&name, prompt(1)).await.unwrap();
    asked(&engine, &name, 1, false).await;
    assert!(engine.worker().steer(&name, UserInput::new("No, use staging.")));
    asked(&engine, &name, 1, true).await;
    allowed_once(engine, &place, "Done.").await;
}
