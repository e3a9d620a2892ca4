//! What each answer of the handler does.

use std::{fs, future::pending, os::unix::fs::symlink, time::Duration};

use agentwire::{
    Decision, Options, PermissionMode, RawJson, Session,
    hooks::{PermissionHandler, policy},
    protocol::{
        message::TerminalReason,
        permission::{Allow, PermissionUpdate, Rule, RuleBehavior, UpdateDestination},
    },
};
use serde_json::json;

use super::{
    super::{Place, place::turn},
    Game, reply, settings, shell, uses,
};

const TOUCH: &str = "touch b.txt";

fn allows() -> PermissionHandler {
    PermissionHandler::new(async |_, _| Decision::allow())
}

/// The command runs without these handlers, so it is they that prevent it.
#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn a_failing_handler_denies() {
    let played = Game::new(allows()).play(uses([shell(TOUCH)])).await;
    assert!(played.exists("project/b.txt"), "{:?}", played.results);
    let failing = [
        PermissionHandler::new(async |_, _| Err::<Decision, _>("no console")),
        PermissionHandler::new(async |_, _| -> Decision { panic!("boom") }),
        PermissionHandler::new(async |_, _| {
            tokio::time::timeout(Duration::from_millis(50), pending::<Decision>()).await
        }),
        PermissionHandler::new(async |_, _| None::<Decision>),
        policy::read_only(),
    ];
    for handler in failing {
        let played = Game::new(handler).play(uses([shell(TOUCH)])).await;
        assert!(!played.exists("project/b.txt"));
        assert_eq!(played.asked(), ["Bash"]);
        assert!(played.results[0].0, "{:?}", played.results);
        let result = &played.turns[0];
        assert_eq!((result.result.as_deref(), result.permission_denials.len()), (Some("Done."), 1));
    }
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn unchanged_input_is_no_change() {
    let edit = json!({"file_path": "a.txt", "old_string": "one", "new_string": "two"});
    let script = uses([("Read", json!({"file_path": "a.txt"})), ("Edit", edit)]);
    let played = Game::new(allows()).play(script).await;
    assert_eq!(fs::read_to_string(played.place.file("project/a.txt")).unwrap(), "two\n");
    assert_eq!(played.details[1]["userModified"], false, "{:?}", played.details);
    let asked = played.asked[0].input.as_str();
    assert!(asked.contains("\"old_string\":\"one\""), "{asked}");
}

/// The rules are checked before the question and not again after it.
#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn changed_input_runs_despite_deny_rules() {
    let denied = || Options::new().disallowed_tools(["Bash(mkdir:*)"]);
    let played = Game::new(allows()).options(denied()).play(uses([shell("mkdir made")])).await;
    assert!(played.asked.is_empty() && !played.exists("project/made"), "{:?}", played.results);
    let changes = PermissionHandler::new(async |_, _| {
        RawJson::encode(&shell("mkdir made").1).map(Decision::allow_with_input)
    });
    let played = Game::new(changes).options(denied()).play(uses([shell(TOUCH)])).await;
    assert!(played.exists("project/made") && !played.exists("project/b.txt"), "{:?}", played.results);
    // The changed input must fit the schema of the tool.
    let changes = PermissionHandler::new(async |_, _| {
        RawJson::parse(r#"{"nothing": 1}"#).map(Decision::allow_with_input)
    });
    let played = Game::new(changes).play(uses([shell(TOUCH)])).await;
    assert!(played.results[0].0 && played.result_text().contains("schema"), "{:?}", played.results);
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn interrupting_denial_ends_the_turn_of_the_agent_that_asked() {
    let interrupts = || PermissionHandler::new(async |_, _| Decision::deny_and_interrupt("of mine"));
    let played = Game::new(interrupts()).play(uses([shell(TOUCH)])).await;
    assert_eq!(played.turns[0].terminal_reason, Some(TerminalReason::AbortedTools));
    assert!(!played.result_text().contains("of mine"), "{}", played.result_text());
    let agent = json!({
        "description": "Touch", "subagent_type": "general-purpose", "prompt": "MARKER touch", "run_in_background": false,
    });
    let mut script = uses([("Task", agent)]);
    script["match"] = json!([{"marker": "MARKER", "replies": [reply(&shell(TOUCH))]}]);
    let played = Game::new(interrupts()).play(script).await;
    assert_eq!(played.turns[0].result.as_deref(), Some("Done."), "{:?}", played.results);
    assert!(!played.exists("project/b.txt"));
}

/// The rule is stored as `Display` writes it, and the CLI reads it back.
#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn rules_are_written_as_the_cli_writes_them() {
    let kept = ["echo (x)", r"a\b", "tail\\", "git push:*"]
        .map(|content| Rule::new("Bash", Some(content.to_owned())));
    let rules = kept.clone();
    let handler = PermissionHandler::new(move |_, _| {
        let update = PermissionUpdate::add_rules(RuleBehavior::Allow, rules.clone());
        std::future::ready(Allow::new().updates([update.kept_in(UpdateDestination::UserSettings)]))
    });
    let played = Game::new(handler).play(uses([shell(TOUCH)])).await;
    let stored = fs::read_to_string(played.place.file("home/.claude/settings.json")).unwrap();
    let stored: serde_json::Value = serde_json::from_str(&stored).unwrap();
    assert_eq!(stored["permissions"]["allow"], json!(kept.map(|rule| rule.to_string())));
}

