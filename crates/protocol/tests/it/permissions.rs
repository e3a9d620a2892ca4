//! The text form of rules, permission updates, and the permission requests of questions and plans.

use agentwire_protocol::{
    PermissionMode, RawJson,
    control::CanUseTool,
    permission::{
        Answer, Choice, Decision, PermissionUpdate, Plan, Questions, Rule, RuleBehavior, RuleError,
        Unanswered, UpdateDestination,
    },
};
use proptest::prelude::*;
use serde_json::{Value, json};

fn asked(tool: &str, input: Value) -> CanUseTool {
    serde_json::from_value(json!({"tool_name": tool, "input": input, "tool_use_id": "t"})).unwrap()
}

fn sent(decision: impl Into<Decision>) -> Value {
    serde_json::to_value(decision.into()).unwrap()
}

/// As CLI 2.1.330 writes them into a settings file.
#[test]
fn rule_is_written_as_the_cli_writes_it() {
    for (content, text) in [
        ("git push:*", "Bash(git push:*)"),
        ("echo (x)", r"Bash(echo \(x\))"),
        (r"echo \(x\)", r"Bash(echo \\\(x\\\))"),
        (r"a\b", r"Bash(a\\b)"),
        (r"a\\b", r"Bash(a\\\\b)"),
        (r"tail\", r"Bash(tail\\)"),
        ("x)", r"Bash(x\))"),
        ("(", r"Bash(\()"),
        (" x ", "Bash( x )"),
        ("a, b é", "Bash(a, b é)"),
    ] {
        let rule = Rule::new("Bash", Some(content.to_owned()));
        assert_eq!(rule.to_string(), text);
        assert_eq!(text.parse(), Ok(rule));
    }
    for whole in ["Read", "mcp__srv__tool", "mcp__srv", "mcp__srv__*"] {
        assert_eq!(Rule::new(whole, None).to_string(), whole);
        assert_eq!(whole.parse(), Ok(Rule::new(whole, None)));
    }
}

/// As CLI 2.1.330 lists rules from its settings.
#[test]
fn rule_is_read_as_the_cli_reads_it() {
    for (text, content) in [
        ("Bash(a(b)c)", Some("a(b)c")),
        ("Bash(x)(y)", Some("x)(y")),
        ("Bash(a))", Some("a)")),
        (r"Bash(a\b)", Some(r"a\b")),
        (r"Bash(a\\\)b)", Some(r"a\)b")),
        ("Bash(*)", None),
        ("Bash()", None),
    ] {
        assert_eq!(text.parse(), Ok(Rule::new("Bash", content.map(str::to_owned))), "{text}");
    }
    for text in ["Bash(a", "Bash a)", "Bash(a)b", r"Bash(a\)", r"Bash(a\", ")(", ")()", "a)b(c)"] {
        assert_eq!(text.parse::<Rule>(), Err(RuleError::Parentheses), "{text}");
    }
    for text in ["", "(x)", " Bash ", "Bash Write"] {
        assert_eq!(text.parse::<Rule>(), Err(RuleError::Tool), "{text}");
    }
    assert!(Rule::new("Bash", Some("*".to_owned())).is_whole());
    assert!(!Rule::new("Bash", Some("ls".to_owned())).is_whole());
}

proptest! {
    #[test]
    fn every_content_comes_back(content in r"[a-z()\\ :,é]|[a-z()\\* :,é]{2,12}") {
        let rule = Rule::new("Bash", Some(content));
        prop_assert_eq!(rule.to_string().parse(), Ok(rule));
    }

    #[test]
    fn any_text_is_a_rule_or_none(text in r"[Ab()\\* ]{0,10}") {
        if let Ok(rule) = text.parse::<Rule>() {
            prop_assert_eq!(rule.to_string().parse(), Ok(rule));
        }
    }
}

