//! Permission requests: the options that the client shows, and the decision that each stands for. No I/O.

use agent_client_protocol::v1::schema::{
    PermissionOption, PermissionOptionKind, RequestPermissionOutcome, ToolCallStatus, ToolCallUpdate,
    ToolCallUpdateFields,
};
use agentwire::{
    Decision, PermissionMode,
    protocol::{
        control::CanUseTool,
        permission::{PermissionUpdate, Plan, Rule},
    },
};

use crate::{
    features::Features,
    mapping::{call_id, described, text, value},
};

/// An option, and the decision if the client selects it.
#[derive(Debug)]
pub(crate) struct Choice {
    pub(crate) option: PermissionOption,
    decision: Decision,
}

impl Choice {
    fn new(
        id: &str,
        name: impl Into<String>,
        kind: PermissionOptionKind,
        decision: impl Into<Decision>,
    ) -> Self {
        Self { option: PermissionOption::new(id.to_owned(), name, kind), decision: decision.into() }
    }
}

/// Returns the options for a request.
pub(crate) fn choices(request: &CanUseTool) -> Vec<Choice> {
    let mut choices = match Plan::presented_by(request) {
        Ok(Some(plan)) => plan_choices(&plan),
        _ => tool_choices(request),
    };
    // Clients may preselect the first option.
    if request.default_to_no == Some(true) {
        choices.rotate_right(1);
    }
    choices
}

fn tool_choices(request: &CanUseTool) -> Vec<Choice> {
    let mut choices = vec![Choice::new("allow", "Allow", PermissionOptionKind::AllowOnce, Decision::allow())];
    if let Some(always) = request.allow_always() {
        let name = always_name(&request.permission_suggestions);
        choices.push(Choice::new("allow_always", name, PermissionOptionKind::AllowAlways, always));
    }
    choices.push(Choice::new("reject", "Reject", PermissionOptionKind::RejectOnce, Decision::deny(REJECTED)));
    choices
}

fn plan_choices(plan: &Plan) -> Vec<Choice> {
    let then = |mode| plan.approve().updates([PermissionUpdate::set_mode(mode)]);
    vec![
        Choice::new(
            "allow_always",
            "Yes, and accept edits",
            PermissionOptionKind::AllowAlways,
            then(PermissionMode::AcceptEdits),
        ),
        Choice::new(
            "allow",
            "Yes, and ask before edits",
            PermissionOptionKind::AllowOnce,
            then(PermissionMode::Default),
        ),
        Choice::new(
            "reject",
            "No, continue to plan",
            PermissionOptionKind::RejectOnce,
            Decision::deny("The user wants to continue planning."),
        ),
    ]
}

/// Returns the decision that the client's answer stands for. Any other answer is a denial.
pub(crate) fn decision(choices: Vec<Choice>, outcome: &RequestPermissionOutcome) -> Decision {
    let RequestPermissionOutcome::Selected(selected) = outcome else {
        return Decision::deny_and_interrupt("The user cancelled the turn.");
    };
    let chosen = choices.into_iter().find(|choice| choice.option.option_id == selected.option_id);
    chosen.map_or_else(|| Decision::deny(REJECTED), |choice| choice.decision)
}

/// Returns the tool call that a request is about.
pub(crate) fn tool_call(request: &CanUseTool, features: &Features) -> ToolCallUpdate {
    let input = value(&request.input);
    // The client replaces the content of the call by this, so that a terminal is part of both.
    let terminal = features.shows_terminal(&request.tool_name).then_some(&request.tool_use_id);
    let shown = described(&request.tool_name, &input, terminal, &features.cwd);
    let mut content = shown.content;
    // A plan is a file, which the call's input alone does not contain.
    if let Ok(Some(Plan { plan: Some(plan), .. })) = Plan::presented_by(request) {
        content = vec![text(plan)];
    }
    content.extend(request.decision_reason.clone().map(text));
    let fields = ToolCallUpdateFields::new()
        .title(shown.title)
        .kind(shown.kind)
        .status(ToolCallStatus::Pending)
        .content(content)
        .locations(shown.locations)
        .raw_input(input);
    ToolCallUpdate::new(call_id(&request.tool_use_id), fields)
}

/// Returns the name of the option to always allow, with all changes that it makes.
fn always_name(updates: &[PermissionUpdate]) -> String {
    let words: Vec<String> = updates
        .iter()
        .map(|update| match update {
            PermissionUpdate::AddRules(rules) | PermissionUpdate::ReplaceRules(rules) => {
                rules.rules.iter().map(Rule::to_string).collect::<Vec<_>>().join(", ")
            }
            PermissionUpdate::SetMode(mode) => format!("mode {}", mode.mode),
            PermissionUpdate::AddDirectories(folders) => {
                format!("work in {}", folders.directories.join(", "))
            }
            other => other.kind().to_owned(),
        })
        .collect();
    format!("Always allow ({})", words.join("; "))
}

