//! Findings of `doctor`.

use std::{fs, path::Path};

use serde_json::Value;

use super::{agentwire, text};

#[test]
fn doctor_names_a_remedy_without_a_cli() {
    let home = tempfile::tempdir().unwrap();
    let mut command = agentwire(&["doctor", "--json"]);
    let done =
        command.env_clear().env("HOME", home.path()).env("AGENTWIRE_CLI", "/no/such/cli").output().unwrap();
    assert_eq!(done.status.code(), Some(1));
    let findings: Vec<Value> =
        text(&done.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let finding = |check: &str| findings.iter().find(|finding| finding["check"] == check).unwrap();
    assert_eq!(finding("CLI")["ok"], false);
    assert!(!finding("CLI")["remedy"].as_str().unwrap().is_empty());
    // There may be a login in the keychain of macOS.
    assert_eq!(finding("login")["ok"], cfg!(target_os = "macos"));
    assert_eq!(finding("configuration folder")["ok"], true);
}

#[test]
fn doctor_names_the_cause_if_the_cli_cannot_run_or_is_too_old() {
    for (script, cause, remedy) in [
        ("echo boom >&2\nexit 3\n", "boom", "run that program by hand"),
        ("echo '1.0.44 (Claude Code)'\n", "1.0.44, and at least 2.1.0 is needed", "update Claude Code"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let cli = folder.path().join("claude");
        fs::write(&cli, format!("#!/bin/sh\n{script}")).unwrap();
        fs::set_permissions(&cli, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let mut command = agentwire(&["doctor"]);
        let done = command.env("HOME", folder.path()).env("AGENTWIRE_CLI", &cli).output().unwrap();
        let report = text(&done.stdout);
        assert!(report.contains(cause) && report.contains(remedy), "{report}");
    }
}

#[test]
fn doctor_finds_a_login_in_the_environment_of_the_settings() {
    let home = tempfile::tempdir().unwrap();
    fs::create_dir(home.path().join(".claude")).unwrap();
    let settings = home.path().join(".claude/settings.json");
    for (value, ok) in [("", false), ("0", false), ("1", true)] {
        fs::write(&settings, format!(r#"{{"env": {{"CLAUDE_CODE_USE_BEDROCK": "{value}"}}}}"#)).unwrap();
        assert_eq!(doctor_finds_a_login(home.path()), ok || cfg!(target_os = "macos"), "{value}");
    }
}

#[test]
fn doctor_finds_the_key_of_a_login_on_the_console() {
    let home = tempfile::tempdir().unwrap();
    for (state, ok) in [("{}", false), (r#"{"primaryApiKey": "a key"}"#, true)] {
        fs::write(home.path().join(".claude.json"), state).unwrap();
        assert_eq!(doctor_finds_a_login(home.path()), ok || cfg!(target_os = "macos"), "{state}");
    }
}

#[test]
fn doctor_judges_settings_as_the_cli_does() {
    let home = tempfile::tempdir().unwrap();
    fs::create_dir(home.path().join(".claude")).unwrap();
    let settings = home.path().join(".claude/settings.json");
    // The CLI reads an empty file as one without settings, and ignores a file with a value of a wrong type.
    for (content, ok) in [("", true), (r#"{"model": "opus"}"#, true), (r#"{"model": 5}"#, false)] {
        fs::write(&settings, content).unwrap();
        let mut findings = doctor_findings(&home.path().canonicalize().unwrap());
        findings.retain(|finding| finding["detail"].as_str().unwrap().contains("/.claude/settings.json"));
        // The file of the user is that of the project too, and is named once.
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!((&findings[0]["check"], &findings[0]["ok"]), (&Value::from("settings"), &Value::from(ok)));
    }
    for (helper, ok) in [("\"a-program\"", true), ("\"\"", false), ("null", false), ("5", false)] {
        fs::write(&settings, format!(r#"{{"apiKeyHelper": {helper}}}"#)).unwrap();
        assert_eq!(doctor_finds_a_login(home.path()), ok || cfg!(target_os = "macos"), "{helper}");
    }
}

fn doctor_finds_a_login(home: &Path) -> bool {
    let findings = doctor_findings(home);
    findings.iter().find(|finding| finding["check"] == "login").unwrap()["ok"] == true
}

/// Returns the report in a home folder, without a CLI.
fn doctor_findings(home: &Path) -> Vec<Value> {
    let mut command = agentwire(&["doctor", "--json"]);
    command.env("HOME", home).env("AGENTWIRE_CLI", "/no/such/cli").current_dir(home);
    let done = command.output().unwrap();
    text(&done.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}
