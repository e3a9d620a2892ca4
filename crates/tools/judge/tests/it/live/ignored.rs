//! Configuration that the CLI ignores without a message: the session reports it.

use std::fs;

use agentwire::{
    Error, RawJson, Session, Warning,
    protocol::{
        plugin::{LocalPlugin, PluginConfig},
        settings::RawSettings,
    },
};

use super::Place;

const WRONG: &str = r#"{"permissions": {"deny": ["Bash"]}, "cleanupPeriodDays": "30"}"#;

fn settings(text: &str) -> RawSettings {
    RawSettings::new(RawJson::parse(text).unwrap())
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn session_whose_settings_the_cli_ignores_does_not_start() {
    let place = Place::new().await;
    let file = place.file("other/settings.json");
    fs::write(&file, WRONG).unwrap();
    for options in [place.in_project().settings(settings(WRONG)), place.in_project().settings(file)] {
        let error = Session::connect(options).await.unwrap_err();
        assert!(matches!(error, Error::Options { option: "settings", .. }), "{error}");
        assert!(error.to_string().contains("settings.json: cleanupPeriodDays: "), "{error}");
    }
    // The user's settings are not the program's.
    fs::create_dir_all(place.file("home/.claude")).unwrap();
    fs::write(place.file("home/.claude/settings.json"), WRONG).unwrap();
    for own in [
        r#"{"permissions": {"deny": ["Bash", "Bash", "Bash(rm:*)"], "ask": ["Task", "Agent"]}}"#,
        r#"{"permissions": {}}"#,
        r#"{"hooks": {}}"#,
        r#"{"sandbox": {}}"#,
        "{}",
    ] {
        let session = Session::connect(place.in_project().settings(settings(own))).await.unwrap();
        session.close().await.unwrap();
    }
}

/// The CLI drops these without an error.
#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn session_whose_rule_or_hooks_the_cli_drops_does_not_start() {
    let place = Place::new().await;
    for (own, why) in [
        (r#"{"permissions": {"deny": ["Bash", "bash"]}}"#, r#"can't parse "bash" in `permissions.deny`"#),
        (
            r#"{"permissions": {"ask": ["mcp__a__b(x)"]}}"#,
            r#"can't parse "mcp__a__b(x)" in `permissions.ask`"#,
        ),
        (r#"{"hooks": {"PreToolUs": []}}"#, "it gives no reason"),
    ] {
        let error = Session::connect(place.in_project().settings(settings(own))).await.unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
    }
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn plugin_with_unreadable_hooks_causes_a_warning() {
    let place = Place::new().await;
    for (file, text) in
        [("other/.claude-plugin/plugin.json", r#"{"name": "guard"}"#), ("other/hooks/hooks.json", "{")]
    {
        fs::create_dir_all(place.file(file).parent().unwrap()).unwrap();
        fs::write(place.file(file), text).unwrap();
    }
    let options = place.in_project().plugins([PluginConfig::Local(LocalPlugin::new(place.path("other")))]);
    let mut session = Session::connect(options).await.unwrap();
    session.ask("Go.").await.unwrap().finish().await.unwrap();
    let plugins: Vec<_> =
        session.warnings().iter().filter(|warning| matches!(warning, Warning::Plugin { .. })).collect();
    // The CLI names it by its folder.
    assert!(
        matches!(plugins[..], [Warning::Plugin { plugin, .. }] if plugin == "other@inline"),
        "{plugins:?}"
    );
    session.close().await.unwrap();
}
