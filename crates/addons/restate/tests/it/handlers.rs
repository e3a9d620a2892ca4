//! Prompts: what the handler of a session stores, asks the worker and returns.

mod killed;
mod reservation;

use std::sync::{Arc, Mutex};

use agentwire_restate::SessionPrompt;
use agentwire_worker::{LossPolicy, TurnSpec};
use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::{
    PROMPT, SESSION,
    invocation::{Command, Invocation},
    node::{Asked, Node},
};

/// A handler of a prompt, and the worker that it calls.
struct Handler {
    worker: Node,
    invocation: Invocation,
}

impl Handler {
    /// Sends a prompt to a session on a worker that starts each turn.
    async fn new(prompt: SessionPrompt) -> Self {
        Self::with(prompt, |_| (StatusCode::OK, json!("Started"))).await
    }

    /// The same, on a worker that answers the start of a turn with `start`.
    async fn with(
        prompt: SessionPrompt,
        mut start: impl FnMut(&Asked) -> (StatusCode, Value) + Send + 'static,
    ) -> Self {
        let address = Arc::new(Mutex::new(String::new()));
        let own = Arc::clone(&address);
        let mut is_started = false;
        let worker = Node::new(move |asked| {
            let answer = match call(asked) {
                None => json!({"boot": &*own.lock().unwrap()}),
                Some("Fence") => fence(asked.body["Fence"][1].as_u64().unwrap()),
                Some("Start") => {
                    let answer = start(asked);
                    is_started |= answer.1 == "Started";
                    return answer;
                }
                Some("Recovery") if asked.body["Recovery"][1]["Prompt"]["text"] == UNREADABLE => Value::Null,
                Some("Recovery") => json!({"Interrupted": {"tools": [OPEN.clone()]}}),
                Some("Cancel") => json!(is_started),
                Some(other) => panic!("no call of {other} is expected"),
            };
            (StatusCode::OK, answer)
        })
        .await;
        worker.address.clone_into(&mut address.lock().unwrap());
        let key = format!("tenant/{SESSION}");
        let invocation = Invocation::new(&worker.address, "AgentSession/prompt", &key, &[], &prompt);
        Self { worker, invocation }
    }

    /// Grants the reservation with this number, and returns the commands up to the start of its turn.
    async fn started(&mut self, reservation: u32) -> Vec<Command> {
        self.invocation.resolve(reservation, &json!({"Ok": null}));
        self.invocation.until_run("start").await
    }

    /// Returns the parked questions in the next record.
    async fn parked(&mut self) -> Vec<Value> {
        let commands = self.invocation.until(|command| matches!(command, Command::Set(..))).await;
        let parked = records(&commands)[0]["parked"].as_array().unwrap();
        parked.iter().map(|parked| parked["question"].clone()).collect()
    }

    fn calls(&self, name: &str) -> Vec<Value> {
        let requests = self.worker.requests();
        let calls = requests.iter().filter(|asked| call(asked) == Some(name));
        calls.map(|asked| asked.body[name].clone()).collect()
    }
}

/// The name of a call to the worker; `None` for a request to Restate.
fn call(asked: &Asked) -> Option<&str> {
    (asked.path == "/").then(|| asked.body.as_object().unwrap().keys().next().unwrap().as_str())
}

fn fence(epoch: u64) -> Value {
    json!({
        "session": {"tenant": "tenant", "session": SESSION}, "epoch": epoch, "boot": "boot", "number": epoch,
    })
}

/// The report of a worker.
fn ended(outcome: &Value, cost_usd: f64) -> Value {
    json!({"Turn": [{
        "fence": fence(1), "outcome": outcome, "cost_usd": cost_usd, "revision": null, "ticket": null,
    }, []]})
}

/// The report of a turn that was cut, with the revision of its files.
fn cut(outcome: &Value, revision: &str) -> Value {
    let mut ended = ended(outcome, 0.0);
    ended["Turn"][0]["revision"] = json!(revision);
    ended
}

/// The text of a prompt whose state the worker can't read.
const UNREADABLE: &str = "unreadable";

fn prompt() -> SessionPrompt {
    SessionPrompt::new(TurnSpec::prompt(PROMPT, "Go."))
}

