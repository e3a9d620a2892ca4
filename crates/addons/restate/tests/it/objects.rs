//! The other handlers, by the state of their object.

use agentwire::protocol::message::UserInput;
use agentwire_restate::{Ingress, SessionPrompt, handlers};
use agentwire_worker::TurnSpec;
use axum::{
    body::{Body, to_bytes},
    http::{Request, StatusCode},
};
use serde_json::{Value, json};

use crate::{
    PROMPT, SESSION,
    invocation::{Command, Invocation},
    node::{NOWHERE, Node},
};

async fn called(handler: &str, key: &str, state: &[(&str, Value)], body: &Value) -> Vec<Command> {
    Invocation::new(NOWHERE, handler, key, state, body).ended().await
}

fn lost(ticket: &str) -> Command {
    Command::Resolve(ticket.to_owned(), json!("Lost"))
}

#[tokio::test]
async fn turns_of_a_run_without_a_later_beat_are_lost() {
    let state = [("beats", json!(7)), ("pool", json!("agents")), ("turn/prom_1", json!(true))];
    let commands = called("AgentWorker/check", "boot", &state, &json!(7)).await;
    let left = Command::Send("AgentPool/agents/leave".to_owned(), json!("boot"));
    assert_eq!(commands, [left, lost("prom_1"), Command::ClearAll, Command::Return(Value::Null)]);
    let commands = called("AgentWorker/check", "boot", &state, &json!(6)).await;
    assert_eq!(commands, [Command::Return(Value::Null)], "a later beat has come");
}

#[tokio::test]
async fn lost_run_is_not_revived_by_a_later_beat() {
    let beat =
        |is_known: bool| json!({"pool": "agents", "address": "a", "lease_ms": 9, "is_known": is_known});
    let commands = called("AgentWorker/beat", "boot", &[], &beat(true)).await;
    assert_eq!(commands, [Command::Fail(410, "the run of the worker is lost".to_owned())]);
    let commands = called("AgentWorker/beat", "boot", &[], &beat(false)).await;
    assert_eq!(commands[0], Command::Set("beats".to_owned(), json!(1)), "a new run is not lost");
    let commands = called("AgentWorker/beat", "boot", &[("beats", json!(1))], &beat(true)).await;
    assert_eq!(commands[0], Command::Set("beats".to_owned(), json!(2)));
}

#[tokio::test]
async fn turn_on_a_lost_run_is_lost_at_once() {
    let commands = called("AgentWorker/began", "boot", &[], &json!("prom_1")).await;
    assert_eq!(commands, [lost("prom_1"), Command::Return(Value::Null)]);
    let commands = called("AgentWorker/began", "boot", &[("beats", json!(1))], &json!("prom_1")).await;
    assert_eq!(commands, [Command::Set("turn/prom_1".to_owned(), json!(true)), Command::Return(Value::Null)]);
}

#[tokio::test]
async fn answer_to_a_parked_question_resolves_its_awakeable() {
    let question = json!({"id": "toolu_1", "tool": "Bash", "input": {}, "way": "Defer"});
    let parked = json!([{"question": question, "awakeable": "prom_9"}]);
    let state = [("session", json!({"parked": parked}))];
    let (key, answer) = (format!("tenant/{SESSION}"), json!({"Deny": {"reason": "no"}}));
    let commands = called("AgentSession/answer", &key, &state, &json!(["toolu_1", answer])).await;
    assert_eq!(
        commands,
        [Command::Resolve("prom_9".to_owned(), answer.clone()), Command::Return(json!(true))]
    );
    let commands = called("AgentSession/answer", &key, &state, &json!(["toolu_2", answer])).await;
    assert_eq!(commands, [Command::Return(json!(false))]);
    let commands = called("AgentSession/status", &key, &state, &Value::Null).await;
    let Some(Command::Return(status)) = commands.last() else { panic!("{commands:#?}") };
    assert_eq!((&status["phase"], &status["questions"]), (&json!("Parked"), &json!([question])));
}

#[tokio::test]
async fn cancel_signals_the_prompt_that_has_not_ended() {
    let key = format!("tenant/{SESSION}");
    let state = [("session", json!({"invocation": "inv_7"}))];
    let commands = called("AgentSession/cancel", &key, &state, &Value::Null).await;
    assert_eq!(commands, [Command::Signal("inv_7".to_owned()), Command::Return(json!(true))]);
    assert_eq!(called("AgentSession/cancel", &key, &[], &Value::Null).await, [Command::Return(json!(false))]);
}

#[tokio::test]
async fn key_without_a_tenant_is_refused() {
    let commands = called("AgentSession/interrupt", "tenant", &[], &Value::Null).await;
    assert_eq!(commands, [Command::Fail(400, "`tenant` is not TENANT/SESSION".to_owned())]);
}

#[tokio::test]
async fn name_that_the_store_has_no_key_for_is_refused() {
    let prompt = SessionPrompt::new(TurnSpec::prompt(PROMPT, "Go."));
    for key in ["tenant/chat-1".to_owned(), format!("../{SESSION}"), format!("/{SESSION}")] {
        let prompt = serde_json::to_value(&prompt).unwrap();
        let commands = called("AgentSession/prompt", &key, &[], &prompt).await;
        assert!(matches!(commands[..], [Command::Fail(400, _)]), "{key}: {commands:#?}");
    }
}

