//! Decisions of the recipes for inputs that lack fields, without a CLI; the guide lists the recipes.

use std::{fs, path::Path};

use agentwire::protocol::hook::{HookReply, PermissionDecision, PreToolUse, PreToolUseInput};
use serde_json::{Value, json};

use super::{commands, env_files, read_only, sandbox, system_folders};

fn input(tool: &str, fields: Value) -> PreToolUseInput {
    input_in("/", tool, fields)
}

pub(super) fn input_in(cwd: &str, tool: &str, fields: Value) -> PreToolUseInput {
    let input = json!({
        "session_id": "s", "cwd": cwd, "tool_name": tool, "tool_input": fields, "tool_use_id": "toolu_1",
    });
    serde_json::from_value(input).unwrap()
}

/// Returns whether the call is refused. An error is a refusal too, as the library treats a handler's error.
pub(super) fn refused(reply: &Result<HookReply<PreToolUse>, String>) -> bool {
    reply.as_ref().map_or(true, |reply| decision(reply) == Some(PermissionDecision::Deny))
}

pub(super) fn approved(reply: &Result<HookReply<PreToolUse>, String>) -> bool {
    reply.as_ref().is_ok_and(|reply| decision(reply) == Some(PermissionDecision::Allow))
}

fn decision(reply: &HookReply<PreToolUse>) -> Option<PermissionDecision> {
    reply.output.as_ref()?.permission_decision.clone()
}

#[test]
fn input_without_the_guarded_field_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let odd = [
        json!({}),
        json!([]),
        json!(null),
        json!("/a"),
        json!({"file_path": 5}),
        json!({"file_path": ""}),
        json!({"path": "/a"}),
        json!({"file_path": null}),
        json!({"file_path": "~/a"}),
        json!({"file_path": "/a "}),
        json!({"file_path": "/a\0"}),
    ];
    for fields in odd {
        for tool in ["Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "SomethingNew"] {
            let input = input(tool, fields.clone());
            let replies = [
                env_files::judge(&input),
                system_folders::judge(&input, std::slice::from_ref(&folder)),
                sandbox::judge(&input, &folder),
                read_only::judge(&input, &folder),
            ];
            assert!(replies.iter().all(refused), "{tool} {fields}: {replies:?}");
        }
    }
    for fields in [json!({}), json!({"command": 5}), json!({"command": null}), json!([])] {
        assert!(refused(&commands::judge(&input("Bash", fields.clone()), |_| None)), "{fields}");
    }
    assert!(refused(&env_files::judge(&input("Grep", json!({"path": 5})))));
}

/// The guide names every recipe, and its links lead somewhere.
#[test]
fn guide_lists_every_recipe() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let guide = fs::read_to_string(root.join("docs/recipes.md")).unwrap();
    let links: Vec<_> = guide
        .split("](https://github.com/agentwire/agentwire/blob/main/")
        .skip(1)
        .filter_map(|rest| rest.split_once(')'))
        .collect();
    for (link, _) in &links {
        assert!(root.join(link).exists(), "{link}");
    }
    let folder = "crates/agentwire/examples/recipes";
    for file in fs::read_dir(root.join(folder)).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        let linked = links.iter().any(|(link, _)| *link == format!("{folder}/{name}"));
        assert!(linked || ["main.rs", "menu.rs"].contains(&&*name), "{name}");
    }
    let menu = fs::read_to_string(root.join(folder).join("menu.rs")).unwrap();
    let (_, menu) = menu.split_once("RECIPES: ").unwrap();
    let names = menu.lines().filter_map(|line| line.trim().strip_prefix("(\"")?.split_once('"'));
    let missing: Vec<_> = names.filter(|(name, _)| !guide.contains(&format!("[`{name}`]"))).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
