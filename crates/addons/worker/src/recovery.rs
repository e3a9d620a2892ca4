//! The state of a turn after its worker was lost, read from the store.

use std::{collections::HashSet, sync::Arc};

use agentwire::{
    protocol::{RawJson, ToolUseId, Uuid},
    sessions::{KeyError, RawEntry, SessionKey, SessionStore, StoreError},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::turn::{SessionName, TurnInput};

/// The state of a turn after its worker was lost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Recovery {
    /// The CLI has not received the input. The turn is safe to start.
    Unstarted,
    /// The turn began.
    Interrupted {
        /// The tool uses without a result. Each may have run.
        tools: Vec<OpenTool>,
    },
    /// The model ended the turn; only the report is lost, and background agents that still ran.
    Finished {
        /// The last text of the model.
        text: String,
    },
}

/// A tool use without a result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OpenTool {
    /// The tool use.
    pub id: ToolUseId,
    /// The tool.
    pub tool: Box<str>,
    /// The input of the tool. Parts that are nested too deeply for a value are their JSON text.
    pub input: RawJson,
}

/// The treatment of a turn after its worker was lost.
///
/// A prompt is started again at most five times, so that it ends even if its CLI can't start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum LossPolicy {
    /// Reports the state of the turn, and starts nothing.
    #[default]
    Tell,
    /// Starts a turn with this notice as its prompt if the lost turn was interrupted, and the lost turn itself if it
    /// was not started.
    Resume(String),
    /// Starts the lost turn if it was not started, and reports it otherwise.
    RetryUnstarted,
}

/// An error of [`Recovery::of`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecoveryError {
    /// The session has no valid key.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The store can't be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Recovery {
    /// Reads the state of a turn from the store, where the stored session has the id of each prompt.
    ///
    /// Call it when no process of the session lives: after the lease of the lost worker.
    ///
    /// # Errors
    ///
    /// [`RecoveryError`].
    pub async fn of(
        store: &Arc<dyn SessionStore>,
        session: &SessionName,
        input: &TurnInput,
    ) -> Result<Self, RecoveryError> {
        let key = SessionKey::new(&*session.tenant, session.session.clone())?;
        let entries = store.load(&key).await?.unwrap_or_default();
        let entries: Vec<Value> = entries.iter().map(RawEntry::to_value).collect();
        Ok(Self::read(&entries, input))
    }

    /// Returns the input of the turn to start by this policy, if any. `id` is the id of a new prompt.
    pub fn restart(&self, policy: &LossPolicy, input: &TurnInput, id: impl Into<Uuid>) -> Option<TurnInput> {
        match (self, policy) {
            (Self::Unstarted, LossPolicy::RetryUnstarted | LossPolicy::Resume(_)) => Some(input.clone()),
            (Self::Interrupted { .. }, LossPolicy::Resume(notice)) => {
                Some(TurnInput::Prompt { id: id.into(), text: notice.clone() })
            }
            _ => None,
        }
    }

    fn read(entries: &[Value], input: &TurnInput) -> Self {
        // A busy CLI may leave entries out of the stored session: the prompt of the turn may be among them.
        let is_whole = is_whole(entries);
        let mut began = false;
        let mut tools: Vec<OpenTool> = Vec::new();
        let mut text = None;
        for entry in entries {
            let is_prompt = match input {
                TurnInput::Prompt { id, .. } => has_prompt(entry, id.as_str()),
                // The turn began when its questions were asked.
                TurnInput::Answers(_) => true,
            };
            if is_prompt && !began {
                (began, text) = (true, None);
                tools.retain(|_| matches!(input, TurnInput::Answers(_)));
            }
            let is_assistant = entry["type"] == "assistant";
            // A later prompt in the same turn has no answer yet.
            if is_assistant || (entry["type"] == "user" && entry["isMeta"] != true) {
                text = None;
            }
            for block in blocks(entry) {
                follow(&mut tools, block);
                if block["type"] == "text" && is_assistant && entry["message"]["stop_reason"] == "end_turn" {
                    text = block["text"].as_str().map(str::to_owned);
                }
            }
        }
        match text {
            _ if !began && is_whole && tools.is_empty() => Self::Unstarted,
            Some(text) if began && tools.is_empty() => Self::Finished { text },
            _ => Self::Interrupted { tools },
        }
    }
}

