//! Attacks by calls: many at once, and tools by other names.

use std::{
    fs,
    sync::{Arc, Mutex},
};

use agentwire::{Session, hooks::Hooks};
use serde_json::{Value, json};

use super::super::{
    Place, call_log, held, hold, matched, matchers, permissive, rate_limit, recursion, webhook,
};

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn a_limit_holds_for_calls_at_once() {
    let call = |number: usize| {
        let command = format!("touch ran-{number}");
        let background = number.is_multiple_of(3);
        json!({"tool_use": {"name": "Bash", "input": {"command": command, "run_in_background": background}}})
    };
    let at_once = json!({"blocks": (0..30).map(call).collect::<Vec<_>>()});
    let script = json!({"replies": [at_once, {"blocks": [{"text": "Done."}]}]});
    let place = Place::scripted(&script.to_string()).await;
    let hooks = rate_limit::limit(Hooks::new(), ["Bash"], 2, std::time::Duration::from_secs(3600));
    let seen = held(&place, hooks).await;
    assert_eq!(seen.refused().iter().filter(|refused| !**refused).count(), 2, "{seen:#?}");
    assert_eq!(seen.refused().len(), 30);
    // An allowed command may continue in the background.
    let ran = fs::read_dir(place.file("project")).unwrap().flatten();
    let ran = ran.filter(|entry| entry.file_name().to_string_lossy().starts_with("ran-")).count();
    assert!(ran <= 2, "{ran}");
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn thirty_starts_at_once_are_as_many_subagents_as_permitted() {
    let call = |number: usize| {
        let name = ["Agent", "Task", "Agent"][number % 3];
        let kind = ["general-purpose", "Explore", "Plan"][number % 3];
        let input = json!({"description": "d", "prompt": "MARK-SUB", "subagent_type": kind, "run_in_background": number.is_multiple_of(2)});
        json!({"tool_use": {"name": name, "input": input}})
    };
    let at_once = json!({"blocks": (0..30).map(call).collect::<Vec<_>>()});
    let sub = json!({"marker": "MARK-SUB", "replies": [{"blocks": [{"text": "Sub done."}], "times": 30}]});
    let done = json!({"blocks": [{"text": "Done."}], "times": 10});
    let script = json!({"replies": [at_once, done], "match": [sub]});
    let place = Place::scripted(&script.to_string()).await;
    let options = permissive(&place).allowed_tools(["Agent", "Task"]);
    let hooks = recursion::guard(Hooks::new(), 1);
    let seen = hold(Session::builder().options(options).hooks(hooks)).await;
    let refused = seen
        .outputs
        .iter()
        .filter(|output| output.as_ref().is_err_and(|text| text.contains("subagents are enough")));
    assert_eq!(refused.count(), 29, "{seen:#?}");
    assert!(matched(&place, 0) <= 1, "{seen:#?}");
}

#[test]
fn writing_tools_are_matched_by_their_names() {
    let hooks = matchers::refuse_writing(Hooks::new());
    for tool in ["Edit", "Write", "MultiEdit", "NotebookEdit", "TodoWrite"] {
        assert!(hooks.misfits([tool]).is_empty(), "{tool}");
    }
    let asked = matchers::ask_about_mcp_tools(Hooks::new());
    for tool in ["mcp__a__b", "mcp__a__b__c", "mcp__a-b__c_d", "mcp__A__B", "mcp____x"] {
        assert!(asked.misfits([tool]).is_empty(), "{tool}");
        assert!(!hooks.misfits([tool]).is_empty(), "{tool}");
    }
}

/// The log has one line for any call, and neither log nor webhook contains its input.
#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn calls_are_reported_without_their_content() {
    let odd = ["", "\n", "\r\n", "\"", "\\", "\u{1b}[2J", "\u{2028}", "}\n{\"asked\":\"x\"}", "%s", "ä"];
    let call = |number: usize| {
        let command = format!("echo 'hush-{number}{}' # hush", odd[number % odd.len()]);
        json!({"tool_use": {"name": "Bash", "input": {"command": command, "description": "hush"}}})
    };
    let at_once = json!({"blocks": (0..30).map(call).collect::<Vec<_>>()});
    let script = json!({"replies": [at_once, {"blocks": [{"text": "Done."}]}]});
    let place = Place::scripted(&script.to_string()).await;
    let file = fs::File::create(place.file("other/log")).unwrap();
    let (hooks, log) = call_log::write_to(Hooks::new(), file).unwrap();
    let texts = Arc::new(Mutex::new(Vec::new()));
    let sent = Arc::clone(&texts);
    let (hooks, webhook) = webhook::report(hooks, move |text| {
        sent.lock().unwrap().push(text);
        std::future::ready(Ok(()))
    });
    let seen = held(&place, hooks).await;
    assert_eq!(seen.outputs.len(), 30, "{seen:#?}");
    assert_eq!(webhook.finish().await, 0);
    assert_eq!(tokio::task::spawn_blocking(|| log.finish()).await.unwrap().unwrap(), 0);
    let written = fs::read_to_string(place.file("other/log")).unwrap();
    let asked = written.lines().filter(|line| {
        let line: Value = serde_json::from_str(line.split_once(' ').unwrap().1).unwrap();
        line["asked"] == "Bash"
    });
    // The CLI refuses control characters before it asks its hooks.
    let used = seen.outputs.iter().flatten().count();
    assert_eq!((asked.count(), used >= 20), (used, true), "{written}\n{seen:#?}");
    assert!(!written.contains("hush"), "{written}");
    let texts = texts.lock().unwrap();
    assert!(!texts.is_empty() && texts.iter().all(|text| !text.contains("hush")), "{texts:?}");
}
