//! Proves with the real CLI that a conversation can continue on another machine from a store alone.

mod first;
mod place;
mod second;

use std::sync::Arc;

use agentwire::{Options, sessions::SessionStore};

use crate::Failure;
use agentwire_testkit::{Script, ScriptedModel};
use first::First;
use place::Place;

/// Lets the real CLI start a conversation with this store, and resume it from the store alone: with
/// another home and another configuration folder, as on another machine.
///
/// `options` are the caller's own, such as the CLI's path; folders, prompts and the store are set
/// here.
/// The conversation has a subagent with a stored conversation of its own.
/// Of the model's requests only numbers and roles are compared.
///
/// Checks:
/// - the store has the entries of the CLI's own file, also those after the last result and after the end of
///   input;
/// - it has the subagent's too, under a subpath;
/// - on the other side the files exist before the first prompt, with the same entries, readable by the owner only;
/// - the request to the model has the earlier messages and one more;
/// - new entries are appended to the store;
/// - the session leaves no file on the other side.
pub async fn prove(store: Arc<dyn SessionStore>, options: Options) -> Result<(), Failure> {
    let script = Script::from_json(SCRIPT)?;
    let model = ScriptedModel::start(script).await?;
    let place = Place::new(options, &model)?;
    let first = First::begin(&place, &model, &store).await?;
    second::go_on(&place, &model, &store, first).await
}

/// Returns the failure unless the condition holds.
fn check(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), Failure> {
    if holds { Ok(()) } else { Err(otherwise().into()) }
}

const SCRIPT: &str = r#"{
    "replies": [
        {"blocks": [{"tool_use": {"name": "Task", "input": {
            "description": "A small task", "prompt": "AGENT-ONE: say one.",
            "subagent_type": "general-purpose", "run_in_background": false}}}]},
        {"blocks": [{"text": "The agent said one."}]},
        {"blocks": [{"text": "As I said."}]}
    ],
    "match": [{"marker": "AGENT-ONE", "replies": [{"blocks": [{"text": "One."}]}]}]
}"#;