#[test]
fn updates_apply_to_the_session_by_default() {
    let rules = || [Rule::new("Read", None)];
    let of = |update: PermissionUpdate| serde_json::to_value(update).unwrap();
    let ruled = |kind: &str| json!({"type": kind, "rules": [{"toolName": "Read"}], "behavior": "ask", "destination": "session"});
    assert_eq!(of(PermissionUpdate::add_rules(RuleBehavior::Ask, rules())), ruled("addRules"));
    assert_eq!(of(PermissionUpdate::replace_rules(RuleBehavior::Ask, rules())), ruled("replaceRules"));
    assert_eq!(of(PermissionUpdate::remove_rules(RuleBehavior::Ask, rules())), ruled("removeRules"));
    let mode = PermissionUpdate::set_mode(PermissionMode::Plan).kept_in(UpdateDestination::UserSettings);
    assert_eq!(of(mode), json!({"type": "setMode", "mode": "plan", "destination": "userSettings"}));
    let folders = |kind: &str| json!({"type": kind, "directories": ["/a"], "destination": "session"});
    assert_eq!(of(PermissionUpdate::add_directories(["/a"])), folders("addDirectories"));
    assert_eq!(of(PermissionUpdate::remove_directories(["/a"])), folders("removeDirectories"));
    let unknown: PermissionUpdate =
        serde_json::from_value(json!({"type": "later", "destination": 1})).unwrap();
    assert_eq!(unknown.clone().kept_in(UpdateDestination::Session), unknown);
}

fn questions() -> Value {
    json!({
        "questions": [
            {"question": "Which tree?", "header": "Tree", "multiSelect": false, "options": [
                {"label": "Oak", "description": "Hard.", "preview": "# Oak"}, {"label": "Lime", "description": "Soft."},
            ]},
            {"question": "Which tools?", "header": "Tools", "multiSelect": true, "options": [
                {"label": "Saw", "description": "s"}, {"label": "Axe", "description": "a", "preview": "axe"},
            ]},
        ],
        "later": 1.10,
    })
}