/// Returns whether an entry contains a prompt: under its id, under a new id, merged into another prompt, or taken by a
/// running turn.
fn has_prompt(entry: &Value, id: &str) -> bool {
    let others = entry["mergedSendUuids"].as_array().into_iter().flatten();
    [&entry["uuid"], &entry["sentAsUuid"], &entry["attachment"]["source_uuid"]]
        .into_iter()
        .chain(others)
        .any(|other| other.as_str() == Some(id))
}

/// Returns whether the store has the parent of each entry.
fn is_whole(entries: &[Value]) -> bool {
    let ids: HashSet<&str> = entries.iter().filter_map(|entry| entry["uuid"].as_str()).collect();
    entries.iter().filter_map(|entry| entry["parentUuid"].as_str()).all(|parent| ids.contains(parent))
}

/// Returns the ids of the tool uses without a result.
pub(crate) fn open_tools(entries: &[RawEntry]) -> Vec<ToolUseId> {
    let mut tools = Vec::new();
    // Other entries contain neither a tool use nor a result of one.
    for entry in entries.iter().filter(|entry| entry.as_str().contains("tool_use")) {
        blocks(&entry.to_value()).for_each(|block| follow(&mut tools, block));
    }
    tools.into_iter().map(|tool| tool.id).collect()
}

/// Adds the tool use of a block, or removes the tool use that the block answers.
fn follow(tools: &mut Vec<OpenTool>, block: &Value) {
    match block["type"].as_str() {
        Some("tool_use") => tools.extend(open_tool(block)),
        Some("tool_result") => tools.retain(|tool| block["tool_use_id"] != tool.id.as_str()),
        _ => {}
    }
}

/// Returns the blocks of the message in an entry.
fn blocks(entry: &Value) -> impl Iterator<Item = &Value> {
    entry["message"]["content"].as_array().into_iter().flatten()
}

fn open_tool(block: &Value) -> Option<OpenTool> {
    let text = |name| block.get(name).and_then(Value::as_str);
    let input = RawJson::encode(block.get("input")?).ok()?;
    Some(OpenTool { id: text("id")?.into(), tool: text("name")?.into(), input })
}

#[cfg(test)]
mod tests {
    use agentwire::sessions::MemoryStore;
    use serde_json::json;

    use super::*;

    const PROMPT: &str = "0b0e7a3e-57a1-4a4c-9d3f-0d8c5a2f1b11";

    fn read(entries: &[Value]) -> Recovery {
        let input = TurnInput::Prompt { id: PROMPT.into(), text: "Go.".to_owned() };
        Recovery::read(entries, &input)
    }

    fn prompt() -> Value {
        json!({"type": "user", "uuid": PROMPT, "message": {"role": "user", "content": "Go."}})
    }

    fn assistant(block: &Value, stop: &str) -> Value {
        json!({"type": "assistant", "message": {"content": [block], "stop_reason": stop}})
    }

    fn tool(id: &str) -> Value {
        assistant(&json!({"type": "tool_use", "id": id, "name": "Bash", "input": {}}), "tool_use")
    }