fn done() -> Value {
    json!({"Done": {"text": "Done.", "is_error": false}})
}

fn place(commands: &[Command], is_it: impl Fn(&Command) -> bool) -> usize {
    commands.iter().position(is_it).unwrap_or_else(|| panic!("{commands:#?}"))
}

static OPEN: std::sync::LazyLock<Value> =
    std::sync::LazyLock::new(|| json!({"id": "toolu_1", "tool": "Bash", "input": {"command": "rm a"}}));

/// The stored records of the session among the commands.
fn records(commands: &[Command]) -> Vec<&Value> {
    let records = commands.iter().filter_map(|command| match command {
        Command::Set(key, record) if key == "session" => Some(record),
        _ => None,
    });
    records.collect()
}

/// Whether a command changes the turns in the lease of a worker.
fn is_of_lease(command: &Command) -> bool {
    matches!(command, Command::Send(to, _) if to.starts_with("AgentWorker/"))
}

#[tokio::test]
async fn turn_starts_after_its_fence_is_stored() {
    let mut handler = Handler::new(prompt()).await;
    let mut commands = handler.started(0).await;
    let fenced = place(&commands, |command| {
        *command
            == Command::Run("fence".to_owned(), {
                json!({"address": handler.worker.address, "fence": fence(1), "workers": 1})
            })
    });
    let record = records(&commands[fenced..])[0];
    assert_eq!((&record["epoch"], &record["running"]["fence"]), (&json!(1), &fence(1)));
    let starts = handler.calls("Start");
    assert_eq!(starts.len(), 1);
    assert_eq!(starts[0][0], fence(1));

    handler.invocation.resolve(1, &ended(&done(), 0.5));
    commands.extend(handler.invocation.ended().await);
    assert_eq!(commands.last(), Some(&Command::Return(done())));
    assert!(commands.contains(&Command::Set("last".to_owned(), done())), "{commands:#?}");
    let record = records(&commands).pop().unwrap();
    assert_eq!((&record["invocation"], &record["running"]), (&Value::Null, &Value::Null));
    assert_eq!((&record["epoch"], &record["worker"]), (&json!(1), &json!(handler.worker.address)));
    assert!(!commands.iter().any(is_of_lease), "a short turn is not entered: {commands:#?}");
    assert_eq!(handler.calls("Start").len(), 1);
}

#[tokio::test]
async fn turn_that_lasts_is_in_the_lease_of_its_worker_until_it_ends() {
    let mut handler = Handler::new(prompt()).await;
    handler.started(0).await;
    assert_eq!(handler.invocation.next().await, Command::Sleep);
    handler.invocation.wake();
    let ticket = handler.calls("Start")[0][1]["ticket"].clone();
    let entered = Command::Send("AgentWorker/boot/began".to_owned(), ticket.clone());
    assert_eq!(handler.invocation.next().await, entered);
    handler.invocation.resolve(1, &ended(&done(), 0.5));
    let commands = handler.invocation.ended().await;
    let removed = Command::Send("AgentWorker/boot/ended".to_owned(), ticket);
    assert!(commands.contains(&removed), "{commands:#?}");
}

#[tokio::test]
async fn start_without_an_answer_is_repeated_with_the_same_fence() {
    let mut answers =
        vec![(StatusCode::OK, json!("Started")), (StatusCode::BAD_GATEWAY, json!("restarting"))];
    let mut handler = Handler::with(prompt(), move |_| answers.pop().unwrap()).await;
    assert_eq!(handler.started(0).await.last(), Some(&Command::Run("start".to_owned(), Value::Null)));
    assert!(is_of_lease(&handler.invocation.next().await), "the worker may be lost");
    assert_eq!(handler.invocation.next().await, Command::Sleep);
    handler.invocation.wake();
    assert_eq!(handler.invocation.next().await, Command::Run("start".to_owned(), json!("Started")));
    let starts = handler.calls("Start");
    assert_eq!((starts.len(), &starts[0]), (2, &starts[1]));
}

