//! The dialog without a terminal.

use std::{collections::VecDeque, io};

use agentwire_protocol::control::CanUseTool;
use serde_json::{Value, json};

use super::prompt::{self, Dialog};

/// Lines that are typed ahead, and the text that was shown.
struct Typed {
    lines: VecDeque<String>,
    shown: String,
}

impl Dialog for Typed {
    async fn read(&mut self) -> Option<String> {
        self.lines.pop_front()
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        self.shown.push_str(text);
        Ok(())
    }
}

/// Returns the decision and the text that was shown.
fn typed(request: Value, lines: &str) -> (Value, String) {
    let request: CanUseTool = serde_json::from_value(request).unwrap();
    let mut dialog = Typed { lines: lines.lines().map(str::to_owned).collect(), shown: String::new() };
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let decision = runtime.block_on(prompt::ask(&request, &mut dialog)).unwrap();
    (serde_json::to_value(decision).unwrap(), dialog.shown)
}

fn bash() -> Value {
    json!({
        "tool_name": "Bash", "display_name": "Shell", "input": {"command": "git push"}, "tool_use_id": "t",
        "description": "Push\u{1b}[2J", "agent_id": "a1", "permission_suggestions": [
            {"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "f(x)"}], "behavior": "allow", "destination": "session"},
            {"type": "setMode", "mode": "acceptEdits", "destination": "session"},
        ],
    })
}

#[test]
fn each_answer_comes_to_a_decision() {
    let allow = json!({"behavior": "allow"});
    let deny = |message: &str| json!({"behavior": "deny", "message": message});
    for (lines, expected) in [
        ("y\n", allow.clone()),
        ("\n  yes  \n", allow.clone()),
        ("Y\n", allow.clone()),
        ("YES\n", allow),
        ("n\n", deny("the user does not want this")),
        ("No\n", deny("the user does not want this")),
        ("Use a branch\n", deny("Use a branch")),
        ("edit\n{\"command\": \"ls\"}\n", json!({"behavior": "allow", "updatedInput": {"command": "ls"}})),
        ("edit\nls\nn\n", deny("the user does not want this")),
        ("", deny("nobody is there to answer")),
        ("edit\n", deny("nobody is there to answer")),
    ] {
        assert_eq!(typed(bash(), lines).0, expected, "{lines:?}");
    }
    let (_, shown) = typed(bash(), "");
    assert!(shown.ends_with("\n[y, n, always, edit, or a reason to deny] (nobody is there to answer)\n"));
    for line in ["always\n", "A\n"] {
        assert_eq!(typed(bash(), line).0["updatedPermissions"], bash()["permission_suggestions"]);
    }
}

#[test]
fn request_is_shown_without_control_characters() {
    let (_, shown) = typed(bash(), "n\n");
    let shows = [
        "May Shell be used?",
        "subagent a1",
        "Push",
        r#"{"command":"git push"}"#,
        r"allow Bash(f\(x\))",
        "acceptEdits",
    ];
    assert!(shows.iter().all(|text| shown.contains(text)), "{shown}");
    assert!(!shown.contains('\u{1b}'), "{shown:?}");
    let mut titled = bash();
    titled["title"] = json!("Claude wants to push");
    assert!(typed(titled, "n\n").1.contains("Claude wants to push"));
}

#[test]
fn no_text_of_a_request_hides_or_reorders_others() {
    const HIDDEN: [char; 10] = [
        '\u{1b}',
        '\u{ad}',
        '\u{61c}',
        '\u{200b}',
        '\u{200f}',
        '\u{202e}',
        '\u{2060}',
        '\u{2066}',
        '\u{feff}',
        '\u{e0100}',
    ];
    const ODD: &str = "\u{1b}[2J\u{ad}\u{61c}\u{200b}\u{200f}\u{202e}\u{2060}\u{2066}\u{feff}\u{e0100}";
    let option = json!({"label": ODD, "description": ODD, "preview": ODD});
    let question = json!({"question": ODD, "header": "h", "multiSelect": false, "options": [option]});
    let folders = json!({"type": "addDirectories", "directories": [ODD], "destination": "session"});
    for (tool, input) in [
        (ODD, json!({"command": ODD})),
        ("Edit", json!({"file_path": ODD, "old_string": ODD, "new_string": ""})),
        ("ExitPlanMode", json!({"plan": ODD})),
        ("AskUserQuestion", json!({"questions": [question]})),
    ] {
        let request = json!({
            "tool_name": tool, "tool_use_id": "t", "input": input, "title": ODD, "description": ODD,
            "decision_reason": ODD, "agent_id": ODD, "mcp_server": {"name": ODD},
            "permission_suggestions": [folders],
        });
        let (_, shown) = typed(request, "n\n");
        assert!(shown.contains('\u{fffd}'), "{tool:?}: {shown:?}");
        assert!(!shown.contains(HIDDEN), "{tool:?}: {shown:?}");
    }
}

#[test]
fn always_is_refused_and_y_is_not_enough_if_the_request_forbids_it() {
    let mut once = bash();
    once["suppress_always_allow_rule"] = json!(true);
    let (decision, shown) = typed(once, "always\nn\n");
    assert_eq!(decision["behavior"], "deny");
    assert!(shown.contains("can't be remembered") && !shown.contains("acceptEdits"), "{shown}");
    let mut careful = bash();
    careful["default_to_no"] = json!(true);
    assert_eq!(typed(careful.clone(), "y\n").0["behavior"], "deny");
    assert_eq!(typed(careful.clone(), "A\n").0["behavior"], "deny");
    assert_eq!(typed(careful, "yes\n").0["behavior"], "allow");
}

#[test]
fn questions_are_answered_by_number_or_in_words() {
    let option =
        |label: &str| json!({"label": label, "description": "d", "preview": format!("like {label}")});
    let question = |text: &str, several: bool| json!({"question": text, "header": "h", "multiSelect": several, "options": [option("Oak"), option("Lime")]});
    let request = json!({
        "tool_name": "AskUserQuestion", "tool_use_id": "t", "requires_user_interaction": true,
        "input": {"questions": [question("One?", false), question("Some?", true), question("Own?", false)]},
    });
    let (decision, shown) = typed(request.clone(), "2\n1, 2\n3\n");
    assert!(shown.contains("1. Oak: d") && shown.contains("like Lime"), "{shown}");
    let answers = &decision["updatedInput"]["answers"];
    assert_eq!(*answers, json!({"One?": "Lime", "Some?": "Oak, Lime", "Own?": "3"}));
    assert_eq!(decision["updatedInput"]["annotations"], json!({"One?": {"preview": "like Lime"}}));
    let (decision, _) = typed(request.clone(), "1,2\n\n\n");
    assert_eq!(decision["updatedInput"]["answers"], json!({"One?": "1,2"}));
    assert_eq!(typed(request, "1\n2\n").0["behavior"], "deny");
}

#[test]
fn a_plan_is_approved_or_sent_back() {
    let plan = json!({"tool_name": "ExitPlanMode", "tool_use_id": "t", "input": {"plan": "1. Go."}});
    for line in ["y\n", "Yes\n"] {
        let (approved, shown) = typed(plan.clone(), line);
        assert_eq!(approved, json!({"behavior": "allow", "updatedInput": {"plan": "1. Go."}}));
        assert!(shown.contains("1. Go."), "{shown}");
    }
    assert_eq!(typed(plan.clone(), "edits\n").0["updatedPermissions"][0]["mode"], "acceptEdits");
    assert_eq!(typed(plan.clone(), "\nStay\n").0, json!({"behavior": "deny", "message": "Stay"}));
    assert_eq!(typed(plan, "").0["behavior"], "deny");
}

#[test]
fn an_edit_is_shown_as_its_changes() {
    let edit = json!({"tool_name": "Edit", "tool_use_id": "t", "input": {
        "file_path": "/a.rs", "old_string": "fn a() {\n    1\n}", "new_string": "fn a() {\n    2\n    3\n}", "replace_all": true}});
    let (_, shown) = typed(edit, "y\n");
    let changes = "  /a.rs (all occurrences)\n    fn a() {\n  -     1\n  +     2\n  +     3\n    }\n";
    assert!(shown.contains(changes), "{shown}");
    let write = json!({"tool_name": "Write", "tool_use_id": "t", "input": {"file_path": "/b", "content": "x\n".repeat(300)}});
    let (_, shown) = typed(write, "y\n");
    assert!(shown.contains("  /b\n  + x\n  + x\n") && shown.contains("… and 101 lines more"), "{shown}");
    let (old, new) = ("x\n".repeat(260) + "safe\n", "x\n".repeat(260) + "unsafe\n");
    let last = json!({"tool_name": "Edit", "tool_use_id": "t", "input": {"file_path": "/c", "old_string": old, "new_string": new}});
    let (_, shown) = typed(last, "y\n");
    assert!(shown.contains("  /c\n    x\n    x\n    x\n  - safe\n  + unsafe\n"), "{shown}");
    let odd = json!({"tool_name": "Edit", "tool_use_id": "t", "input": {"file_path": 1}});
    assert!(typed(odd, "y\n").1.contains(r#"input: {"file_path":1}"#));
}

#[test]
fn equal_lines_at_both_ends_are_counted_once() {
    let edit = json!({"tool_name": "Edit", "tool_use_id": "t", "input": {
        "file_path": "/a", "old_string": "x\nx", "new_string": "x\nx\nx"}});
    assert!(typed(edit, "y\n").1.contains("  /a\n    x\n    x\n  + x\n"));
}
