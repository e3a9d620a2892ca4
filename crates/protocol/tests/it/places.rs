//! The lists that must contain every message kind and every hook event: one test reports all missing entries.

use std::{fs, path::Path};

use agentwire_protocol::{
    Message, System,
    hook::{AnyInput, HookEventName},
    tagged::Tagged,
};

use crate::{
    hook_events::{inputs, output},
    messages::fixtures,
};

#[test]
fn every_event_is_in_every_list() {
    let events = Events::read();
    let lacks: Vec<_> = events
        .declared
        .iter()
        .filter_map(|(event, has_output)| lacking(event, &events.lacks(event, *has_output)))
        .collect();
    assert!(lacks.is_empty(), "\n{}", lacks.join("\n"));
    let strange: Vec<_> = HookEventName::KNOWN
        .iter()
        .filter(|name| !events.declared.iter().any(|(event, _)| event == *name))
        .collect();
    assert!(strange.is_empty(), "names of no event in crates/protocol/src/hook: {strange:?}");
}

#[test]
fn every_message_kind_is_in_every_list() {
    let folders: Vec<String> = fixtures().into_iter().map(|fixture| fixture.folder).collect();
    let lacks: Vec<_> = kinds()
        .iter()
        .filter_map(|(kind, folder)| {
            let mut lacks = Vec::new();
            if !folders.contains(folder) {
                lacks.push(format!("no fixture in crates/protocol/fixtures/messages/{folder}/"));
            }
            lacking(kind, &lacks)
        })
        .collect();
    assert!(lacks.is_empty(), "\n{}", lacks.join("\n"));
    let own = |folder: &String| {
        ["invalid", "unknown"].contains(&folder.as_str()) || kinds().iter().any(|(_, own)| own == folder)
    };
    let strange: Vec<_> = folders.iter().filter(|folder| !own(folder)).collect();
    assert!(strange.is_empty(), "fixtures of no kind that a union has: {strange:?}");
}

#[test]
fn missing_places_of_a_new_event_are_all_named() {
    let lacks = lacking("NoSuchEvent", &Events::read().lacks("NoSuchEvent", true)).unwrap();
    for place in [
        "NoSuchEvent: no row of `hook_events!` in crates/protocol/src/hook.rs",
        "no fixture of its input in crates/protocol/fixtures/messages/control_request/",
        "no fixture of its output: crates/protocol/fixtures/hook_outputs/NoSuchEvent.json",
        "no row in docs/hooks.md",
    ] {
        assert!(lacks.contains(place), "{place:?} is not in: {lacks}");
    }
}

/// Each kind of message, and the name of its folder of fixtures.
fn kinds() -> Vec<(&'static str, String)> {
    let plain = Message::KINDS.iter().filter(|kind| **kind != "system");
    let plain = plain.map(|kind| (*kind, (*kind).to_owned()));
    plain.chain(System::KINDS.iter().map(|kind| (*kind, format!("system.{kind}")))).collect()
}

/// The contents of the lists of hook events.
struct Events {
    /// The events that `hook_event!` declares, and whether they have an output of their own.
    declared: Vec<(String, bool)>,
    fixtures: Vec<String>,
    /// The guide; absent outside of the repository.
    guide: Option<String>,
}

impl Events {
    fn read() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut declared = Vec::new();
        for file in fs::read_dir(root.join("src/hook")).unwrap() {
            let text = fs::read_to_string(file.unwrap().path()).unwrap();
            for declaration in text.split("hook_event! {\n").skip(1) {
                let head = declaration.lines().map(str::trim).find(|line| !line.starts_with(['/', '#']));
                let Some((name, output)) = head.and_then(|head| head.split_once(" => ")) else { continue };
                declared.push((name.to_owned(), !output.starts_with("NoOutput,")));
            }
        }
        assert!(declared.len() > 30, "only {declared:?} are declared");
        Self {
            declared,
            fixtures: inputs().into_keys().collect(),
            guide: fs::read_to_string(root.join("../../docs/hooks.md")).ok(),
        }
    }

    fn lacks(&self, event: &str, has_output: bool) -> Vec<String> {
        let mut lacks = Vec::new();
        let mut need = |is_there: bool, what: &str| {
            if !is_there {
                lacks.push(what.to_owned());
            }
        };
        need(AnyInput::KINDS.contains(&event), "no row of `hook_events!` in crates/protocol/src/hook.rs");
        need(
            self.fixtures.iter().any(|name| name == event),
            "no fixture of its input in crates/protocol/fixtures/messages/control_request/",
        );
        need(
            !has_output || output(event).is_some(),
            &format!("no fixture of its output: crates/protocol/fixtures/hook_outputs/{event}.json"),
        );
        if let Some(guide) = &self.guide {
            need(
                guide.contains(&format!("\n| `{event}` |")),
                "no row in docs/hooks.md (UPDATE_EXPECT=1 cargo nextest run -p agentwire-hooks guide)",
            );
        }
        lacks
    }
}

fn lacking(name: &str, lacks: &[String]) -> Option<String> {
    (!lacks.is_empty()).then(|| format!("{name}: {}", lacks.join(", ")))
}