#[tokio::test]
async fn turn_of_a_worker_that_is_lost_before_it_answers_is_reported() {
    let mut handler = Handler::with(prompt(), |_| (StatusCode::BAD_GATEWAY, json!("gone"))).await;
    handler.started(0).await;
    handler.invocation.until(|command| *command == Command::Sleep).await;
    handler.invocation.resolve(1, &json!("Lost"));
    let commands = handler.invocation.ended().await;
    let Some(Command::Return(outcome)) = commands.last() else { panic!("{commands:#?}") };
    assert_eq!(outcome["Interrupted"]["why"], "the worker was lost in the turn");
    assert!(commands.iter().any(is_of_lease), "{commands:#?}");
}

#[tokio::test]
async fn turn_that_a_running_worker_has_not_started_is_lost() {
    let mut handler = Handler::with(prompt(), |_| (StatusCode::OK, json!("Lost"))).await;
    handler.started(0).await;
    let commands = handler.invocation.ended().await;
    let Some(Command::Return(outcome)) = commands.last() else { panic!("{commands:#?}") };
    assert_eq!(outcome["Interrupted"]["why"], "the worker was lost in the turn");
    assert_eq!(handler.calls("Cancel"), [fence(1)]);
}

#[tokio::test]
async fn busy_worker_gets_another_fence_after_a_pause() {
    let mut answers = vec![(StatusCode::OK, json!("Started")), (StatusCode::OK, json!("Busy"))];
    let mut handler = Handler::with(prompt(), move |_| answers.pop().unwrap()).await;
    handler.started(0).await;
    let commands = handler.invocation.until(|command| *command == Command::Sleep).await;
    assert_eq!(records(&commands)[0]["running"], Value::Null);
    handler.invocation.wake();
    let commands = handler.invocation.until_run("start").await;
    assert_eq!(records(&commands)[0]["epoch"], json!(2));
    let starts = handler.calls("Start");
    assert_eq!((starts[0][0].clone(), starts[1][0].clone()), (fence(1), fence(2)));
}

#[tokio::test]
async fn refused_start_ends_the_prompt_with_the_status_and_the_reason_of_the_worker() {
    for status in [StatusCode::PAYLOAD_TOO_LARGE, StatusCode::UNPROCESSABLE_ENTITY] {
        let mut handler = Handler::with(prompt(), move |_| (status, json!("refused"))).await;
        handler.started(0).await;
        let commands = handler.invocation.ended().await;
        assert_eq!(commands.last(), Some(&Command::Fail(status.as_u16().into(), "\"refused\"".to_owned())));
        assert_eq!(records(&commands)[0]["running"], Value::Null);
        assert_eq!(handler.calls("Start").len(), 1, "it is not repeated");
    }
}

#[tokio::test]
async fn parked_turn_continues_with_its_answers_behind_a_new_fence() {
    let mut handler = Handler::new(prompt()).await;
    handler.started(0).await;
    let mut question = OPEN.clone();
    question["way"] = json!("Defer");
    handler.invocation.resolve(1, &ended(&json!({"Parked": [question]}), 0.0));
    let parked = handler.invocation.until(|command| matches!(command, Command::Set(..))).await;
    let record = records(&parked)[0];
    assert_eq!((&record["parked"][0]["question"], &record["running"]), (&question, &Value::Null));

    handler.invocation.resolve(2, &json!({"Allow": {"input": null}}));
    let commands = handler.started(3).await;
    assert_eq!(records(&commands)[0]["parked"], json!([]));
    let starts = handler.calls("Start");
    assert_eq!(starts[1][0], fence(2));
    assert_eq!(starts[1][1]["input"]["Answers"], json!([[question, {"Allow": {"input": null}}]]));
}

#[tokio::test]
async fn answered_question_is_not_parked_any_more() {
    let mut handler = Handler::new(prompt()).await;
    handler.started(0).await;
    let questions =
        ["toolu_1", "toolu_2"].map(|id| json!({"id": id, "tool": "Bash", "input": {}, "way": "Grant"}));
    handler.invocation.resolve(1, &ended(&json!({"Parked": questions}), 0.0));
    assert_eq!(handler.parked().await, questions);
    handler.invocation.resolve(3, &json!({"Allow": {"input": null}}));
    assert_eq!(handler.parked().await, questions[..1]);
    handler.invocation.resolve(2, &json!({"Deny": {"reason": "no"}}));
    handler.started(4).await;
    let answers = handler.calls("Start")[1][1]["input"]["Answers"].clone();
    assert_eq!(
        answers,
        json!([[questions[1], {"Allow": {"input": null}}], [questions[0], {"Deny": {"reason": "no"}}]])
    );
}

