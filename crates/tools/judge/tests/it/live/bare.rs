//! Settings that put the CLI into its bare mode, which calls no hook: a session calls its hooks despite them.

use std::{fs, path::PathBuf};

use agentwire::{
    Error, Options, Session,
    hooks::Hooks,
    protocol::hook::{HookReply, PreToolUse},
};

use super::Place;

const BARE: &str = r#"{"env": {"CLAUDE_CODE_SIMPLE": "1"}}"#;

/// Runs a turn with a hook that denies, and returns whether the command ran.
async fn ran(place: &Place, options: Options) -> Result<bool, Error> {
    let hooks = Hooks::new().on(PreToolUse, async |_, _| HookReply::deny("no"));
    let options = options.cwd(place.path("project")).allowed_tools(["Bash"]);
    let mut session = Session::builder().options(options).hooks(hooks).connect().await?;
    session.ask("Go.").await?.finish().await?;
    session.close().await?;
    Ok(fs::read_to_string(place.file("project/a.txt")).unwrap() != "one\n")
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn no_settings_switch_hooks_off() {
    for file in [
        "home/.claude/settings.json",
        "home/.claude/.claude.json",
        "project/.claude/settings.json",
        "project/.claude/settings.local.json",
    ] {
        let place = Place::writing().await;
        fs::create_dir_all(place.file(file).parent().unwrap()).unwrap();
        fs::write(place.file(file), BARE).unwrap();
        assert!(!ran(&place, place.options()).await.unwrap(), "{file}");
    }
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn a_session_whose_settings_file_switches_hooks_off_does_not_start() {
    for (ours, users) in [(BARE, "{}"), ("{}", BARE)] {
        let place = Place::writing().await;
        fs::create_dir_all(place.file("home/.claude")).unwrap();
        fs::write(place.file("home/.claude/settings.json"), users).unwrap();
        fs::write(place.file("other/settings.json"), ours).unwrap();
        let file: PathBuf = place.file("other/settings.json");
        let error = ran(&place, place.options().settings(file)).await.unwrap_err();
        assert!(matches!(error, Error::Options { option: "settings", .. }), "{error}");
    }
}
