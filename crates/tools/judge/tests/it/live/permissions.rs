//! Permissions: the callbacks that the CLI asks, the effect of each answer, and the text for the model.

mod answers;
mod order;
mod people;
mod races;

use std::sync::{Arc, Mutex};

use agentwire::{
    Incoming, Message, Options, RawJson, Session, Warning,
    hooks::{Hooks, PermissionHandler},
    protocol::{control::CanUseTool, message::TurnResult, settings::RawSettings},
};
use serde_json::{Value, json};

use super::{
    LIMIT, Place,
    place::{replies, reply, tool_results},
};

/// The outcome of one prompt.
struct Played {
    place: Place,
    warnings: Vec<Warning>,
    /// What the handler was asked.
    asked: Vec<CanUseTool>,
    /// The results of tools: whether each is an error, and its text.
    results: Vec<(bool, String)>,
    /// Denials that the CLI reports to its host.
    details: Vec<Value>,
    turns: Vec<TurnResult>,
}

impl Played {
    fn exists(&self, name: &str) -> bool {
        self.place.file(name).exists()
    }

    /// Returns the names of the tools in permission requests.
    fn asked(&self) -> Vec<&str> {
        self.asked.iter().map(|request| &*request.tool_name).collect()
    }

    /// Returns the text of the only tool result.
    #[expect(clippy::panic, reason = "it is test code")]
    fn result_text(&self) -> &str {
        let [(_, text)] = &self.results[..] else { panic!("one result was to come: {:?}", self.results) };
        text
    }
}

/// The settings of a played session.
struct Game {
    options: Options,
    hooks: Hooks,
    handler: PermissionHandler,
}

impl Game {
    fn new(handler: PermissionHandler) -> Self {
        Self { options: Options::new(), hooks: Hooks::new(), handler }
    }

    /// Sets the options, to which those of the place are added.
    fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    fn hooks(mut self, hooks: Hooks) -> Self {
        self.hooks = hooks;
        self
    }

    /// Sends one prompt to a model with this script, and waits for the outcome, up to the limit of a session.
    async fn play(self, script: Value) -> Played {
        tokio::time::timeout(LIMIT, Box::pin(self.play_out(script))).await.unwrap()
    }

    async fn play_out(self, script: Value) -> Played {
        let place = Place::scripted(&script.to_string()).await;
        let mut options = self.options;
        options.env.extend(place.options().env);
        let options = options.env_clear().cwd(place.path("project"));
        let asked = Arc::new(Mutex::new(Vec::new()));
        let book = Arc::clone(&asked);
        let handler = self.handler.audited(move |audit| book.lock().unwrap().push(audit.request.clone()));
        let builder = Session::builder().options(options).permissions(handler).hooks(self.hooks);
        let session = builder.connect().await.unwrap();
        let warnings = session.warnings().to_vec();
        let mut query = session.into_query("Go.").await.unwrap();
        let (mut results, mut details, mut turns) = (Vec::new(), Vec::new(), Vec::new());
        while let Some(incoming) = query.next().await {
            match incoming {
                // The CLI's exit code reports the outcome of its last turn.
                Err(error) => assert!(turns.last().is_some_and(|turn: &TurnResult| turn.is_error), "{error}"),
                Ok(Incoming::Message(Message::User(user), _)) => {
                    results.extend(tool_results(&user));
                    details.extend(user.tool_use_result.map(|raw| raw.decode::<Value>().unwrap()));
                }
                Ok(Incoming::Message(Message::Result(result), _)) => {
                    turns.push(*result);
                    // Most scripts hold nothing.
                    let _nothing_held = place.model.release(AFTER_A_TURN);
                }
                Ok(_) => {}
            }
        }
        let asked = std::mem::take(&mut *asked.lock().unwrap());
        Played { place, warnings, asked, results, details, turns }
    }
}

/// The gate that holds replies of the model until after the first turn.
const AFTER_A_TURN: &str = "after a turn";

/// Returns a script that uses these tools in sequence and ends the turn.
fn uses<const N: usize>(tools: [(&str, Value); N]) -> Value {
    json!({"replies": replies(&tools)})
}

/// Returns a use of the shell.
fn shell(command: &str) -> (&'static str, Value) {
    ("Bash", json!({"command": command, "description": "A test"}))
}

fn settings(value: Value) -> RawSettings {
    RawSettings::new(RawJson::encode(&value).unwrap())
}