    fn result(id: &str) -> Value {
        json!({"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": id}]}})
    }

    #[test]
    fn turn_without_its_prompt_is_unstarted() {
        let earlier =
            [tool("a"), result("a"), assistant(&json!({"type": "text", "text": "Old."}), "end_turn")];
        assert_eq!(read(&earlier), Recovery::Unstarted);
        assert_eq!(read(&[]), Recovery::Unstarted);
    }

    #[test]
    fn prompt_may_be_stored_under_another_id() {
        for other in [
            json!({"type": "user", "uuid": "new", "sentAsUuid": PROMPT}),
            json!({"type": "user", "uuid": "other", "mergedSendUuids": ["x", PROMPT]}),
            json!({"type": "attachment", "uuid": "new", "attachment": {"source_uuid": PROMPT}}),
        ] {
            assert_eq!(read(&[other]), Recovery::Interrupted { tools: Vec::new() });
        }
    }

    #[test]
    fn tool_without_a_result_may_have_run() {
        let Recovery::Interrupted { tools } =
            read(&[tool("old"), prompt(), tool("a"), tool("b"), result("a")])
        else {
            panic!("not interrupted");
        };
        assert_eq!(tools.iter().map(|tool| tool.id.as_str()).collect::<Vec<_>>(), ["b"]);
    }

    #[tokio::test]
    async fn entries_with_lone_surrogates_count() {
        let store: Arc<dyn SessionStore> = Arc::new(MemoryStore::new());
        let session = SessionName::new("a", PROMPT);
        let key = SessionKey::new(&*session.tenant, session.session.clone()).unwrap();
        let lone = |entry: Value| RawEntry::parse(entry.to_string().replace("LONE", r"\ud83d")).unwrap();
        let used = assistant(
            &json!({"type": "tool_use", "id": "a", "name": "Bash", "input": {"command": "LONE"}}),
            "",
        );
        let mut returned = result("a");
        returned["message"]["content"][0]["content"] = json!("LONE");
        let entries =
            [prompt(), used, returned, assistant(&json!({"type": "text", "text": "Done."}), "end_turn")]
                .map(lone);
        assert_eq!(open_tools(&entries[..2]), ["a"]);
        store.append(&key, &entries).await.unwrap();
        let input = TurnInput::Prompt { id: PROMPT.into(), text: "Go.".to_owned() };
        let state = Recovery::of(&store, &session, &input).await.unwrap();
        assert_eq!(state, Recovery::Finished { text: "Done.".to_owned() });
    }

    #[test]
    fn tool_with_a_deep_input_may_have_run() {
        let deep = format!(r#"{{"to":"a","x":{}1{}}}"#, "[".repeat(200), "]".repeat(200));
        let mut used = tool("a");
        used["message"]["content"][0]["input"] = json!("DEEP");
        let used = RawEntry::parse(used.to_string().replace(r#""DEEP""#, &deep)).unwrap();
        assert_eq!(open_tools(std::slice::from_ref(&used)), ["a"]);
        let Recovery::Interrupted { tools } = read(&[prompt(), used.to_value()]) else { panic!() };
        let input: Value = tools[0].input.decode().unwrap();
        assert_eq!(input["to"], "a");
        assert!(input["x"].to_string().contains("[[1]]"), "{input}");
    }

    #[test]
    fn tool_without_a_result_may_have_run_although_no_prompt_is_stored() {
        let Recovery::Interrupted { tools } = read(&[tool("a")]) else { panic!("not interrupted") };
        assert_eq!(tools[0].id.as_str(), "a");
    }

    #[test]
    fn turn_may_have_begun_if_an_entry_is_lost() {
        let lost = [json!({"type": "user", "uuid": "later", "parentUuid": PROMPT}), tool("a"), result("a")];
        assert_eq!(read(&lost), Recovery::Interrupted { tools: Vec::new() });
    }

    #[test]
    fn last_text_of_the_model_finishes_the_turn() {
        let text = assistant(&json!({"type": "text", "text": "Done."}), "end_turn");
        assert_eq!(read(&[prompt(), text]), Recovery::Finished { text: "Done.".to_owned() });
        let old = assistant(&json!({"type": "text", "text": "Old."}), "end_turn");
        assert_eq!(read(&[old, prompt()]), Recovery::Interrupted { tools: Vec::new() });
    }

    #[test]
    fn turn_of_answers_began_when_its_questions_were_asked() {
        let answers = TurnInput::Answers(Vec::new());
        let text = assistant(&json!({"type": "text", "text": "Done."}), "end_turn");
        let finished = Recovery::read(&[prompt(), tool("a"), result("a"), text], &answers);
        assert_eq!(finished, Recovery::Finished { text: "Done.".to_owned() });
        let cut = Recovery::read(&[prompt(), tool("a"), result("a")], &answers);
        assert_eq!(cut, Recovery::Interrupted { tools: Vec::new() });
    }

    #[test]
    fn policy_never_repeats_a_turn_that_began() {
        let input = TurnInput::Prompt { id: PROMPT.into(), text: "Go.".to_owned() };
        let interrupted = Recovery::Interrupted { tools: Vec::new() };
        assert_eq!(interrupted.restart(&LossPolicy::RetryUnstarted, &input, "x"), None);
        assert_eq!(interrupted.restart(&LossPolicy::Tell, &input, "x"), None);
        assert_eq!(Recovery::Unstarted.restart(&LossPolicy::Tell, &input, "x"), None);
        assert_eq!(
            Recovery::Unstarted.restart(&LossPolicy::RetryUnstarted, &input, "x"),
            Some(input.clone())
        );
        let notice = TurnInput::Prompt { id: "x".into(), text: "Look first.".to_owned() };
        let resume = LossPolicy::Resume("Look first.".to_owned());
        assert_eq!(interrupted.restart(&resume, &input, "x"), Some(notice));
    }
}
