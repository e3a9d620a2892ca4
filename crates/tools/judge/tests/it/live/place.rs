//! The place of a live test: its own home, project and model.

use std::{
    fs,
    path::{Path, PathBuf},
};

use agentwire::{
    Block, Options, SessionBuilder,
    protocol::message::{TurnResult, User},
};
use agentwire_testkit::{Script, ScriptedModel, model::environment};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A home, a project and a model.
pub(super) struct Place {
    dir: TempDir,
    pub(super) model: ScriptedModel,
}

impl Place {
    /// Creates a place with a model that has two greetings.
    pub(super) async fn new() -> Self {
        Self::scripted(r#"{"replies": [{"blocks": [{"text": "Hello."}]}, {"blocks": [{"text": "Hello."}]}]}"#)
            .await
    }

    /// Creates a place with a model that has this script, in which `${place}` is the folder of the place.
    pub(super) async fn scripted(script: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        for name in ["home", "project/sub", "other"] {
            fs::create_dir_all(dir.path().join(name)).unwrap();
        }
        fs::write(dir.path().join("project/a.txt"), "one\n").unwrap();
        let script = script.replace("${place}", dir.path().to_str().unwrap());
        let model = ScriptedModel::start(Script::from_json(&script).unwrap()).await.unwrap();
        Self { dir, model }
    }

    /// Creates a place with a model that replies with these blocks first, and then answers `Done.` to each request.
    pub(super) async fn using(blocks: &[Value]) -> Self {
        let script = json!({"replies": [{"blocks": blocks}, {"blocks": [{"text": "Done."}], "times": 99}]});
        Self::scripted(&script.to_string()).await
    }

    /// Creates a place with a model that writes "two" into `project/a.txt`, and then answers `Done.` to each request.
    pub(super) async fn writing() -> Self {
        Self::using(&[bash("toolu_1", "echo two > a.txt")]).await
    }

    /// Creates a place with a model that makes these calls in order, and then ends the turn.
    pub(super) async fn calling(calls: &[(&str, Value)]) -> Self {
        Self::scripted(&json!({"replies": replies(calls)}).to_string()).await
    }

    /// Returns the folder itself.
    pub(super) fn root(&self) -> &str {
        self.dir.path().to_str().unwrap()
    }

    /// Returns the path of something in this place, as text.
    pub(super) fn path(&self, name: &str) -> String {
        self.file(name).to_str().unwrap().to_owned()
    }

    /// Returns the path of something in this place: `home`, `project`, `other`, or a file in one of them.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Returns options with which the CLI sees only this place.
    pub(super) fn options(&self) -> Options {
        options(self.dir.path(), self.model.base_url())
    }

    /// The same, with the project as working directory.
    pub(super) fn in_project(&self) -> Options {
        self.options().cwd(self.path("project"))
    }
}

/// Runs one turn in a session of its own.
pub(super) async fn turn(builder: SessionBuilder, prompt: &str) -> TurnResult {
    let mut session = builder.connect().await.unwrap();
    let result = session.ask(prompt).await.unwrap().finish().await.unwrap().unwrap();
    session.close().await.unwrap();
    *result
}

/// Returns the results of tools in a message: whether each is an error, and its text.
pub(super) fn tool_results(user: &User) -> impl Iterator<Item = (bool, String)> {
    let results = user.message.content.blocks().iter().filter_map(Block::as_tool_result);
    results.map(|result| (result.is_error == Some(true), result.text()))
}

/// Returns replies of the model that make these calls in order, and then end the turn.
pub(super) fn replies(calls: &[(&str, Value)]) -> Vec<Value> {
    calls.iter().map(reply).chain([json!({"blocks": [{"text": "Done."}]})]).collect()
}

/// Returns a reply of the model: a call of this tool with this input.
pub(super) fn reply((name, input): &(&str, Value)) -> Value {
    json!({"blocks": [{"tool_use": {"name": name, "input": input}}]})
}

/// Returns a block of a reply of the model: a use of `Bash`.
pub(super) fn bash(id: &str, command: &str) -> Value {
    json!({"tool_use": {"id": id, "name": "Bash", "input": {"command": command, "description": "Note"}}})
}

/// Returns options with which the CLI sees only this folder and this model.
pub(super) fn options(place: &Path, model: &str) -> Options {
    let mut options = Options::new().env_clear();
    options.env = environment(model, &place.join("home"));
    options
}