#[test]
fn several_labels_are_joined_as_the_cli_joins_them() {
    let text = |labels: &[&str]| {
        let choices: Vec<Choice> =
            labels.iter().map(|label| serde_json::from_value(json!({"label": label})).unwrap()).collect();
        Answer::choices(&choices).text
    };
    assert_eq!(text(&["Saw, axe"]), "Saw, axe");
    let several = text(&["Saw, axe", "Nail", r#"the "é""#, "x,y"]);
    assert_eq!(several, r#""Saw, axe", Nail, "the \"é\"", x,y"#);
}

#[test]
fn answers_are_sent_with_the_original_input() {
    let mut asked = Questions::asked_by(&asked("AskUserQuestion", questions())).unwrap().unwrap();
    let mut expected = questions();
    expected["answers"] = json!({});
    assert_eq!(sent(asked.allow()), json!({"behavior": "allow", "updatedInput": expected}));

    let [tree, tools] = &mut asked.questions[..] else { panic!("two were asked") };
    assert!(!tree.multi_select && tools.multi_select);
    tree.answer = Some(Answer::choices([&tree.options[0]]).notes("by the lake"));
    tools.answer = Some(Answer::choices(&tools.options));
    expected["answers"] = json!({"Which tree?": "Oak", "Which tools?": "Saw, Axe"});
    expected["annotations"] = json!({"Which tree?": {"preview": "# Oak", "notes": "by the lake"}});
    assert_eq!(sent(asked.allow()), json!({"behavior": "allow", "updatedInput": expected}));

    asked.questions[0].answer = Some(Answer::text("a willow"));
    asked.questions[1].answer = None;
    expected["answers"] = json!({"Which tree?": "a willow"});
    expected.as_object_mut().unwrap().remove("annotations");
    assert_eq!(sent(asked.allow()), json!({"behavior": "allow", "updatedInput": expected}));

    asked.questions[0].answer = Some(Answer::unanswered(Unanswered::Skipped, "No tree today."));
    asked.questions[1].answer = Some(Answer::unanswered(Unanswered::RepliedInChat, "").notes("a bush"));
    expected["answers"] = json!({"Which tree?": "No tree today.", "Which tools?": ""});
    expected["annotations"] = json!({
        "Which tree?": {"unanswered": "skipped"},
        "Which tools?": {"notes": "a bush", "unanswered": "replied_in_chat"},
    });
    assert_eq!(sent(asked.allow()), json!({"behavior": "allow", "updatedInput": expected}));

    expected.as_object_mut().unwrap().remove("annotations");
    expected["answers"] = json!({});
    expected["response"] = json!("A bush.");
    assert_eq!(sent(asked.respond("A bush.")), json!({"behavior": "allow", "updatedInput": expected}));
}

#[test]
fn plan_is_approved_unchanged_or_changed() {
    let input = json!({"plan": "1. Go.", "planFilePath": "/plans/a.md", "later": 1});
    let plan = Plan::presented_by(&asked("ExitPlanMode", input.clone())).unwrap().unwrap();
    assert_eq!((plan.plan.as_deref(), plan.file.as_deref()), (Some("1. Go."), Some("/plans/a.md")));
    assert_eq!(sent(plan.approve()), json!({"behavior": "allow", "updatedInput": input}));
    let mut changed = input;
    changed["plan"] = json!("2. Stay.");
    assert_eq!(sent(plan.approve_changed("2. Stay.")), json!({"behavior": "allow", "updatedInput": changed}));
    let none = Plan::presented_by(&asked("ExitPlanMode", json!({}))).unwrap().unwrap();
    assert_eq!((none.plan.clone(), sent(none.approve())["updatedInput"].clone()), (None, json!({})));
    let updates = [PermissionUpdate::set_mode(PermissionMode::AcceptEdits)];
    assert_eq!(sent(plan.approve().updates(updates))["updatedPermissions"][0]["mode"], "acceptEdits");
}

#[test]
fn other_tools_have_no_questions_and_odd_input_is_an_error() {
    let other = asked("Bash", json!({"command": "ls"}));
    assert_eq!(Questions::asked_by(&other), Ok(None));
    assert_eq!(Plan::presented_by(&other), Ok(None));
    for input in [json!({}), json!([]), json!({"questions": [{"header": "no text"}]})] {
        assert!(Questions::asked_by(&asked("AskUserQuestion", input.clone())).is_err(), "{input}");
    }
    assert!(Plan::presented_by(&asked("ExitPlanMode", json!({"plan": 5}))).is_err());
    let sparse = json!({"questions": [{"question": "Why?"}]});
    let sparse = Questions::asked_by(&asked("AskUserQuestion", sparse)).unwrap().unwrap();
    assert!(sparse.questions[0].options.is_empty());
}

/// Each of these occurred in a request for which the CLI required a person.
#[test]
fn requests_for_a_person_are_recognised() {
    let with = |field: Value| {
        let mut request = json!({"tool_name": "Bash", "input": {}, "tool_use_id": "t"});
        request.as_object_mut().unwrap().extend(field.as_object().unwrap().clone());
        serde_json::from_value::<CanUseTool>(request).unwrap().wants_a_person()
    };
    for field in [
        json!({"requires_user_interaction": true}),
        json!({"matched_ask_rule": {"source": "flagSettings", "tool_name": "Bash"}}),
        json!({"default_to_no": true}),
        json!({"classifier_approvable": false}),
        json!({"decision_reason_type": "rule"}),
        json!({"decision_reason_type": "hook"}),
        json!({"decision_reason_type": "safetyCheck"}),
    ] {
        assert!(with(field.clone()), "{field}");
    }
    let free = [json!({}), json!({"default_to_no": false}), json!({"decision_reason_type": "workingDir"})];
    assert!(free.into_iter().all(|field| !with(field)));
}

#[test]
fn allow_always_applies_all_suggestions() {
    let suggestions = r#"[{"type":"addRules","rules":[{"toolName":"Bash"}],"behavior":"allow","destination":"session"},{"type":"later","x":1.10}]"#;
    let mut request = asked("Bash", json!({}));
    assert_eq!(request.allow_always(), None);
    request.permission_suggestions = RawJson::parse(suggestions).unwrap().decode().unwrap();
    let always = sent(request.allow_always().unwrap());
    assert_eq!(always["updatedPermissions"], serde_json::from_str::<Value>(suggestions).unwrap());
    assert_eq!(always["decisionClassification"], "user_permanent");
    request.suppress_always_allow_rule = Some(true);
    assert_eq!(request.allow_always(), None);
}