const REJECTED: &str = "The user rejected this tool use.";

#[cfg(test)]
mod tests {
    use agent_client_protocol::v1::schema::SelectedPermissionOutcome;
    use serde_json::{Value, json};

    use super::*;

    fn request(tool: &str, fields: Value) -> CanUseTool {
        let mut request =
            json!({"tool_name": tool, "tool_use_id": "t", "input": {"command": "ls", "plan": "Walk."}});
        request.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        serde_json::from_str(&request.to_string()).unwrap()
    }

    fn suggesting() -> CanUseTool {
        let rule = json!({"type": "addRules", "behavior": "allow", "destination": "session",
            "rules": [{"toolName": "Bash", "ruleContent": "ls *"}]});
        request("Bash", json!({"permission_suggestions": [rule]}))
    }

    fn selected(id: &str) -> RequestPermissionOutcome {
        RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(id.to_owned()))
    }

    fn decided(request: &CanUseTool, outcome: &RequestPermissionOutcome) -> Value {
        serde_json::to_value(decision(choices(request), outcome)).unwrap()
    }

    #[test]
    fn options_stand_for_their_decisions() {
        let request = suggesting();
        assert_eq!(decided(&request, &selected("allow")), json!({"behavior": "allow"}));
        assert_eq!(decided(&request, &selected("reject"))["behavior"], "deny");
        let always = decided(&request, &selected("allow_always"));
        assert_eq!(always["updatedPermissions"][0]["rules"][0]["ruleContent"], "ls *");
        assert_eq!(choices(&request)[1].option.name, "Always allow (Bash(ls *))");
    }

    #[test]
    fn rejection_is_the_first_option_if_it_should_be_the_default() {
        let first = |request: &CanUseTool| choices(request)[0].option.kind;
        assert_eq!(first(&request("Bash", json!({}))), PermissionOptionKind::AllowOnce);
        for tool in ["Bash", "ExitPlanMode"] {
            let careful = request(tool, json!({"default_to_no": true}));
            assert_eq!(first(&careful), PermissionOptionKind::RejectOnce);
        }
    }

    #[test]
    fn option_that_was_not_offered_denies() {
        let plain = request("Bash", json!({}));
        for id in ["allow_always", "acceptEdits", "", "ALLOW"] {
            assert_eq!(decided(&plain, &selected(id))["behavior"], "deny", "{id}");
        }
    }

    #[test]
    fn cancelled_request_denies_and_ends_the_turn() {
        let denied = decided(&suggesting(), &RequestPermissionOutcome::Cancelled);
        assert_eq!((&denied["behavior"], &denied["interrupt"]), (&json!("deny"), &json!(true)));
    }

    #[test]
    fn plan_is_approved_with_a_mode() {
        let plan = request("ExitPlanMode", json!({}));
        assert_eq!(decided(&plan, &selected("allow_always"))["updatedPermissions"][0]["mode"], "acceptEdits");
        assert_eq!(decided(&plan, &selected("allow"))["updatedPermissions"][0]["mode"], "default");
        assert_eq!(decided(&plan, &selected("reject"))["behavior"], "deny");
        let shown = serde_json::to_value(tool_call(&plan, &Features::default())).unwrap();
        assert_eq!(shown["content"][0]["content"]["text"], "Walk.");
    }

    #[test]
    fn input_with_a_lone_surrogate_is_shown() {
        let request = r#"{"tool_name": "Write", "tool_use_id": "t",
            "input": {"file_path": "/etc/profile", "content": "\ud83d"}}"#;
        let shown = tool_call(&serde_json::from_str(request).unwrap(), &Features::default());
        let shown = serde_json::to_value(shown).unwrap();
        assert_eq!(shown["title"], "Write /etc/profile");
        assert_eq!(shown["rawInput"]["content"], "\u{fffd}");
    }

    #[test]
    fn input_that_is_nested_too_deeply_is_shown_as_its_text() {
        let deep = format!(r#"{{"a":{}1{}}}"#, "[".repeat(200), "]".repeat(200));
        let request = format!(r#"{{"tool_name": "Other", "tool_use_id": "t", "input": {deep}}}"#);
        let shown = tool_call(&serde_json::from_str(&request).unwrap(), &Features::default());
        assert_eq!(serde_json::to_value(shown).unwrap()["rawInput"], deep);
    }

    #[test]
    fn question_about_a_command_keeps_its_terminal() {
        let features = Features { terminal_output: true, ..Features::default() };
        let shown = |tool| tool_call(&request(tool, json!({})), &features);
        let shown = |tool| serde_json::to_value(shown(tool)).unwrap()["content"][0].clone();
        assert_eq!(shown("Bash"), json!({"type": "terminal", "terminalId": "t"}));
        assert_eq!(shown("Other")["terminalId"], Value::Null);
    }
}
