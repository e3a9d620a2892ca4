//! Subagents are reported, and start no others.

use agentwire::hooks::Hooks;
use serde_json::{Value, json};

use super::{Place, held, matched, recursion, subagents};

fn start(prompt: &str) -> Value {
    json!({"blocks": [{"tool_use": {"name": "Task", "input": {
        "description": "A small task", "prompt": prompt, "subagent_type": "general-purpose",
        "run_in_background": false,
    }}}]})
}

fn text_reply(text: &str) -> Value {
    json!({"blocks": [{"text": text}]})
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn subagents_are_reported() {
    let read =
        json!({"blocks": [{"tool_use": {"name": "Read", "input": {"file_path": "${place}/project/a.txt"}}}]});
    let script = json!({
        "replies": [start("AGENT-ONE: read."), read, text_reply("Done.")],
        "match": [{"marker": "AGENT-ONE", "replies": [read, read, text_reply("It says one.")]}],
    });
    let place = Place::scripted(&script.to_string()).await;
    let (hooks, known) = subagents::track(Hooks::new());
    let seen = held(&place, hooks).await;
    assert_eq!(seen.answer, "Done.");
    let known: Vec<_> = known.list().into_values().collect();
    let agent = subagents::Subagent { kind: "general-purpose".into(), calls: 2, running: false };
    assert_eq!(known, [agent], "{seen:#?}");
}

/// Returns a place with an agent that starts another one, and a second agent of the main conversation.
async fn multiplying() -> Place {
    let script = json!({
        "replies": [start("AGENT-ONE: delegate."), start("AGENT-ONE: once more."), text_reply("Done.")],
        "match": [
            {"marker": "AGENT-TWO", "replies": [text_reply("Two."), text_reply("Two.")]},
            {"marker": "AGENT-ONE", "replies": [start("AGENT-TWO: think."), text_reply("One."), start("AGENT-TWO: think."), text_reply("One.")]},
        ],
    });
    Place::scripted(&script.to_string()).await
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn subagents_start_no_others() {
    let open = multiplying().await;
    held(&open, Hooks::new()).await;
    assert_eq!((matched(&open, 0), matched(&open, 1)), (2, 4));

    let guarded = multiplying().await;
    let seen = held(&guarded, recursion::guard(Hooks::new(), 1)).await;
    assert_eq!((matched(&guarded, 0), matched(&guarded, 1)), (0, 2), "{seen:#?}");
    assert!(
        seen.outputs.iter().any(|output| output.as_ref().is_err_and(|why| why.contains("starts no others")))
    );
    assert!(
        seen.outputs.last().unwrap().as_ref().unwrap_err().contains("1 subagents are enough"),
        "{seen:#?}"
    );
}
