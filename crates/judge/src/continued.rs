//! A conversation that goes on from a store: the proof, with the real CLI, that a store is all that another machine needs.

mod first;
mod place;
mod second;

use std::{error::Error, sync::Arc};

use agentwire::{Options, sessions::SessionStore};

use agentwire_testkit::{Script, ScriptedModel};
use first::First;
use place::Place;

/// Has the real CLI begin a conversation with this store, and go on with it from there where nothing of it is left: with
/// another home and another configuration folder, as on another machine.
///
/// `options` are the caller's own, such as the CLI's path; where it lives, what it asks and how it is stored are set
/// here.
/// The conversation has a subagent, whose own is stored and comes back too.
/// Of what the model is asked only numbers and roles are looked at.
///
/// What is checked:
/// - the store has what the CLI's own file has, entry by entry: also what came after the last result and after the end of
///   input;
/// - it has the subagent's too, under a subpath;
/// - on the other side the files are there before the first prompt, with the same entries, for nobody else to read;
/// - the model is asked with the earlier messages, and one more;
/// - what comes then goes to the store, behind what was there;
/// - nothing of the session is left on the other side.
///
/// # Errors
///
/// What is not as it should be, or could not be tried.
pub async fn prove(store: Arc<dyn SessionStore>, options: Options) -> Result<(), Failure> {
    let script = Script::from_json(SCRIPT)?;
    let model = ScriptedModel::start(script).await?;
    let place = Place::new(options, model.base_url())?;
    let first = First::begin(&place, &model, &store).await?;
    second::go_on(&place, &model, &store, first).await
}

/// What is not as it should be.
pub type Failure = Box<dyn Error + Send + Sync>;

/// The failure, unless this holds.
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