#[tokio::test]
async fn answer_that_arrives_while_its_question_is_being_parked_continues_the_turn() {
    let mut handler = Handler::new(prompt()).await;
    handler.started(0).await;
    let mut question = OPEN.clone();
    question["way"] = json!("Defer");
    let answer = json!({"Deny": {"reason": "no"}});
    let mut parked = ended(&json!({"Parked": [question]}), 0.0);
    parked["Turn"][1] = json!([["toolu_1", answer]]);
    handler.invocation.resolve(1, &parked);
    // The next awakeable is that of the reservation: the question has none.
    handler.started(2).await;
    assert_eq!(handler.calls("Start")[1][1]["input"]["Answers"], json!([[question, answer]]));
}

#[tokio::test]
async fn cut_turn_continues_from_its_own_state_and_files() {
    let policy = LossPolicy::Resume("Check first.".to_owned());
    let mut handler = Handler::new(prompt().policy(policy)).await;
    handler.started(0).await;
    handler.invocation.resolve(1, &cut(&json!("Drained"), "r1"));
    handler.started(2).await;
    let interrupted = json!({"Interrupted": {"why": "it ended", "state": {"Interrupted": {"tools": []}}}});
    handler.invocation.resolve(3, &cut(&interrupted, "r2"));
    handler.started(4).await;
    assert_eq!(handler.calls("Recovery").len(), 2);
    // The files of a turn that was not started are those of the turn before.
    let unstarted = json!({"Interrupted": {"why": "no CLI", "state": "Unstarted"}});
    handler.invocation.resolve(5, &cut(&unstarted, "r3"));
    handler.started(6).await;
    assert_eq!(handler.calls("Recovery").len(), 2, "the worker knows that it was not started");
    handler.invocation.resolve(7, &json!("Lost"));
    handler.started(8).await;
    let revisions: Vec<_> = handler.calls("Start").iter().map(|start| start[1]["revision"].clone()).collect();
    assert_eq!(revisions, [json!(null), json!("r1"), json!("r2"), json!("r2"), json!(null)]);
}

#[tokio::test]
async fn turn_that_was_not_started_is_reported_as_such() {
    let mut handler = Handler::new(prompt()).await;
    handler.started(0).await;
    let unstarted = json!({"Interrupted": {"why": "no CLI", "state": "Unstarted"}});
    handler.invocation.resolve(1, &ended(&unstarted, 0.0));
    assert_eq!(handler.invocation.ended().await.last(), Some(&Command::Return(unstarted)));
}

#[tokio::test]
async fn lost_turn_is_reported_with_its_open_tools_and_not_repeated() {
    let mut handler = Handler::new(prompt()).await;
    handler.started(0).await;
    handler.invocation.resolve(1, &json!("Lost"));
    let commands = handler.invocation.ended().await;
    let Some(Command::Return(outcome)) = commands.last() else { panic!("{commands:#?}") };
    assert_eq!(outcome["Interrupted"]["state"]["Interrupted"]["tools"], json!([OPEN.clone()]));
    assert_eq!(handler.calls("Start").len(), 1);
}

#[tokio::test]
async fn pauses_grow_while_no_worker_reads_the_state_of_a_lost_turn() {
    let mut handler = Handler::new(SessionPrompt::new(TurnSpec::prompt(PROMPT, UNREADABLE))).await;
    handler.started(0).await;
    handler.invocation.resolve(1, &json!("Lost"));
    let mut due = Vec::new();
    for _ in 0..3 {
        handler.invocation.until_run("recovery").await;
        assert_eq!(handler.invocation.next().await, Command::Sleep);
        due.push(handler.invocation.due);
        handler.invocation.wake();
    }
    // Each timer ends at once, so only longer pauses explain a difference of this size.
    assert!(due[2] - due[0] >= 2000, "{due:?}");
}

