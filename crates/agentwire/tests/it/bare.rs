//! The CLI's bare mode calls no hooks: the options of a session with hooks can't turn it on.

use agentwire::{
    Error, Options, RawJson, Session,
    hooks::Hooks,
    protocol::hook::{HookReply, PreToolUse},
};
use serde_json::json;

use crate::peer::connect;

const SIMPLE: &str = "CLAUDE_CODE_SIMPLE";

fn hooks() -> Hooks {
    Hooks::new().on(PreToolUse, async |_, _| HookReply::deny("no"))
}

fn settings(text: &str) -> Options {
    Options::new().settings(agentwire::protocol::settings::RawSettings::new(RawJson::parse(text).unwrap()))
}

/// Returns the argument `--settings` of a session with these options and hooks, and whether the variable is inherited.
fn planned(options: Options) -> (Option<String>, bool) {
    let planned = Session::builder().options(options).hooks(hooks()).to_launch_plan().unwrap();
    let settings = planned.args.iter().find_map(|arg| arg.strip_prefix("--settings=").map(str::to_owned));
    (settings, !planned.env_remove.contains(SIMPLE))
}

#[test]
fn options_that_disable_hooks_are_refused() {
    let inline = r#"{"env": {"CLAUDE_CODE_SIMPLE": 1}}"#;
    for (option, options) in [
        ("env", Options::new().env(SIMPLE, "1")),
        ("env", Options::new().env(SIMPLE, " True ")),
        ("env", Options::new().env_clear().env(SIMPLE, "yes")),
        ("extraArgs", Options::new().extra_arg("bare", None)),
        ("extraArgs", Options::new().extra_arg("bare", Some("true"))),
        ("extraArgs", Options::new().extra_arg("--bare", None)),
        ("executableArgs", Options::new().executable_args(["--bare"])),
        ("settings", settings(inline)),
        ("settings", settings(r#"{"env": {"CLAUDE_CODE_SIMPLE": "on"}}"#)),
    ] {
        let error = Session::builder().options(options.clone()).hooks(hooks()).to_launch_plan().unwrap_err();
        assert!(matches!(error, Error::Options { option: found, .. } if found == option), "{error}");
        // Without a hook nothing can be disabled; the flag name is invalid in any case.
        let without = Session::builder().options(options.clone()).hooks(Hooks::new()).to_launch_plan();
        assert_eq!(without.is_ok(), !options.extra_args.contains_key("--bare"));
    }
}

#[test]
fn inherited_and_other_settings_do_not_disable_hooks() {
    let ours = r#"{"env":{"CLAUDE_CODE_SIMPLE":"0"}}"#;
    assert_eq!(planned(Options::new()), (Some(ours.to_owned()), false));
    assert_eq!(planned(Options::new().env(SIMPLE, "0")), (Some(ours.to_owned()), false));
    assert_eq!(planned(settings(ours)), (Some(ours.to_owned()), false));
    let (merged, _) = planned(settings(r#"{"model": "opus"}"#));
    let merged: serde_json::Value = serde_json::from_str(&merged.unwrap()).unwrap();
    assert_eq!(merged, json!({"env": {SIMPLE: "0"}, "model": "opus"}));
    let (secret, _) = planned(settings(r#"{"env": {"A": "s3cr3t"}}"#));
    assert_eq!(secret.unwrap(), "<private>/settings.json");
    // Nothing can be added to these settings, so the session asks the CLI for the effective ones.
    let elsewhere = Options::new().settings(std::path::PathBuf::from("/s.json"));
    assert_eq!(planned(elsewhere), (Some("/s.json".to_owned()), false));
    let elsewhere = Options::new().extra_arg("settings", Some("/s.json"));
    assert_eq!(planned(elsewhere), (Some("/s.json".to_owned()), false));
    let without = Session::builder().to_launch_plan().unwrap();
    assert!(!without.args.iter().any(|arg| arg.starts_with("--settings")));
    assert!(!without.env_remove.contains(SIMPLE));
}

#[tokio::test(start_paused = true)]
async fn settings_file_that_disables_hooks_refuses_the_session() {
    for (value, starts) in [("1", false), ("0", true)] {
        let options = Options::new().settings(std::path::PathBuf::from("/s.json"));
        let builder = Session::builder().options(options).hooks(hooks());
        let (session, ..) = connect(builder, async |peer| {
            peer.shake_hands().await;
            peer.answer("get_settings", json!({"effective": {"env": {SIMPLE: value}}})).await
        })
        .await;
        assert_eq!(session.is_ok(), starts);
    }
}
