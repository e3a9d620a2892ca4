//! Settings without the CLI: the answers of the reference SDK 0.3.332, as tables.

use std::{fs, path::Path};

use agentwire::{
    DeniedModelsNoteKind, PolicyOrigin, ResolveSettings, ResolvedSettings, SettingSource, SettingsTier,
    filter_escalating_default_mode, match_denied_models, protocol::settings::RawSettings, resolve_settings,
};
use serde_json::{Value, json};
use tempfile::TempDir;

/// The user's, the project's and the managed directory.
struct Places(TempDir);

impl Places {
    fn new(files: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Self(dir)
    }

    fn options(&self) -> ResolveSettings {
        let mut options = ResolveSettings::default();
        options.cwd = Some(self.0.path().join("p"));
        options.config_dir = Some(self.0.path().join("u"));
        options.managed_dir = Some(self.0.path().join("m"));
        options
    }

    fn resolve(&self) -> ResolvedSettings {
        resolve_settings(&self.options())
    }
}

const USER: &str = "u/settings.json";
const PROJECT: &str = "p/.claude/settings.json";
const LOCAL: &str = "p/.claude/settings.local.json";
const MANAGED: &str = "m/managed-settings.json";

fn value(settings: &RawSettings) -> Value {
    serde_json::from_str(settings.as_raw().as_str()).unwrap()
}