#[tokio::test]
async fn pauses_grow_to_a_minute_if_a_pool_has_no_worker_for_long() {
    let node = Node::in_turn(vec![(StatusCode::OK, json!({}))]).await;
    let key = format!("tenant/{SESSION}");
    let mut invocation = Invocation::new(&node.address, "AgentSession/prompt", &key, &[], &prompt());
    invocation.resolve(0, &json!({"Ok": null}));
    let mut due = Vec::new();
    for _ in 0..120 {
        invocation.until_run("fence").await;
        invocation.until(|command| *command == Command::Sleep).await;
        due.push(invocation.due);
        invocation.wake();
    }
    // Each timer ends at once, so the differences are those of the pauses, and of a busy machine.
    assert!(due[59] - due[0] < 40_000, "{due:?}");
    assert!(due[119] - due[0] >= 59_000, "{due:?}");
}

#[tokio::test]
async fn lost_turn_continues_with_a_notice_if_the_policy_is_resume() {
    let policy = LossPolicy::Resume("Check first.".to_owned());
    let mut handler = Handler::new(prompt().policy(policy)).await;
    handler.started(0).await;
    handler.invocation.resolve(1, &json!("Lost"));
    handler.started(2).await;
    let starts = handler.calls("Start");
    assert_eq!(starts[1][1]["input"]["Prompt"]["text"], "Check first.");
    assert_ne!(starts[1][1]["input"]["Prompt"]["id"], PROMPT);
}

#[tokio::test]
async fn cancelled_prompt_stops_its_turn_and_waits_for_its_end() {
    let mut handler = Handler::new(prompt()).await;
    handler.started(0).await;
    handler.invocation.cancel();
    handler.invocation.until_run("stop").await;
    assert_eq!(handler.invocation.next().await, Command::Sleep, "the turn has not ended");
    handler.invocation.resolve(1, &ended(&json!("Cancelled"), 0.25));
    let commands = handler.invocation.ended().await;
    assert_eq!(commands.last(), Some(&Command::Return(json!("Cancelled"))));
    assert_eq!(reservation::settled(&commands)[0][1], json!(0.25), "{commands:#?}");
}

#[tokio::test]
async fn cancelled_prompt_whose_start_has_not_arrived_ends() {
    let mut handler = Handler::with(prompt(), |_| (StatusCode::BAD_GATEWAY, json!("restarting"))).await;
    handler.started(0).await;
    handler.invocation.cancel();
    let commands = handler.invocation.ended().await;
    assert_eq!(commands.last(), Some(&Command::Return(json!("Cancelled"))));
    assert_eq!(handler.calls("Cancel"), [fence(1)]);
    let removed =
        |command: &Command| matches!(command, Command::Send(to, _) if to == "AgentWorker/boot/ended");
    assert!(commands.iter().any(removed), "{commands:#?}");
}

#[tokio::test]
async fn prompt_that_is_cancelled_while_its_turn_starts_or_stops_waits_for_the_end_of_the_turn() {
    let mut handler = Handler::new(prompt()).await;
    handler.invocation.resolve(0, &json!({"Ok": null}));
    handler.invocation.until_run("fence").await;
    // Before the result of the start is stored.
    handler.invocation.cancel();
    handler.invocation.until_run("stop").await;
    handler.invocation.cancel();
    handler.invocation.until_run("stop").await;
    assert_eq!(handler.calls("Start").len(), 1);
    handler.invocation.resolve(1, &ended(&json!("Cancelled"), 0.25));
    let commands = handler.invocation.ended().await;
    assert_eq!(commands.last(), Some(&Command::Return(json!("Cancelled"))));
}

#[tokio::test]
async fn turn_that_is_always_lost_is_reported_after_some_attempts() {
    let policy = LossPolicy::Resume("Check first.".to_owned());
    let mut handler = Handler::new(prompt().policy(policy)).await;
    for attempt in 0..6 {
        // Each attempt has an awakeable for its reservation and one for its report.
        handler.started(2 * attempt).await;
        handler.invocation.resolve(2 * attempt + 1, &json!("Lost"));
    }
    let commands = handler.invocation.ended().await;
    let Some(Command::Return(outcome)) = commands.last() else { panic!("{commands:#?}") };
    assert_eq!(outcome["Interrupted"]["state"]["Interrupted"]["tools"], json!([OPEN.clone()]));
    assert_eq!(handler.calls("Start").len(), 6);
}
