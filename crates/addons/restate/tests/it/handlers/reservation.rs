//! Reservations of turns with their tenant.

use serde_json::{Value, json};

use super::{Handler, done, ended, prompt};
use crate::invocation::Command;

/// The settlements of turns among the commands: their tickets and costs.
pub(super) fn settled(commands: &[Command]) -> Vec<&Value> {
    let settled = commands.iter().filter_map(|command| match command {
        Command::Send(to, body) if to == "AgentTenant/tenant/settle" => Some(body),
        _ => None,
    });
    settled.collect()
}

async fn reserves(handler: &mut Handler) -> Value {
    let is_reservation =
        |command: &Command| matches!(command, Command::Send(to, _) if to == "AgentTenant/tenant/reserve");
    let mut commands = handler.invocation.until(is_reservation).await;
    let Some(Command::Send(_, body)) = commands.pop() else { panic!("{commands:#?}") };
    body
}

#[tokio::test]
async fn turn_starts_with_the_reserved_budget_and_its_cost_is_settled() {
    let mut prompt = prompt();
    prompt.turn.budget_usd = Some(5.0);
    let mut handler = Handler::new(prompt).await;
    let wanted = reserves(&mut handler).await;
    assert_eq!(wanted["budget_usd"], json!(5.0));
    assert!(handler.calls("Fence").is_empty(), "no turn without a reservation");
    handler.invocation.resolve(0, &json!({"Ok": 2.0}));
    handler.invocation.until_run("start").await;
    assert_eq!(handler.calls("Start")[0][1]["budget_usd"], json!(2.0));
    handler.invocation.resolve(1, &ended(&done(), 0.5));
    let commands = handler.invocation.ended().await;
    assert_eq!(settled(&commands), [&json!([wanted["ticket"], 0.5])]);
}

#[tokio::test]
async fn each_turn_of_a_prompt_asks_for_the_budget_of_the_prompt() {
    let mut prompt = prompt();
    prompt.turn.budget_usd = Some(5.0);
    let mut handler =
        Handler::new(prompt.policy(agentwire_worker::LossPolicy::Resume("Go on.".to_owned()))).await;
    handler.invocation.resolve(0, &json!({"Ok": 2.0}));
    handler.invocation.until_run("start").await;
    handler.invocation.resolve(1, &json!("Lost"));
    assert_eq!(reserves(&mut handler).await["budget_usd"], json!(5.0));
}

#[tokio::test]
async fn refused_reservation_ends_the_prompt_without_a_turn() {
    let mut handler = Handler::new(prompt()).await;
    handler.invocation.resolve(0, &json!({"Err": "Budget"}));
    let commands = handler.invocation.ended().await;
    assert_eq!(commands.last(), Some(&Command::Return(json!({"Refused": "Budget"}))));
    assert!(handler.calls("Fence").is_empty() && handler.calls("Start").is_empty());
    assert!(settled(&commands).is_empty(), "{commands:#?}");
}

#[tokio::test]
async fn cancelled_prompt_returns_its_reservation() {
    let mut handler = Handler::new(prompt()).await;
    let ticket = reserves(&mut handler).await["ticket"].clone();
    handler.invocation.cancel();
    let commands = handler.invocation.ended().await;
    assert_eq!(settled(&commands), [&json!([ticket, 0.0])]);
    assert_eq!(commands.last(), Some(&Command::Return(json!("Cancelled"))));
    assert!(handler.calls("Start").is_empty());
}