fn fence() -> Value {
    json!({"session": {"tenant": "tenant", "session": SESSION}, "epoch": 1, "boot": "boot", "number": 1})
}

#[tokio::test]
async fn request_to_a_worker_without_an_answer_fails() {
    let place = json!({"address": NOWHERE, "fence": fence()});
    let (key, state) = (format!("tenant/{SESSION}"), [("session", json!({"running": place}))]);
    let answer = json!(["toolu_1", {"Deny": {"reason": "no"}}]);
    for (handler, body) in [("AgentSession/answer", answer), ("AgentSession/interrupt", Value::Null)] {
        let commands = called(handler, &key, &state, &body).await;
        let failed = Command::Fail(
            424,
            "the worker of the session does not answer, or takes no answer now".to_owned(),
        );
        assert_eq!(commands.last(), Some(&failed), "{commands:#?}");
    }
}

#[tokio::test]
async fn request_to_a_worker_names_the_turn() {
    let worker = Node::in_turn(vec![(StatusCode::OK, json!(true))]).await;
    let (key, fence) = (format!("tenant/{SESSION}"), fence());
    let place = json!({"address": worker.address, "fence": fence});
    let state = [("session", json!({"running": place}))];
    let answer = json!(["toolu_1", {"Deny": {"reason": "no"}}]);
    let prompt = json!(UserInput::new("Stop."));
    for (handler, body) in [("answer", answer), ("interrupt", Value::Null), ("steer", prompt)] {
        let commands = called(&format!("AgentSession/{handler}"), &key, &state, &body).await;
        assert_eq!(commands.last(), Some(&Command::Return(json!(true))), "{commands:#?}");
    }
    let requests = worker.requests();
    let named: Vec<_> = requests.iter().map(|asked| &asked.body).collect();
    assert_eq!(
        (&named[0]["Answer"][0], &named[1]["Interrupt"], &named[2]["Steer"][0]),
        (&fence, &fence, &fence)
    );
}

#[tokio::test]
async fn turn_of_a_tenant_at_its_limit_waits_for_the_end_of_another_one() {
    let ledger = |running: u64| {
        json!({
            "budget_usd": 4.0, "turns": 1, "spent_usd": 0.0, "reserved_usd": running as f64, "running": running,
        })
    };
    let wanted = json!({"ticket": "prom_2", "budget_usd": 1.0});
    let state = [("account", json!({"ledger": ledger(1), "waiting": [], "reserved": {"prom_1": 1.0}}))];
    let commands = called("AgentTenant/reserve", "tenant", &state, &wanted).await;
    let [Command::Set(_, account), Command::Return(_)] = &commands[..] else { panic!("{commands:#?}") };
    assert_eq!(account["waiting"], json!([wanted]));

    let commands =
        called("AgentTenant/settle", "tenant", &[("account", account.clone())], &json!(["prom_1", 0.5]))
            .await;
    let [Command::Resolve(ticket, reserved), Command::Set(_, account), _] = &commands[..] else {
        panic!("{commands:#?}")
    };
    assert_eq!((ticket.as_str(), reserved), ("prom_2", &json!({"Ok": 1.0})));
    assert_eq!((&account["ledger"]["spent_usd"], &account["waiting"]), (&json!(0.5), &json!([])));
}

#[tokio::test]
async fn misspelt_limit_is_refused() {
    let commands = called("AgentTenant/limit", "tenant", &[], &json!({"budget": 5.0})).await;
    assert!(matches!(&commands[..], [Command::Fail(400, why)] if why.contains("budget")), "{commands:#?}");
}

#[tokio::test]
async fn services_are_retried_for_ever_and_clients_reach_no_handler_of_the_engine_itself() {
    let endpoint = handlers(Ingress::new(["http://127.0.0.1:1"]).unwrap(), "agents");
    let request = Request::get("/discover")
        .header("accept", "application/vnd.restate.endpointmanifest.v4+json")
        .body(Body::empty())
        .unwrap();
    let manifest = to_bytes(Body::new(endpoint.handle(request)), usize::MAX).await.unwrap();
    let manifest: Value = serde_json::from_slice(&manifest).unwrap();
    let mut open = Vec::new();
    for service in manifest["services"].as_array().unwrap() {
        // Restate would pause an invocation that it can't deliver to the handlers for a while.
        assert_eq!(service["retryPolicyMaxAttempts"], u32::MAX, "{service:#}");
        for handler in service["handlers"].as_array().unwrap() {
            if handler["ingressPrivate"] != true {
                open.push([&service["name"], &handler["name"]].map(|name| name.as_str().unwrap()).join("/"));
            }
        }
    }
    open.sort_unstable();
    let expected = [
        "AgentPool/list",
        "AgentSession/answer",
        "AgentSession/cancel",
        "AgentSession/interrupt",
        "AgentSession/prompt",
        "AgentSession/status",
        "AgentSession/steer",
        "AgentTenant/ledger",
        "AgentTenant/limit",
        "AgentWorker/beat",
    ];
    assert_eq!(open, expected);
}