#[test]
fn the_stronger_tier_wins_key_by_key() {
    let places = Places::new(&[
        (
            USER,
            r#"{"model":"u","env":{"A":"u","B":"u"},"permissions":{"allow":["Read"],"defaultMode":"plan"},"x":1}"#,
        ),
        (
            PROJECT,
            r#"{"model":"r","env":{"A":"r"},"permissions":{"allow":["Bash","Read"],"defaultMode":"acceptEdits"}}"#,
        ),
        (LOCAL, r#"{"env":{"C":"l"},"x":null}"#),
    ]);
    let resolved = places.resolve();
    let expected = json!({
        "model": "r", "env": {"A": "r", "B": "u", "C": "l"}, "x": null,
        "permissions": {"allow": ["Read", "Bash"], "defaultMode": "acceptEdits"},
    });
    assert_eq!(value(&resolved.effective), expected);
    assert_eq!(resolved.faults, []);
    let tiers: Vec<_> = resolved.sources.iter().map(|source| source.tier).collect();
    assert_eq!(tiers, [SettingsTier::User, SettingsTier::Project, SettingsTier::Local]);
    let of = |key: &str| resolved.provenance[key].tier;
    assert_eq!(
        (of("model"), of("env"), of("x")),
        (SettingsTier::Project, SettingsTier::Local, SettingsTier::Local)
    );
    let path = resolved.provenance["model"].path.as_deref().unwrap();
    assert!(path.ends_with(Path::new(PROJECT)), "{path:?}");
    assert_eq!(resolved.provenance.len(), 4);
}

#[test]
fn lists_repeat_objects_but_no_texts() {
    let hook = |command: &str| json!({"hooks": [{"type": "command", "command": command}]});
    let user = json!({"hooks": {"Stop": [hook("a")]}, "sandbox": {"network": {"allowedDomains": ["a"]}}});
    let project = json!({"hooks": {"Stop": [hook("a"), hook("b")]}, "sandbox": {"network": {"allowedDomains": ["b", "a"]}}});
    let places = Places::new(&[(USER, &user.to_string()), (PROJECT, &project.to_string())]);
    let expected = json!({
        "hooks": {"Stop": [hook("a"), hook("a"), hook("b")]}, "sandbox": {"network": {"allowedDomains": ["a", "b"]}},
    });
    assert_eq!(value(&places.resolve().effective), expected);
}

#[test]
fn sources_are_chosen_and_their_order_is_fixed() {
    let places = Places::new(&[
        (USER, r#"{"model":"u"}"#),
        (PROJECT, r#"{"model":"r"}"#),
        (LOCAL, r#"{"model":"l"}"#),
    ]);
    let model = |sources: &[SettingSource]| {
        let mut options = places.options();
        options.setting_sources = Some(sources.to_vec());
        resolve_settings(&options).effective.field::<String>("model").unwrap()
    };
    assert_eq!(model(&[]), None);
    assert_eq!(model(&[SettingSource::Project]).as_deref(), Some("r"));
    assert_eq!(model(&[SettingSource::Local, SettingSource::User]).as_deref(), Some("l"));
    assert_eq!(places.resolve().effective.field::<String>("model").unwrap().as_deref(), Some("l"));
}

#[test]
fn faulty_file_is_left_out_and_reported() {
    let null_inside = r#"{"permissions":{"defaultMode":null}}"#;
    for faulty in [
        "{bad",
        "null",
        "[1]",
        r#"{"model":5,"x":2}"#,
        r#"{"model":null}"#,
        null_inside,
        r#"{"env":null}"#,
        r#"{"permissions":{"defaultMode":"bypass","deny":["Read(./.env)"]}}"#,
        r#"{"permissions":{"disableBypassPermissionsMode":"disabled","deny":["Read(./.env)"]}}"#,
        r#"{"permissions":{"disableAutoMode":"true"}}"#,
        r#"{"cleanupPeriodDays":0,"permissions":{"deny":["Read(./.env)"]}}"#,
        r#"{"statusLine":{"type":"x","command":"x"}}"#,
        "// c\n{\"model\":\"u\"}",
    ] {
        let places = Places::new(&[(USER, faulty), (PROJECT, r#"{"model":"r"}"#)]);
        let resolved = places.resolve();
        assert_eq!(value(&resolved.effective), json!({"model": "r"}), "{faulty}");
        assert_eq!(resolved.faults.len(), 1, "{faulty}");
        assert_eq!(resolved.faults[0].tier, SettingsTier::User);
        assert!(!resolved.faults[0].why.is_empty());
    }
    for empty in ["", " \n", "{}"] {
        assert_eq!(Places::new(&[(USER, empty), (MANAGED, empty)]).resolve().faults, [], "{empty:?}");
    }
    for (faulty, expected) in [
        (null_inside, "invalid type: null (in permissions.defaultMode)"),
        (r#"{"model":5}"#, "invalid type: integer `5`, expected a string (in model)"),
        (r#"{"permissions":{"defaultMode":"bypass"}}"#, "invalid value (in permissions.defaultMode)"),
    ] {
        assert_eq!(Places::new(&[(USER, faulty)]).resolve().faults[0].why, expected);
    }
    // A byte order mark is ignored, and a number in the environment is read as text.
    let places = Places::new(&[(USER, "\u{feff}{\"model\":\"u\",\"env\":{\"A\":1}}")]);
    let resolved = places.resolve();
    assert_eq!((resolved.faults.len(), resolved.sources.len()), (0, 1));
}

/// A repository may contain such a link, to a device that never ends, or such a file.
#[test]
fn device_or_huge_file_in_the_place_of_settings_is_not_read() {
    let places = Places::new(&[("p/.claude/a", ""), (USER, "")]);
    std::os::unix::fs::symlink("/dev/null", places.0.path().join(PROJECT)).unwrap();
    let huge = fs::File::create(places.0.path().join(USER)).unwrap();
    huge.set_len((64 << 20) + 1).unwrap();
    let faults = places.resolve().faults.into_iter();
    let mut faults: Vec<_> = faults.map(|fault| format!("{:?}: {}", fault.tier, fault.why)).collect();
    faults.sort();
    assert_eq!(faults, ["Project: it is not a regular file", "User: it is longer than 64 MiB"]);
}

#[test]
fn given_project_folder_is_used() {
    let places = Places::new(&[(PROJECT, r#"{"model":"root"}"#), ("p/.git/HEAD", ""), ("p/sub/a", "")]);
    let mut options = places.options();
    options.cwd = Some(places.0.path().join("p/sub"));
    assert_eq!(resolve_settings(&options).sources, []);
}

#[test]
fn managed_files_are_merged_by_name_and_a_server_takes_their_place() {
    let places = Places::new(&[
        (USER, r#"{"model":"u"}"#),
        (MANAGED, r#"{"model":"file","permissions":{"deny":["Bash"]},"deniedModels":["opus"]}"#),
        ("m/managed-settings.d/b.json", r#"{"model":"b","permissions":{"deny":["Read"]}}"#),
        ("m/managed-settings.d/a.json", r#"{"model":"a","deniedModels":["haiku"]}"#),
        ("m/managed-settings.d/.c.json", r#"{"model":"hidden"}"#),
        ("m/managed-settings.d/c.txt", r#"{"model":"text"}"#),
    ]);
    let resolved = places.resolve();
    let expected =
        json!({"model": "b", "permissions": {"deny": ["Bash", "Read"]}, "deniedModels": ["opus", "haiku"]});
    assert_eq!(value(&resolved.effective), expected);
    let model = &resolved.provenance["model"];
    assert_eq!((model.tier, model.policy_origin), (SettingsTier::Managed, Some(PolicyOrigin::File)));
    assert_eq!(resolved.denied_models(), ["opus", "haiku"]);

    let mut options = places.options();
    options.setting_sources = Some(Vec::new());
    assert_eq!(value(&resolve_settings(&options).effective), expected);
    options.setting_sources = None;
    options.server_managed_settings = Some(raw(&json!({})));
    assert_eq!(value(&resolve_settings(&options).effective), expected);
    options.server_managed_settings = Some(raw(&json!({"cleanupPeriodDays": 4})));
    let resolved = resolve_settings(&options);
    assert_eq!(value(&resolved.effective), json!({"model": "u", "cleanupPeriodDays": 4}));
    assert_eq!(resolved.provenance["cleanupPeriodDays"].policy_origin, Some(PolicyOrigin::Remote));
}

#[test]
fn faulty_managed_file_is_reported_and_drop_ins_apply() {
    let places =
        Places::new(&[(MANAGED, "{bad"), ("m/managed-settings.d/b.json", r#"{"deniedModels":[5,"opus"]}"#)]);
    let resolved = places.resolve();
    assert_eq!(resolved.faults[0].tier, SettingsTier::Managed);
    assert_eq!(resolved.denied_models(), ["opus"]);
}

#[test]
fn managed_file_loses_only_its_faulty_keys() {
    let managed =
        r#"{"model":5,"cleanupPeriodDays":null,"permissions":{"deny":["Bash"]},"deniedModels":["opus"]}"#;
    let resolved = Places::new(&[(MANAGED, managed)]).resolve();
    let expected = json!({"permissions": {"deny": ["Bash"]}, "deniedModels": ["opus"]});
    assert_eq!(value(&resolved.effective), expected);
    assert_eq!(resolved.denied_models(), ["opus"]);
    let tiers: Vec<_> = resolved.faults.iter().map(|fault| fault.tier).collect();
    assert_eq!(tiers, [SettingsTier::Managed; 2]);
}

/// The CLI replaces the mode by `default`, and applies the rules beside it.
#[test]
fn unknown_mode_in_a_managed_file_does_not_remove_its_rules() {
    let managed = r#"{"permissions":{"defaultMode":"bypass","deny":["Bash"]}}"#;
    let resolved = Places::new(&[(MANAGED, managed)]).resolve();
    assert_eq!(value(&resolved.effective)["permissions"]["deny"], json!(["Bash"]));
}

#[test]
fn managed_and_fallback_models_replace_those_of_weaker_tiers() {
    let user = r#"{"fallbackModel":["u"],"availableModels":["u"],"modelPicker":{"a":1}}"#;
    let project = r#"{"fallbackModel":["r"],"availableModels":["r"],"modelPicker":{"b":1}}"#;
    let mut expected =
        json!({"fallbackModel": ["r"], "availableModels": ["u", "r"], "modelPicker": {"b": 1}});
    assert_eq!(value(&Places::new(&[(USER, user), (PROJECT, project)]).resolve().effective), expected);
    let places = Places::new(&[
        (USER, user),
        (PROJECT, project),
        (MANAGED, r#"{"availableModels":["m"]}"#),
        ("m/managed-settings.d/a.json", r#"{"availableModels":["d"]}"#),
    ]);
    expected["availableModels"] = json!(["m", "d"]);
    assert_eq!(value(&places.resolve().effective), expected);
}

#[test]
fn keys_of_managed_settings_are_ignored_elsewhere() {
    let keys = r#"{"deniedModels":["opus"],"managedMcpServers":{"a":{}},"isolation":{},"x":1}"#;
    assert_eq!(value(&Places::new(&[(USER, keys), (PROJECT, keys)]).resolve().effective), json!({"x": 1}));
    let managed = value(&Places::new(&[(MANAGED, keys)]).resolve().effective);
    assert_eq!(managed["managedMcpServers"], json!({"a": {}}));
}

/// The CLI reads `deniedModels` from managed settings only.
#[test]
fn denied_models_are_those_of_managed_settings_only() {
    let user = r#"{"deniedModels":["opus"]}"#;
    let project = r#"{"deniedModels":["sonnet"]}"#;
    assert!(Places::new(&[(USER, user), (PROJECT, project)]).resolve().denied_models().is_empty());
    let places = Places::new(&[(USER, user), (PROJECT, project), (MANAGED, r#"{"deniedModels":["haiku"]}"#)]);
    assert_eq!(places.resolve().denied_models(), ["haiku"]);
}

#[test]
fn folder_of_managed_files_that_can_not_be_read_is_a_fault() {
    let places = Places::new(&[(MANAGED, r#"{"model":"m"}"#), ("m/managed-settings.d", "a file")]);
    let resolved = places.resolve();
    assert_eq!(value(&resolved.effective), json!({"model": "m"}));
    let faults: Vec<_> = resolved.faults.iter().map(|fault| (fault.tier, &*fault.path)).collect();
    assert_eq!(faults, [(SettingsTier::Managed, &*places.0.path().join("m/managed-settings.d"))]);
}

fn raw(value: &Value) -> RawSettings {
    agentwire::RawJson::parse(value.to_string()).unwrap().into()
}

#[test]
fn alias_of_the_default_mode_is_replaced() {
    let expected = json!({"model": "m", "permissions": {"defaultMode": "default", "allow": ["Read"]}});
    let manual = json!({"model": "m", "permissions": {"defaultMode": "manual", "allow": ["Read"]}});
    let text = manual.to_string();
    for path in [USER, PROJECT, LOCAL, MANAGED] {
        let resolved = Places::new(&[(path, &text)]).resolve();
        assert_eq!(value(&resolved.effective), expected, "{path}");
        assert_eq!(value(&resolved.sources[0].settings), expected, "{path}");
    }
    let places = Places::new(&[]);
    let mut options = places.options();
    options.server_managed_settings = Some(raw(&manual));
    assert_eq!(value(&resolve_settings(&options).effective), expected);
}

#[test]
fn project_can_not_escalate_the_mode() {
    let mode = |mode: &str| json!({"permissions": {"defaultMode": mode, "allow": []}}).to_string();
    let kept = [
        (vec![(USER, "bypassPermissions")], Some("bypassPermissions")),
        (vec![(USER, "auto"), (PROJECT, "plan")], Some("plan")),
        (vec![(USER, "auto"), (PROJECT, "auto")], None),
        (vec![(USER, "plan"), (PROJECT, "auto")], None),
        (vec![(USER, "auto"), (LOCAL, "auto")], None),
        (vec![(PROJECT, "auto"), (LOCAL, "plan")], Some("plan")),
        (vec![(PROJECT, "acceptEdits")], None),
        (vec![(PROJECT, "bypassPermissions")], None),
        (vec![(PROJECT, "dontAsk")], Some("dontAsk")),
        (vec![(LOCAL, "acceptEdits")], Some("acceptEdits")),
        (vec![(LOCAL, "bypassPermissions")], None),
        (vec![(PROJECT, "auto"), (MANAGED, "bypassPermissions")], Some("bypassPermissions")),
    ];
    for (files, expected) in kept {
        let texts: Vec<_> = files.iter().map(|(path, name)| (*path, mode(name))).collect();
        let places = Places::new(&texts.iter().map(|(path, text)| (*path, &**text)).collect::<Vec<_>>());
        let filtered = value(&filter_escalating_default_mode(&places.resolve()));
        assert_eq!(filtered["permissions"]["defaultMode"].as_str(), expected, "{files:?}");
        assert_eq!(filtered["permissions"]["allow"], json!([]), "{files:?}");
    }
}

#[test]
fn an_entry_blocks_a_version_however_it_is_spelled() {
    let spellings = [
        "claude-opus-4-1",
        "claude-opus-4-1-20250805",
        "claude-opus-4-1@20250805",
        "claude-opus-4-1-latest",
        "us.anthropic.claude-opus-4-1-20250805-v1:0",
        "vendor/claude-opus-4-1",
        "CLAUDE-OPUS-4-1[1m]",
        "claude-opus-4-1-preview",
        "claude-4-1-opus",
    ];
    let others = [
        "claude-opus-4-10",
        "claude-opus-4",
        "claude-opus-5-5",
        "claude-sonnet-4-1",
        "opus",
        "opus-4-1",
        "claude-opus-4.1",
        "my-claude-opus-4-1",
        "claude-opus-4-1x",
        "foo.claude-opus-4-1",
        "",
    ];
    for entry in
        ["claude-opus-4-1", " Claude-Opus-4-1 ", "opus-4-1", "claude-4-1-opus", "anthropic/claude-opus-4-1"]
    {
        let matched = match_denied_models(spellings, [entry]);
        assert_eq!(matched.denied, [true; 9], "{entry}");
        assert_eq!(matched.notes, [], "{entry}");
        assert_eq!(match_denied_models(others, [entry]).denied, [false; 11], "{entry}");
    }
}

#[test]
fn entries_block_families_and_names() {
    let cases: [(&str, &[&str], &[&str]); 9] = [
        (
            "opus",
            &["claude-opus-4-1", "opus[1m]", "claude-3-opus", "my_opus_x", "a/opus"],
            &["opusplan", "opus41", "sonnet"],
        ),
        (
            "claude-opus-4",
            &["claude-opus-4-1", "claude-opus-4-20250514", "claude-opus-4-x"],
            &["claude-opus-5", "claude-opus-45"],
        ),
        ("claude-opus-4-0", &["claude-opus-4", "claude-opus-4-20250514"], &["claude-opus-4-1"]),
        (
            "claude-3-5-sonnet",
            &["claude-sonnet-3-5", "claude-3-5-sonnet@20241022"],
            &["claude-3-7-sonnet-latest"],
        ),
        (
            "claude-opus-4-1-preview",
            &["claude-opus-4-1-preview-x", "us.anthropic.claude-opus-4-1-preview"],
            &["claude-opus-4-1", "claude-opus-4-1-preview2"],
        ),
        ("claude-gpt-4", &["claude-gpt-4-1"], &["gpt-4"]),
        ("gpt-4", &["claude-gpt-4"], &["gpt-4"]),
        ("gpt-4o", &["gpt-4o", "GPT-4o[1m]"], &["gpt-4", "gpt-4o-mini"]),
        ("claude-fable-5", &["claude-fable-5-1", "claude-fable-5"], &["fable"]),
    ];
    for (entry, blocked, free) in cases {
        assert!(match_denied_models(blocked, [entry]).denied.iter().all(|denied| *denied), "{entry}");
        assert!(!match_denied_models(free, [entry]).denied.iter().any(|denied| *denied), "{entry}");
    }
}

#[test]
fn unusual_entries_have_notes() {
    use DeniedModelsNoteKind::{Ignored, OneNameOnly, Wider};
    let cases = [
        ("", Ignored),
        ("[1m]", Ignored),
        ("default", Ignored),
        ("best", Ignored),
        ("opusplan[1m]", Ignored),
        ("*", OneNameOnly),
        ("claude", OneNameOnly),
        ("claude-opus", OneNameOnly),
        ("claude-opus-4.1", OneNameOnly),
        ("claude-opus-*", OneNameOnly),
        ("anthropic/opus-4-1", OneNameOnly),
        ("opus-latest", OneNameOnly),
        ("opus[1m]", Wider),
        ("claude-opus-4-1-20250805", Wider),
        ("claude-sonnet-4-5-v1:0", Wider),
        ("claude-opus-4-1-fast", Wider),
        ("claude-sonnet-4-5[1m][1m]", Wider),
    ];
    for (entry, kind) in cases {
        let matched = match_denied_models(["claude-haiku-4-5"], [entry]);
        assert_eq!(matched.denied, [false], "{entry}");
        let [note] = &matched.notes[..] else { panic!("{entry}: {:?}", matched.notes) };
        assert_eq!((note.entry.as_str(), note.kind), (entry, kind));
        assert!(note.to_string().contains(entry));
    }
    assert_eq!(match_denied_models(["a", "b"], [] as [&str; 0]).denied, [false, false]);
}
