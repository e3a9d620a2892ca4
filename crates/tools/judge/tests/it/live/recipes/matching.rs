//! Matchers: which patterns are for which calls, as the CLI reads them.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use agentwire::{
    Decision, Session,
    hooks::{Hooks, Matcher, PermissionHandler},
    mcp::{McpServers, Server},
    protocol::hook::PreToolUse,
};
use serde_json::{Value, json};

use super::{Place, hold, matchers, permissive};

fn servers() -> McpServers {
    let hello = Server::new("srv", "1.0.0")
        .tool("hello", "Greets.", async |_: Value, _cx| "Good morning.".to_owned());
    McpServers::new().with("srv", hello)
}

type List = Arc<Mutex<Vec<String>>>;

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn matchers_fit_some_calls_all_calls_of_a_server_and_all_calls() {
    let place = Place::calling(&[
        ("mcp__srv__hello", json!({})),
        ("Write", json!({"file_path": "b.txt", "content": "x"})),
        ("Read", json!({"file_path": "${place}/project/a.txt"})),
        ("Edit", json!({"file_path": "${place}/project/a.txt", "old_string": "one", "new_string": "two"})),
        ("Bash", json!({"command": "true"})),
    ])
    .await;
    let (watched, asked) = (List::default(), List::default());
    let (watching, asking) = (Arc::clone(&watched), Arc::clone(&asked));
    let hooks = matchers::refuse_writing(matchers::ask_about_mcp_tools(Hooks::new()));
    let hooks = matchers::watch_everything(hooks, move |tool| watching.lock().unwrap().push(tool.to_owned()));
    let permissions = PermissionHandler::new(move |request, _cx| {
        asking.lock().unwrap().push(request.tool_name.to_string());
        std::future::ready(Decision::deny("not this time"))
    });
    // The rule that allows the tool does not count against the hook's question.
    let mut options = permissive(&place);
    options.allowed_tools.push("mcp__srv__hello".to_owned());
    let session =
        Session::builder().options(options).hooks(hooks).permissions(permissions).mcp_servers(servers());
    let seen = hold(session).await;
    assert_eq!(seen.refused(), [true, true, false, true, false], "{seen:#?}");
    assert_eq!(*watched.lock().unwrap(), ["mcp__srv__hello", "Write", "Read", "Edit", "Bash"]);
    assert_eq!(*asked.lock().unwrap(), ["mcp__srv__hello"]);
    assert!(!place.file("project/b.txt").exists());
}

/// The patterns of the guide.
#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn patterns_match_as_in_the_cli() {
    let patterns = [
        "mcp__.*",
        "mcp__srv__.*",
        "srv.*",
        "^srv.*",
        "Bash|mcp__srv__hello",
        "Bash, mcp__srv__hello",
        "mcp__*",
        "*",
        "",
        " mcp__srv__hello",
        "mcp__srv__h",
        "mcp__srv__hello$",
        "mcp__srv__.*|Bash",
    ];
    let place = Place::calling(&[("mcp__srv__hello", json!({}))]).await;
    let fired = List::default();
    let hooks = patterns.into_iter().fold(Hooks::new(), |hooks, pattern| {
        let fired = Arc::clone(&fired);
        hooks.on_matching(PreToolUse, Matcher::pattern(pattern), move |_input, _cx| {
            fired.lock().unwrap().push(pattern.to_owned());
            std::future::ready(())
        })
    });
    let mut options = permissive(&place);
    options.allowed_tools.push("mcp__srv__hello".to_owned());
    let seen = hold(Session::builder().options(options).hooks(hooks).mcp_servers(servers())).await;
    assert_eq!(seen.refused(), [false], "{seen:#?}");
    let fired = fired.lock().unwrap();
    let silent = patterns.into_iter().filter(|pattern| !fired.iter().any(|fired| fired == pattern));
    assert_eq!(silent.collect::<Vec<_>>(), ["^srv.*", "mcp__srv__h"]);
}

/// Patterns that the CLI would accept silently, and that match nothing.
#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn patterns_that_match_nothing_refuse_the_session() {
    let place = Place::calling(&[]).await;
    for pattern in ["mcp__srv", "mcp__(", "MCP__.*"] {
        let hooks = Hooks::new().on_matching(PreToolUse, Matcher::pattern(pattern), async |_, _| ());
        let refused =
            Session::builder().options(permissive(&place)).hooks(hooks).connect().await.unwrap_err();
        let refused = refused.report().to_string();
        assert!(refused.contains(pattern), "{refused}");
    }
}

/// The guide's cases: calls that are refused before any hook, and calls without a question.
#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn some_calls_reach_no_hook_and_no_question() {
    let place = Place::calling(&[
        ("Nope", json!({})),
        ("Read", json!({})),
        ("Edit", json!({"file_path": "a.txt", "old_string": "three", "new_string": "two"})),
        ("NotebookEdit", json!({"notebook_path": "${place}/project/n.ipynb", "new_source": "x"})),
        ("Bash", json!({"command": "ls"})),
        ("Read", json!({"file_path": " sub/../a.txt"})),
        ("Write", json!({"file_path": "~/../project/sub/../c.txt ", "content": "x"})),
        ("Bash", json!({"command": "touch b.txt"})),
    ])
    .await;
    let (watched, asked) = (List::default(), List::default());
    let (watching, asking) = (Arc::clone(&watched), Arc::clone(&asked));
    let hooks = Hooks::new().on(PreToolUse, move |input, _cx| {
        let what: BTreeMap<String, Value> = input.tool_input.decode().unwrap();
        let what = what.get("file_path").or(what.get("command")).unwrap().as_str().unwrap();
        watching.lock().unwrap().push(what.to_owned());
        std::future::ready(())
    });
    let permissions = PermissionHandler::new(move |request, _cx| {
        asking.lock().unwrap().push(request.tool_name.to_string());
        std::future::ready(Decision::deny("not this time"))
    });
    let options = place.in_project();
    let seen = hold(Session::builder().options(options).hooks(hooks).permissions(permissions)).await;
    assert_eq!(seen.refused(), [true, true, true, true, false, false, true, true], "{seen:#?}");
    // The paths as the CLI uses them, not as the model writes them.
    let (read, written) = (place.path("project/a.txt"), place.path("project/c.txt"));
    assert_eq!(*watched.lock().unwrap(), ["ls", &read, &written, "touch b.txt"]);
    assert_eq!(*asked.lock().unwrap(), ["Write", "Bash"]);
}
