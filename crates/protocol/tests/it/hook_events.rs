//! All hook events: inputs from the fixtures and all outputs round-trip.

use std::{collections::BTreeMap, fs, path::Path};

use agentwire_protocol::{
    InboundRequest, Message, RawJson,
    hook::{
        AnyInput, EventVisitor, HookAnswer, HookEvent, HookEventName, HookReply, LaterReply, SessionEnd,
        visit_events,
    },
    tagged::Tagged,
};

use crate::{messages::recorded, tree::Tree};

#[test]
fn every_event_is_visited_and_has_a_name() {
    struct Names(Vec<&'static str>);
    impl EventVisitor for Names {
        fn event<E: HookEvent>(&mut self) {
            assert!(HookEventName::of::<E>().is_known());
            self.0.push(E::NAME);
        }
    }
    let mut names = Names(Vec::new());
    visit_events(&mut names);
    assert_eq!(names.0, HookEventName::KNOWN);
    assert_eq!(names.0, AnyInput::KINDS);
}

#[test]
fn every_input_round_trips() {
    struct Inputs(BTreeMap<String, Vec<RawJson>>);
    impl EventVisitor for Inputs {
        fn event<E: HookEvent>(&mut self) {
            let inputs = self.0.remove(E::NAME).unwrap_or_default();
            assert!(!inputs.is_empty(), "{} has no fixture", E::NAME);
            for raw in inputs {
                let any: AnyInput = raw.decode().unwrap();
                assert_eq!(any.kind(), E::NAME);
                assert!(!matches!(any, AnyInput::Unknown(_)), "{raw}");
                assert_eq!(tree(&any), Tree::of(raw.as_str()).sorted());
                let typed: E::Input = raw.decode().unwrap();
                let written = serde_json::to_string(&typed).unwrap();
                assert_eq!(serde_json::from_str::<E::Input>(&written).unwrap(), typed);
            }
        }
    }
    let mut inputs = Inputs(inputs());
    visit_events(&mut inputs);
    assert_eq!(inputs.0, BTreeMap::new(), "inputs of no event");
}

#[test]
fn every_output_round_trips() {
    struct Outputs;
    impl EventVisitor for Outputs {
        fn event<E: HookEvent>(&mut self) {
            let name = E::NAME;
            let common = r#""continue":false,"stopReason":"s","suppressOutput":true,"systemMessage":"m","terminalSequence":"t","decision":"block","reason":"r""#;
            let mut texts = vec![
                "{}".to_owned(),
                format!("{{{common}}}"),
                r#"{"async":true,"asyncTimeout":5}"#.to_owned(),
            ];
            match output(name) {
                Some(output) => texts.push(format!(r#"{{{common},"hookSpecificOutput":{output}}}"#)),
                None => {
                    let text = format!(r#"{{"hookSpecificOutput":{{"hookEventName":"{name}"}}}}"#);
                    let error = serde_json::from_str::<HookAnswer<E>>(&text).unwrap_err().to_string();
                    assert!(error.starts_with("this event has no output of its own"), "{name}: {error}");
                }
            }
            texts.extend(E::refusal("broke").map(|refusal| serde_json::to_string(&refusal).unwrap()));
            for text in texts {
                let answer: HookAnswer<E> = serde_json::from_str(&text).unwrap();
                assert_eq!(serde_json::to_string(&answer).unwrap(), text);
                assert_eq!(answer, serde_json::from_str(&text).unwrap());
            }
            let other = r#"{"hookSpecificOutput":{"hookEventName":"Other"}}"#;
            assert!(serde_json::from_str::<HookAnswer<E>>(other).is_err(), "{name}");
        }
    }
    visit_events(&mut Outputs);
}

#[test]
fn asynchronous_answer_is_not_a_reply() {
    let error = serde_json::from_str::<HookReply<SessionEnd>>(r#"{"async":true}"#).unwrap_err();
    assert!(error.to_string().starts_with("an asynchronous reply"), "{error}");
    let answer: HookAnswer<SessionEnd> = serde_json::from_str(r#"{"async":true}"#).unwrap();
    assert_eq!(answer, HookAnswer::Later(LaterReply::new()));
    let answer: HookAnswer<SessionEnd> = serde_json::from_str(r#"{"async":false}"#).unwrap();
    assert_eq!(answer, HookAnswer::Now(HookReply::proceed()));
}

#[test]
fn refusals_match_what_the_cli_supports() {
    struct Refusals(Vec<(&'static str, String)>);
    impl EventVisitor for Refusals {
        fn event<E: HookEvent>(&mut self) {
            if let Some(refusal) = E::refusal("broke") {
                self.0.push((E::NAME, serde_json::to_string(&refusal).unwrap()));
            }
        }
    }
    let mut refusals = Refusals(Vec::new());
    visit_events(&mut refusals);
    let plain = r#"{"decision":"block","reason":"broke"}"#;
    let (plain, own): (Vec<_>, Vec<_>) = refusals.0.iter().partition(|(_, text)| text == plain);
    let mut names: Vec<_> = plain.iter().map(|(name, _)| *name).collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "ConfigChange",
            "Elicitation",
            "ElicitationResult",
            "PostToolBatch",
            "PreCompact",
            "PreSkillShellCommand",
            "Stop",
            "SubagentStop",
            "TaskCompleted",
            "TaskCreated",
            "TeammateIdle",
            "UserPromptExpansion",
            "UserPromptSubmit",
            "WorktreeCreate",
        ]
    );
    let texts: Vec<_> = own.iter().map(|(_, text)| &**text).collect();
    assert_eq!(
        texts,
        [
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"broke"}}"#,
            r#"{"hookSpecificOutput":{"hookEventName":"PreModelSwitch","permissionDecision":"deny","permissionDecisionReason":"broke"}}"#,
            r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"broke"}}}"#,
        ]
    );
}

/// The inputs in the fixtures by event.
pub(crate) fn inputs() -> BTreeMap<String, Vec<RawJson>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/messages/control_request");
    let mut inputs = BTreeMap::<_, Vec<_>>::new();
    for file in fs::read_dir(folder).unwrap() {
        let line = fs::read_to_string(file.unwrap().path()).unwrap();
        let Message::ControlRequest(request) = Message::from_line(line.trim_end()).unwrap() else {
            panic!("{line}")
        };
        if let InboundRequest::HookCallback(callback) = request.request {
            let any: AnyInput = callback.input.decode().unwrap();
            inputs.entry(any.kind().to_owned()).or_default().push(callback.input);
        }
    }
    inputs
}

/// The fixture of an event's own output, with all its fields in the order in which they are written.
pub(crate) fn output(event: &str) -> Option<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/hook_outputs");
    fs::read_to_string(folder.join(event).with_extension("json")).ok().map(|text| text.trim_end().to_owned())
}

fn tree(value: &impl serde::Serialize) -> Tree {
    Tree::of(&serde_json::to_string(value).unwrap()).sorted()
}

#[test]
fn every_recorded_input_has_a_known_event() {
    let mut seen = 0;
    for (path, line) in recorded().iter().filter(|(_, line)| line.contains(r#""hook_callback""#)) {
        let Ok(Message::ControlRequest(request)) = Message::from_line(line) else { continue };
        let InboundRequest::HookCallback(callback) = request.request else { continue };
        let any: AnyInput =
            callback.input.decode().unwrap_or_else(|error| panic!("{path:?}: {error}: {line}"));
        assert!(!matches!(any, AnyInput::Unknown(_)), "{path:?}: {line}");
        let as_sent = Tree::of(callback.input.as_str()).sorted().with_numbers_by_value();
        assert_eq!(tree(&any).with_numbers_by_value(), as_sent, "{path:?}");
        seen += 1;
    }
    assert!(seen > 5, "only {seen} inputs");
}
