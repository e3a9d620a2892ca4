//! What the model asks a person: questions, and the approval of a plan.

use agentwire::{
    Decision, Options, PermissionMode, PreviewFormat, ToolConfig,
    hooks::{PermissionHandler, policy},
    protocol::{
        control::CanUseTool,
        permission::{Answer, PermissionUpdate, Plan, Questions, Unanswered},
    },
};
use serde_json::{Value, json};

use super::{Game, Played, uses};

fn questions() -> Value {
    json!({"questions": [
        {"question": "Which tree?", "header": "Tree", "multiSelect": false, "options": [
            {"label": "Oak", "description": "Hard.", "preview": "<b>oak</b>"},
            {"label": "Lime", "description": "Soft.", "preview": "<b>lime</b>"},
        ]},
        {"question": "Which tools?", "header": "Tools", "multiSelect": true, "options": [
            {"label": "Saw", "description": "s"}, {"label": "Axe", "description": "a"},
            {"label": "Rope", "description": "r"},
        ]},
    ]})
}

/// Returns a model that asks, and continues only if its next request contains these words.
fn asks(marker: &str) -> Value {
    json!({
        "replies": [{"blocks": [{"tool_use": {"name": "AskUserQuestion", "input": questions()}}]}],
        "match": [{"marker": marker, "in": "last", "replies": [{"blocks": [{"text": "I have heard it."}]}]}],
    })
}

/// Fills in the answers to a question.
async fn answered(
    options: Options,
    marker: &str,
    fill: impl Fn(&mut Questions) -> Decision + Send + Sync + 'static,
) -> Played {
    let handler = PermissionHandler::new(move |request: CanUseTool, _| {
        std::future::ready(Questions::asked_by(&request).map(|asked| asked.map(|mut asked| fill(&mut asked))))
    });
    let played = Game::new(handler).options(options).play(asks(marker)).await;
    assert_eq!(played.asked(), ["AskUserQuestion"]);
    assert!(played.asked[0].requires_user_interaction);
    assert_eq!(played.turns[0].result.as_deref(), Some("I have heard it."), "{:?}", played.results);
    played
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn model_receives_the_answers() {
    let played = answered(Options::new(), "Saw, Rope", |asked| {
        let [tree, tools] = &mut asked.questions[..] else { return Decision::deny("two were to come") };
        tree.answer = Some(Answer::text("Lime"));
        tools.answer = Some(Answer::choices([&tools.options[0], &tools.options[2]]));
        asked.allow().into()
    })
    .await;
    assert!(
        played.result_text().contains(r#""Which tree?"="Lime", "Which tools?"="Saw, Rope""#),
        "{}",
        played.result_text()
    );
    let played = answered(Options::new(), "a willow", |asked| {
        asked.questions[0].answer = Some(Answer::text("a willow"));
        asked.allow().into()
    })
    .await;
    assert!(!played.result_text().contains("Which tools?"), "{}", played.result_text());
    answered(Options::new(), "Plant a bush.", |asked| asked.respond("Plant a bush.").into()).await;
    answered(Options::new(), "did not answer", |asked| asked.allow().into()).await;
    answered(Options::new(), "not now", |_| Decision::deny("not now")).await;
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn model_receives_notes_and_the_chosen_preview() {
    let html = Options::new().tool_config(ToolConfig::preview_format(PreviewFormat::Html));
    let played = answered(html, "by the lake", |asked| {
        let tree = &mut asked.questions[0];
        tree.answer = Some(Answer::choices([&tree.options[0]]).notes("by the lake"));
        asked.allow().into()
    })
    .await;
    assert!(played.result_text().contains("<b>oak</b>"), "{}", played.result_text());
    assert_eq!(played.details[0]["annotations"]["Which tree?"]["notes"], "by the lake");
}

/// The texts do not contain the names of the kinds, so a name in the model's result comes from the annotation.
#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn kind_of_a_missing_answer_is_only_in_the_details() {
    for kind in [Unanswered::Skipped, Unanswered::RepliedInChat, Unanswered::Dismissed] {
        let name = kind.to_string();
        let played = answered(Options::new(), "no tree today", move |asked| {
            let [tree, tools] = &mut asked.questions[..] else { return Decision::deny("two were to come") };
            tree.answer = Some(Answer::unanswered(kind.clone(), "no tree today"));
            tools.answer = Some(Answer::choices([&tools.options[0]]));
            asked.allow().into()
        })
        .await;
        assert!(!played.result_text().contains(&name), "{}", played.result_text());
        assert_eq!(played.details[0]["answers"]["Which tree?"], "no tree today");
        assert_eq!(played.details[0]["annotations"], json!({"Which tree?": {"unanswered": name}}));
    }
}

/// With a rule that allows the tool the CLI still asks; in the mode `dontAsk` it does not.
#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn questions_for_a_person_are_asked_despite_allow_rules() {
    let allowed = || Options::new().allowed_tools([Questions::TOOL]).env("IS_SANDBOX", "1");
    for mode in [PermissionMode::Default, PermissionMode::BypassPermissions] {
        answered(allowed().permission_mode(mode), "not now", |_| Decision::deny("not now")).await;
    }
    // No list answers in a person's place.
    let played = Game::new(policy::allow(["*"])).play(asks("nothing here permits")).await;
    assert_eq!((played.asked().len(), played.results[0].0), (1, true));
    let never = PermissionHandler::new(async |_, _| Decision::allow());
    let dont_ask = allowed().permission_mode(PermissionMode::DontAsk);
    let played = Game::new(never).options(dont_ask).play(asks("don't ask mode")).await;
    assert_eq!((played.asked().len(), played.results[0].0), (0, true));
}

/// Plans, and then writes a file.
async fn planned(decide: fn(&Plan) -> Decision) -> Played {
    let handler = PermissionHandler::new(move |request: CanUseTool, _| {
        std::future::ready(Plan::presented_by(&request).map(|plan| plan.map(|plan| decide(&plan))))
    });
    let write = json!({"file_path": "b.txt", "content": "b"});
    let script = uses([("ExitPlanMode", json!({})), ("Write", write)]);
    Game::new(handler).options(Options::new().permission_mode(PermissionMode::Plan)).play(script).await
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn plan_is_approved_or_rejected() {
    let approved = planned(|plan| plan.approve().into()).await;
    assert!(approved.results[0].1.contains("approved"), "{:?}", approved.results);
    assert!(approved.details[0].get("planWasEdited").is_none(), "{:?}", approved.details);
    // The mode is `default` again, so the CLI asks before writing; this handler does not answer.
    assert_eq!((approved.asked(), approved.exists("project/b.txt")), (vec!["ExitPlanMode", "Write"], false));

    let edits_pass = planned(|plan| {
        plan.approve().updates([PermissionUpdate::set_mode(PermissionMode::AcceptEdits)]).into()
    })
    .await;
    assert_eq!((edits_pass.asked(), edits_pass.exists("project/b.txt")), (vec!["ExitPlanMode"], true));

    let changed = planned(|plan| plan.approve_changed("1. Nothing at all.").into()).await;
    assert!(changed.results[0].1.contains("1. Nothing at all."), "{:?}", changed.results);
    assert_eq!(changed.details[0]["planWasEdited"], true);

    let sent_back = planned(|_| Decision::deny("fewer files")).await;
    assert_eq!(sent_back.results[0], (true, "fewer files".to_owned()));
    assert!(!sent_back.exists("project/b.txt"));
}
