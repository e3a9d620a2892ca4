//! Every place that a kind of message or a hook event must be in: one test names all that lack something.

use std::{fs, path::Path};

use agentwire_protocol::{
    Message, System,
    hook::{AnyInput, EventVisitor, HookAnswer, HookEvent, HookEventName, visit_events},
    tagged::Tagged,
};

use crate::{
    hook_events::{OUTPUTS, inputs},
    messages::fixtures,
    tagged::Union,
};

#[test]
fn every_event_is_in_every_place() {
    let events = Events::read();
    let lacks: Vec<_> =
        events.declared.iter().filter_map(|event| told(event, &events.lacks(event))).collect();
    assert!(lacks.is_empty(), "\n{}", lacks.join("\n"));
    let strange: Vec<_> = HookEventName::KNOWN
        .iter()
        .filter(|name| !events.declared.iter().any(|event| event == *name))
        .collect();
    assert!(strange.is_empty(), "names of no event in crates/protocol/src/hook: {strange:?}");
}

#[test]
fn every_kind_of_message_is_in_every_place() {
    let folders: Vec<String> = fixtures().into_iter().map(|fixture| fixture.folder).collect();
    let lacks: Vec<_> = kinds()
        .iter()
        .filter_map(|(kind, folder, example)| {
            let mut lacks = Vec::new();
            if !folders.contains(folder) {
                lacks.push(format!("no fixture in crates/protocol/fixtures/messages/{folder}/"));
            }
            if !example {
                lacks.push("no example in crates/protocol/tests/it/tagged/messages.rs".to_owned());
            }
            told(kind, &lacks)
        })
        .collect();
    assert!(lacks.is_empty(), "\n{}", lacks.join("\n"));
    let own = |folder: &String| {
        ["invalid", "unknown"].contains(&folder.as_str()) || kinds().iter().any(|(_, own, _)| own == folder)
    };
    let strange: Vec<_> = folders.iter().filter(|folder| !own(folder)).collect();
    assert!(strange.is_empty(), "fixtures of no kind that a `tagged!` has: {strange:?}");
}

#[test]
fn new_event_is_told_all_places_at_once() {
    let lacks = told("PlantsDry", &Events::read().lacks("PlantsDry")).unwrap();
    for place in [
        "PlantsDry: not in `visit_events`",
        "visit.rs",
        "name.rs",
        "any_input.rs",
        "fixtures/messages/control_request/",
        "no example in crates/protocol/tests/it/tagged.rs",
        "no merge rule in crates/hooks/src/handlers/outputs.rs",
        "no row in docs/hooks.md",
    ] {
        assert!(lacks.contains(place), "{place:?} is not in: {lacks}");
    }
}

/// Each kind of message, its folder of fixtures, and whether it has an example.
fn kinds() -> Vec<(&'static str, String, bool)> {
    let has = |known: &[(&str, &[(&str, &str)])], kind: &str| known.iter().any(|(own, _)| *own == kind);
    let plain = Message::KINDS.iter().filter(|kind| **kind != "system");
    let plain = plain.map(|kind| (*kind, (*kind).to_owned(), has(Message::KNOWN, kind)));
    let system = System::KINDS.iter().map(|kind| (*kind, format!("system.{kind}"), has(System::KNOWN, kind)));
    plain.chain(system).collect()
}

/// What the places of hook events hold.
struct Events {
    /// The events that `hook_event!` declares.
    declared: Vec<String>,
    visited: Visited,
    fixtures: Vec<String>,
    /// The rules of merging, and the guide; absent outside of the repository.
    merged: Option<String>,
    guide: Option<String>,
}

#[derive(Default)]
struct Visited {
    all: Vec<&'static str>,
    /// Those with an output of their own.
    answering: Vec<&'static str>,
}

impl EventVisitor for Visited {
    fn event<E: HookEvent>(&mut self) {
        self.all.push(E::NAME);
        let text = format!(r#"{{"hookSpecificOutput":{{"hookEventName":"{}"}}}}"#, E::NAME);
        let error = serde_json::from_str::<HookAnswer<E>>(&text).err().map(|error| error.to_string());
        if !error.is_some_and(|error| error.starts_with("this event has no output of its own")) {
            self.answering.push(E::NAME);
        }
    }
}

impl Events {
    fn read() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut declared = Vec::new();
        for file in fs::read_dir(root.join("src/hook")).unwrap() {
            let text = fs::read_to_string(file.unwrap().path()).unwrap();
            for declaration in text.split("hook_event! {\n").skip(1) {
                let head = declaration.lines().map(str::trim).find(|line| !line.starts_with(['/', '#']));
                let name = head.and_then(|head| head.split_once(" => ")).map(|(name, _)| name);
                declared.extend(name.filter(|name| !name.starts_with('$')).map(str::to_owned));
            }
        }
        assert!(declared.len() > 30, "only {declared:?} are declared");
        let mut visited = Visited::default();
        visit_events(&mut visited);
        let near = |path: &str| fs::read_to_string(root.join("../..").join(path)).ok();
        Self {
            declared,
            visited,
            fixtures: inputs().into_keys().collect(),
            merged: near(MERGE),
            guide: near("docs/hooks.md"),
        }
    }

    fn lacks(&self, event: &str) -> Vec<String> {
        let mut lacks = Vec::new();
        let mut need = |is_there: bool, what: &str| {
            if !is_there {
                lacks.push(what.to_owned());
            }
        };
        need(self.visited.all.contains(&event), "not in `visit_events` (crates/protocol/src/hook/visit.rs)");
        need(HookEventName::KNOWN.contains(&event), "no name in crates/protocol/src/hook/name.rs");
        need(AnyInput::KINDS.contains(&event), "no input in crates/protocol/src/hook/any_input.rs");
        need(
            self.fixtures.iter().any(|name| name == event),
            "no fixture of its input in crates/protocol/fixtures/messages/control_request/",
        );
        need(
            AnyInput::KNOWN.iter().any(|(name, _)| *name == event),
            "no example in crates/protocol/tests/it/tagged.rs",
        );
        need(
            !self.visited.answering.contains(&event) || OUTPUTS.iter().any(|(name, _)| *name == event),
            "no row of OUTPUTS in crates/protocol/tests/it/hook_events.rs",
        );
        if let Some(merged) = &self.merged {
            let has_rule = || {
                merged.contains(&format!("impl MergeOutput for {event} {{"))
                    || merged.contains(&format!("merge_fields!({event} {{"))
                    || merged.lines().any(|line| line == format!("    {event},"))
            };
            need(NOT_MERGED.contains(&event) || has_rule(), &format!("no merge rule in {MERGE}"));
        }
        if let Some(guide) = &self.guide {
            need(guide.contains(&format!("\n| `{event}` |")), "no row in docs/hooks.md");
        }
        lacks
    }
}

fn told(name: &str, lacks: &[String]) -> Option<String> {
    (!lacks.is_empty()).then(|| format!("{name}: {}", lacks.join(", ")))
}

const MERGE: &str = "crates/hooks/src/handlers/outputs.rs";
/// Its output names the folder that was made, so that only one handler can answer.
const NOT_MERGED: &[&str] = &["WorktreeCreate"];
