//! Chained handlers: the next one decides an open question, and an undecided question is denied.

use std::{
    io,
    sync::{Arc, Mutex},
    time::Duration,
};

use agentwire_hooks::{AuditOutcome, PermissionHandler, policy};
use agentwire_protocol::permission::{Allow, Decision, Deny};
use serde_json::{Value, json};
use tokio::sync::{Notify, mpsc};

use crate::cli::{Cli, within};

fn question(tool: &str) -> Value {
    json!({"subtype": "can_use_tool", "tool_name": tool, "input": {}, "tool_use_id": "toolu_1"})
}

async fn answer(handler: &PermissionHandler, question: Value) -> Result<Value, String> {
    Cli::start(handler.clone()).await.exchange(question).await
}

/// Returns the allowed tools and the denied tools. The handler must leave all others open.
async fn sorted(
    handler: &PermissionHandler,
    tools: &[&'static str],
) -> (Vec<&'static str>, Vec<&'static str>) {
    let (mut allowed, mut denied) = (Vec::new(), Vec::new());
    for tool in tools {
        let answer = answer(handler, question(tool)).await.unwrap();
        match (answer["behavior"].as_str(), answer["message"].as_str()) {
            (Some("allow"), _) => allowed.push(*tool),
            (Some("deny"), Some("listed")) => denied.push(*tool),
            (Some("deny"), Some(message)) => {
                assert!(message.starts_with("nothing here permits"), "{message}");
            }
            other => panic!("{other:?}"),
        }
    }
    (allowed, denied)
}

#[tokio::test]
async fn an_undecided_question_is_denied() {
    let open = || PermissionHandler::new(async |_, _| None::<Decision>);
    let answer = answer(&open().or(open()), question("Bash")).await.unwrap();
    assert_eq!(answer["behavior"], "deny");
    assert!(answer["message"].as_str().unwrap().contains("nothing here permits"), "{answer}");
}

#[tokio::test]
async fn the_first_decision_counts() {
    let allow = || PermissionHandler::new(async |_, _| Some(Allow::new()));
    let deny = || PermissionHandler::new(async |_, _| Ok::<_, io::Error>(Deny::new("no")));
    let open = || PermissionHandler::new(async |_, _| Ok::<Option<Decision>, io::Error>(None));
    for (handler, expected) in [
        (allow().or(deny()), "allow"),
        (deny().or(allow()), "deny"),
        (open().or(allow()).or(deny()), "allow"),
        (open().or(open().or(deny())).or(allow()), "deny"),
    ] {
        assert_eq!(answer(&handler, question("Bash")).await.unwrap()["behavior"], expected);
    }
}

#[tokio::test]
async fn a_failure_is_not_passed_to_the_next_handler() {
    let allow = || PermissionHandler::new(async |_, _| Decision::allow());
    let failing = PermissionHandler::new(async |_, _| Err::<Option<Decision>, _>("no list"));
    let expected = Err("the permission handler failed: no list".to_owned());
    assert_eq!(answer(&failing.or(allow()), question("Bash")).await, expected);
    let panicking = PermissionHandler::new(async |_, _| -> Option<Decision> { panic!("boom") });
    let expected = Err("the permission handler panicked: boom".to_owned());
    assert_eq!(answer(&panicking.or(allow()), question("Bash")).await, expected);
}

#[tokio::test]
async fn allow_lists_are_strict() {
    let handler = policy::allow(["Write", "mcp__docs__*", "Bash(ls:*)", "Task", "read"]);
    let tools = ["Write", "WriteMore", "mcp__docs__find", "mcp__docsx__find", "Bash", "Agent", "Read"];
    assert_eq!(sorted(&handler, &tools).await, (vec!["Write", "mcp__docs__find"], vec![]));
}

/// Returns whether a policy that allows the pattern allows this tool of this server.
async fn allows(pattern: &str, tool: &str, server: Option<&str>) -> bool {
    let mut asked = question(tool);
    if let Some(server) = server {
        asked["mcp_server"] = json!({"name": server, "source": "project"});
    }
    answer(&policy::allow([pattern]), asked).await.unwrap()["behavior"] == "allow"
}

#[tokio::test]
async fn a_star_does_not_match_another_server() {
    for (pattern, tool, server, expected) in [
        ("mcp__docs__*", "mcp__docs__find", Some("docs"), true),
        ("mcp__docs__*", "mcp__docs__find", None, true),
        ("mcp__docs__*", "mcp__docs__find_all", None, true),
        ("mcp__docs__*", "mcp__docs__evil__find", Some("docs__evil"), false),
        ("mcp__docs__*", "mcp__docs__evil__find", None, false),
        ("mcp__docs__*", "mcp__docs__evil__find", Some("docs"), true),
        ("mcp__docs__*", "mcp__docs___find", Some("docs_"), false),
        ("mcp__docs__*", "mcp__docs___find", Some("docs"), true),
        ("mcp__docs__*", "mcp__docs___find", None, false),
        ("mcp__docs__*", "mcp__docs__find", Some("docs__find"), false),
        ("mcp__docs__*", "mcp__docs__find", Some("other"), false),
        ("mcp__docs__*", "mcp__docsx__find", Some("docsx"), false),
        ("mcp__docs__*", "find", Some("docs"), false),
        ("mcp__docs__ev*", "mcp__docs__every", Some("docs"), true),
        ("mcp__docs__ev*", "mcp__docs__evil__find", Some("docs__evil"), false),
        ("mcp__docs__ev*", "mcp__docs__evil__find", None, false),
        ("mcp__docs__evil_*", "mcp__docs__evil__find", Some("docs__evil"), false),
        ("mcp__docs__evil_*", "mcp__docs__evil__find", None, false),
        ("mcp__docs__evil__*", "mcp__docs__evil__find", Some("docs__evil"), true),
        ("mcp__docs__evil__*", "mcp__docs__evil__find", Some("docs"), false),
        ("mcp__my_srv__*", "mcp__my_srv__find", Some("my srv"), true),
        ("mcp__docs__find", "mcp__docs__find", Some("docs"), true),
        ("mcp__docs__find", "mcp__docs__find__x", Some("docs__find"), false),
        ("mcp__docs", "mcp__docs__find", Some("docs"), false),
        ("mcp__*", "mcp__docs__find", Some("docs"), true),
        ("mcp__do*", "mcp__docs__find", Some("docs"), true),
        ("mcp__do*", "mcp__mail__find", Some("mail"), false),
        ("*", "mcp__docs__find", Some("docs"), true),
        ("m*", "mcp__docs__find", Some("docs"), false),
        ("mcp*", "mcp__docs__find", None, false),
        ("Write", "Write", Some("evil"), false),
        ("Wr*", "Write", Some("evil"), false),
        ("Wr*", "Write", None, true),
    ] {
        assert_eq!(allows(pattern, tool, server).await, expected, "{pattern} {tool} {server:?}");
    }
    let mut asked = question("Read");
    asked["mcp_server"] = json!({"name": "evil"});
    assert_eq!(answer(&policy::read_only(), asked).await.unwrap()["behavior"], "deny");
}

/// A denial may match too much, and never too little.
#[tokio::test]
async fn denials_reach_all_tools_of_a_server() {
    let handler = policy::deny(["mcp__docs__*", "mcp__mail", "mcp__my srv__do.it"], "listed");
    for (tool, server) in [
        ("mcp__docs__find", Some("docs")),
        ("mcp__docs__evil__find", Some("docs__evil")),
        ("mcp__docs___find", None),
        ("mcp__mail__send", Some("mail")),
        ("mcp__mail__evil__send", Some("mail__evil")),
        ("send", Some("mail")),
        ("send", Some("Mail")),
        ("do.it", Some("my srv")),
        ("do_it", Some("my_srv")),
        ("mcp__my_srv__do_it", None),
    ] {
        let mut asked = question(tool);
        if let Some(server) = server {
            asked["mcp_server"] = json!({"name": server});
        }
        let answer = answer(&handler, asked).await.unwrap();
        assert_eq!(answer["message"], "listed", "{tool} {server:?}");
    }
}

#[tokio::test]
async fn deny_lists_are_generous() {
    let names =
        ["write", "Task", "KillShell", "mcp__mail", "mcp__docs__del*", "Bash(rm:*)", "WebFetch(", "Edit()"];
    let handler = policy::deny(names, "listed");
    let denied =
        ["Write", "Agent", "TaskStop", "mcp__mail__send", "mcp__docs__delete", "Bash", "WebFetch", "Edit"];
    assert_eq!(sorted(&handler, &denied).await, (vec![], denied.to_vec()));
    let open = ["Read", "Writer", "mcp__mailbox__send", "mcp__docs__find", "TaskOutput", "MultiEdit"];
    assert_eq!(sorted(&handler, &open).await, (vec![], vec![]));
}

#[tokio::test]
async fn star_within_a_name_denies_all_names_that_begin_like_the_text_before_it() {
    let handler = policy::deny(["mcp__srv__*delete", "mcp__my*__wipe"], "listed").or(policy::allow(["*"]));
    let denied = ["mcp__srv__delete", "mcp__srv__find", "mcp__mysql__wipe", "mcp__mysql__read"];
    assert_eq!(sorted(&handler, &denied).await, (vec![], denied.to_vec()));
    let allowed = ["mcp__other__delete", "Bash"];
    assert_eq!(sorted(&handler, &allowed).await, (allowed.to_vec(), vec![]));
}

#[tokio::test]
async fn denied_path_covers_all_tools_for_files() {
    let denied = ["Edit", "Write", "NotebookEdit"];
    let handler = policy::deny(["Edit(//secret/**)"], "listed");
    assert_eq!(sorted(&handler, &denied).await, (vec![], denied.to_vec()));
    assert_eq!(sorted(&handler, &["Read", "Bash"]).await, (vec![], vec![]));
    let denied = ["Read", "Glob", "Grep"];
    let handler = policy::deny(["Read(//secret/**)"], "listed");
    assert_eq!(sorted(&handler, &denied).await, (vec![], denied.to_vec()));
}

/// Old CLIs use older tool names, and users write server names before normalization.
#[tokio::test]
async fn deny_lists_match_older_and_normalized_names() {
    let handler = policy::deny(
        ["Agent", "Task", "mcp__my server", "MCP__do.it__x.y", "mcp__mail__", "mcp__a\u{130}"],
        "listed",
    );
    let denied =
        ["Task", "Agent", "mcp__my_server__send", "mcp__do_it__x_y", "mcp__mail__send", "mcp__a___send"];
    assert_eq!(sorted(&handler, &denied).await, (vec![], denied.to_vec()));
    assert_eq!(sorted(&handler, &["mcp__do_it__z", "mcp__mailbox__send"]).await, (vec![], vec![]));
}

#[tokio::test]
async fn only_tools_that_read_files_are_read_only() {
    let tools =
        ["Read", "Glob", "Grep", "Bash", "Write", "WebFetch", "WebSearch", "Agent", "mcp__docs__read", "New"];
    assert_eq!(sorted(&policy::read_only(), &tools).await, (vec!["Read", "Glob", "Grep"], vec![]));
}

#[tokio::test]
async fn a_question_for_a_person_is_allowed_by_no_list() {
    let everything = policy::read_only().or(policy::allow(["*"]));
    assert_eq!(answer(&everything, question("Read")).await.unwrap()["behavior"], "allow");
    for (field, value) in [
        ("requires_user_interaction", json!(true)),
        ("matched_ask_rule", json!({"source": "flagSettings", "tool_name": "Read"})),
        ("decision_reason_type", json!("safetyCheck")),
    ] {
        let mut asked = question("Read");
        asked[field] = value;
        assert_eq!(answer(&everything, asked).await.unwrap()["behavior"], "deny", "{field}");
    }
}

/// The auditor's reports as text.
type Reports = Arc<Mutex<Vec<String>>>;

fn audited(handler: PermissionHandler) -> (PermissionHandler, Reports) {
    let reports = Reports::default();
    let book = Arc::clone(&reports);
    let audited = handler.audited(move |audit| {
        assert!(audit.took < Duration::from_secs(10));
        let outcome = match audit.outcome {
            AuditOutcome::Decided(decision) => decision.kind().to_owned(),
            AuditOutcome::Failed(reason) => reason.to_owned(),
            other => format!("{other:?}"),
        };
        book.lock().unwrap().push(format!("{}: {outcome}", audit.request.tool_name));
    });
    (audited, reports)
}

#[tokio::test]
async fn the_auditor_sees_every_outcome() {
    let handler = PermissionHandler::new(async |request, _| match &*request.tool_name {
        "Read" => Ok(Some(Decision::allow())),
        "Write" => Ok(Some(Decision::deny("no"))),
        "Bash" => Err("broken"),
        "Edit" => panic!("boom"),
        _ => Ok(None),
    });
    let (handler, reports) = audited(handler);
    for tool in ["Read", "Write", "Bash", "Edit", "Glob"] {
        let _: Result<Value, String> = answer(&handler, question(tool)).await;
    }
    let expected = [
        "Read: allow",
        "Write: deny",
        "Bash: the permission handler failed: broken",
        "Edit: the permission handler panicked: boom",
        "Glob: LeftOpen",
    ];
    assert_eq!(*reports.lock().unwrap(), expected);
}

/// A decision or a failure after the cancellation decides nothing.
#[tokio::test]
async fn the_auditor_sees_a_cancelled_question() {
    for answer in ["none", "failure", "decision", "deaf"] {
        let began = Arc::new(Notify::new());
        let (sender, mut reports) = mpsc::unbounded_channel::<String>();
        let begin = Arc::clone(&began);
        let handler = PermissionHandler::new(move |_, cx| {
            begin.notify_one();
            async move {
                if answer != "deaf" {
                    cx.cancelled.cancelled().await;
                }
                match answer {
                    "none" | "deaf" => std::future::pending().await,
                    "failure" => Err("the question was cancelled"),
                    _ => Ok(Decision::allow()),
                }
            }
        });
        let handler = handler.audited(move |audit| {
            assert!(audit.took < Duration::from_secs(4), "not after the handler's grace period");
            sender.send(format!("{:?}", audit.outcome)).unwrap();
        });
        let cli = Cli::start(handler).await;
        cli.ask("q", question("Bash")).await;
        within(began.notified()).await;
        cli.cancel("q").await;
        assert_eq!(within(reports.recv()).await.as_deref(), Some("Cancelled"), "{answer}");
        assert_eq!(cli.end().await, [] as [Value; 0]);
    }
}

#[tokio::test]
async fn the_auditors_panic_changes_nothing() {
    for (decision, expected) in [(Decision::allow(), "allow"), (Decision::deny("no"), "deny")] {
        let handler = PermissionHandler::new(move |_, _| std::future::ready(decision.clone()));
        let handler = handler.audited(|_| panic!("the log is full"));
        assert_eq!(answer(&handler, question("Bash")).await.unwrap()["behavior"], expected);
    }
}
