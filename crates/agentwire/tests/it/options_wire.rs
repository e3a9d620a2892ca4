//! Compares the effect of each option with the reference: fixtures/argv/reference.json.

use std::{path::Path, time::Duration};

use agentwire::{
    Decision, LaunchPlan, Options, Session, SessionBuilder,
    hooks::{Hooks, Matcher, PermissionHandler},
    protocol::{
        control::HookFailure,
        hook::{PreToolUse, Stop},
    },
};
use serde_json::{Map, Value, json};

/// One row: options, their effect in the reference, and the differences here.
struct Row(Value);

/// The comparable parts of an effect, without those common to all sessions.
type Parts = Map<String, Value>;

fn rows() -> Vec<Row> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/argv/reference.json");
    let rows: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    rows.into_iter().map(Row).collect()
}

impl Row {
    fn name(&self) -> &str {
        self.0["name"].as_str().unwrap()
    }

    /// Strings stand for reference options that are methods here.
    fn builder(&self) -> SessionBuilder {
        let options: Options = serde_json::from_value(self.0["options"].clone()).unwrap();
        let builder = Session::builder().options(options);
        match self.0["code"].as_str() {
            None | Some("onElicitation" | "onUserDialog") => builder,
            Some("canUseTool") => {
                builder.permissions(PermissionHandler::new(async |_, _| Decision::deny("no")))
            }
            Some("hooks") => builder.hooks(hooks()),
            Some("sessionStore") => builder.session_mirror(),
            #[cfg(feature = "mcp")]
            Some("sdkMcp") => {
                let server = agentwire::mcp::Server::new("calc", "1.0.0");
                builder.mcp_servers(agentwire::mcp::McpServers::new().with("calc", server))
            }
            Some(other) => panic!("no code stands for {other}"),
        }
    }

    /// Returns the expected parts: the reference's, with the differences applied.
    fn expected(&self) -> Parts {
        let mut parts = self.0["reference"].as_object().unwrap().clone();
        if let Some(ours) = self.0.get("ours") {
            assert!(self.0["why"].as_str().is_some_and(|why| why.len() > 10), "{}: no reason", self.name());
            parts.extend(ours.as_object().unwrap().clone());
        }
        parts
    }
}

fn hooks() -> Hooks {
    let bash = Matcher::tools(["Bash"]).timeout(Duration::from_secs(5));
    Hooks::new()
        .on_matching(PreToolUse, bash.clone(), async |_, _| ())
        .on_matching(PreToolUse, bash, async |_, _| ())
        .on_matching(Stop, Matcher::any().on_failure(HookFailure::Block), async |_, _| ())
}

/// Returns the effect of options in the format of a row.
fn parts(plan: &LaunchPlan) -> Parts {
    let mut initialize = serde_json::to_value(&plan.initialize).unwrap();
    initialize["subtype"] = json!("initialize");
    let files =
        plan.files.iter().map(|file| (file.name.to_owned(), serde_json::from_str(&file.contents).unwrap()));
    let mut env = json!(plan.env);
    assert_eq!(env["CLAUDE_AGENT_SDK_VERSION"], env!("CARGO_PKG_VERSION"));
    env["CLAUDE_AGENT_SDK_VERSION"] = json!("<version>");
    let user = if plan.client_composed { json!({"client_composed": true}) } else { json!({}) };
    Map::from_iter([
        ("argv".to_owned(), json!(plan.args)),
        ("env".to_owned(), env),
        ("initialize".to_owned(), initialize),
        ("files".to_owned(), Value::Object(files.collect())),
        ("user".to_owned(), user),
    ])
}

/// Removes the parts common to all sessions. A row that sets the prompt replaces the default one.
fn added(all: Parts, always: &Parts) -> Parts {
    let mut added = Map::new();
    for (part, value) in all {
        let value = match (value, &always[&part]) {
            (Value::Array(values), Value::Array(always)) => {
                assert_eq!(values[..always.len()], always[..]);
                Value::Array(values[always.len()..].to_vec())
            }
            (Value::Object(values), Value::Object(always)) => Value::Object(
                values.into_iter().filter(|(key, value)| always.get(key) != Some(value)).collect(),
            ),
            (value, _) => value,
        };
        if value != json!([]) && value != json!({}) {
            added.insert(part, value);
        }
    }
    added
}