/// Until the session ends: the second use passes, the CLI asks about another command, and nothing is stored.
#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn a_rule_of_the_session_answers_the_next_question() {
    let handler = PermissionHandler::new(async |_, _| {
        let rule: Rule = r"Bash(echo '\(x\)' > b.txt)".parse()?;
        let update = PermissionUpdate::add_rules(RuleBehavior::Allow, [rule]);
        let inside = PermissionUpdate::set_mode(PermissionMode::AcceptEdits);
        Ok::<_, agentwire::protocol::permission::RuleError>(Allow::new().updates([update, inside]))
    });
    let script = uses([shell("mkfifo p"), shell("echo '(x)' > b.txt"), shell("mkfifo q")]);
    let played = Game::new(handler).play(script).await;
    let commands: Vec<&str> = played.asked.iter().map(|request| request.input.as_str()).collect();
    assert!(commands.len() == 2 && commands[1].contains("mkfifo q"), "{commands:?}");
    assert_eq!(fs::read_to_string(played.place.file("project/b.txt")).unwrap(), "(x)\n");
    assert!(!played.exists("home/.claude/settings.json"));
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn folder_named_through_a_link_is_writable_by_that_name() {
    let write = ("Write", json!({"file_path": "${place}/link/b.txt", "content": "two\n"}));
    let place = Place::calling(&[write]).await;
    symlink(place.file("project"), place.file("link")).unwrap();
    let options = place.options().cwd(place.path("link")).permission_mode(PermissionMode::AcceptEdits);
    let result = turn(Session::builder().options(options), "Go.").await;
    assert!(place.file("project/b.txt").exists(), "{result:?}");
}

/// The CLI asks about `Task` as `Agent`, and a deny list knows both names.
#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn lists_match_the_names_in_questions() {
    let agent = json!({"description": "d", "subagent_type": "general-purpose", "prompt": "p"});
    let asks = Options::new().settings(settings(json!({"permissions": {"ask": ["Agent"]}})));
    let handler = policy::deny(["Task"], "no helpers here").or(policy::allow(["*"]));
    let played = Game::new(handler).options(asks).play(uses([("Task", agent)])).await;
    assert_eq!((played.asked(), played.result_text()), (vec!["Agent"], "no helpers here"));
    // A rule of the user's wants a person, so no list allows it.
    let asks = Options::new().settings(settings(json!({"permissions": {"ask": ["Bash"]}})));
    let played = Game::new(policy::allow(["Bash"])).options(asks).play(uses([shell(TOUCH)])).await;
    assert!(played.asked() == ["Bash"] && !played.exists("project/b.txt"), "{:?}", played.results);
    let played = Game::new(policy::allow(["Bash"])).play(uses([shell(TOUCH)])).await;
    assert!(played.exists("project/b.txt"), "{:?}", played.results);
}