#[test]
fn every_row_matches_the_reference() {
    let rows = rows();
    let always = parts(&Options::new().to_launch_plan().unwrap());
    assert_eq!(rows.len(), 77, "a row of the reference is missing");
    for row in &rows[1..] {
        if cfg!(not(feature = "mcp")) && row.name() == "sdkMcp" {
            continue;
        }
        let plan = row.builder().to_launch_plan().unwrap();
        let (mut ours, mut expected) = (added(parts(&plan), &always), row.expected());
        if let (Some(ours), Some(argv)) = (ours.get_mut("argv"), expected.get_mut("argv")) {
            read_json(ours);
            read_json(argv);
            sort_as(argv, ours);
        }
        assert_eq!(Value::Object(ours), Value::Object(expected), "{}", row.name());
    }
}

/// Reads the JSON of flags such as `--settings={…}`; the order of its keys does not matter.
fn read_json(flags: &mut Value) {
    for flag in flags.as_array_mut().unwrap() {
        let read = flag.as_str().and_then(|flag| {
            let (name, value) = flag.split_once('=')?;
            let value: Map<String, Value> = serde_json::from_str(value).ok()?;
            Some(json!([name, value]))
        });
        *flag = read.unwrap_or_else(|| flag.take());
    }
}

/// Sorts the reference's flags like ours; their order does not matter.
fn sort_as(flags: &mut Value, ours: &Value) {
    let ours: Vec<&Value> = ours.as_array().unwrap().iter().collect();
    let place = |flag: &Value| ours.iter().position(|other| *other == flag);
    flags.as_array_mut().unwrap().sort_by_key(|flag| place(flag));
}

#[test]
fn common_parts_match_the_reference() {
    let rows = rows();
    let always = &rows[0];
    assert_eq!(always.name(), "(none)");
    let expected = always.expected();
    let plan = Options::new().to_launch_plan().unwrap();
    let ours = parts(&plan);
    for part in ["argv", "env", "initialize"] {
        assert_eq!(ours[part], expected[part], "{part}");
    }
    for variable in ["CLAUDECODE", "CLAUDE_AGENT_SDK_DERIVED_CLIENT_APP", "NODE_OPTIONS", "DEBUG"] {
        assert!(plan.env_remove.contains(variable));
    }
    assert!(plan.warnings.is_empty() && plan.files.is_empty());
}

/// A row with a difference that does not exist would hide its claim.
#[test]
fn every_declared_difference_exists() {
    for row in rows() {
        let Some(ours) = row.0.get("ours") else { continue };
        assert_ne!(Value::Object(row.expected()), row.0["reference"], "{}: {ours}", row.name());
    }
}

#[test]
fn the_table_names_every_option_and_no_other() {
    let options = serde_json::to_value(Options::new()).unwrap();
    let mut ours: Vec<&str> = options.as_object().unwrap().keys().map(String::as_str).collect();
    let mut table: Vec<&str> = Options::described().iter().map(|option| option.name).collect();
    ours.sort_unstable();
    table.sort_unstable();
    assert_eq!(table, ours);
}

/// The table of options must mention each difference.
#[test]
fn differences_are_in_the_table() {
    for row in rows().iter().filter(|row| row.0.get("ours").is_some() && row.name() != "(none)") {
        for name in row.0["options"].as_object().unwrap().keys() {
            let option = Options::described().iter().find(|option| option.name == name).unwrap();
            let only_written_otherwise = row.0["why"].as_str().unwrap().starts_with("always `--flag=value`");
            assert!(!option.differs.is_empty() || only_written_otherwise, "{name}");
        }
    }
}
