//! Arguments, help, exit codes and streams that are closed or full.

use std::{fs, process::Command};

use super::{ID, agentwire, fixture, on_terminal, output, store, store_three, text, walk, without_reader};

#[test]
fn bad_input_is_one_line_and_exit_code_2() {
    for arguments in [
        &["check", "no-such-file"][..],
        &["check"],
        &["view", "no-such-file"],
        &["wire", "no-such-file"],
        &["replay", "no-such-file"],
        &["replay", "no-such-file", "--", "true"],
        &["replay", "--strict", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"), "--", "true"],
        &["mock", "no-such-file", "--home", "x"],
        &["sessions", "--folder", "no-such-folder", "show", "0b0e7a3e-57a1-4a4c-9d3f-0d8c5a2f1b11"],
        &["record", "-o", "no-such-folder/x", "--", "no-such-program"],
        &["drift", "no-such-file"],
        &["no-such-command"],
        &["view", "0b0e7a3e-57a1-4a4c-9d3f-0d8c5a2f1b11"],
        &["sessions", "list", "--store", "rediss://:s3cr3t@x"],
        &["sessions", "show", "no-id"],
        &["sessions", "list", "--limit", "many"],
        &["sessions", "list", "--store", "file:///no/such/folder"],
        &["sessions", "--folder", "/", "list", "--store", "file:///"],
        &["sessions", "--store", "file:///", "list", "--folder", "/"],
        &["sessions", "--folder", "/", "import", "file://"],
        &["run", ""],
        #[cfg(feature = "hub")]
        &["run", "--trust", "Hello."],
        #[cfg(feature = "hub")]
        &["hub", "list", "--config", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")],
        #[cfg(feature = "hub")]
        &["hub", "call", "a", "b", "no json"],
        #[cfg(feature = "hub")]
        &["hub", "list", "--config", "no-such-file"],
    ] {
        let done = output(arguments);
        assert_eq!(done.status.code(), Some(2), "{arguments:?}");
        let errors = text(&done.stderr);
        assert!(errors.starts_with("agentwire: ") && errors.lines().count() == 1, "{arguments:?}: {errors}");
        assert!(!errors.contains("s3cr3t"), "{errors}");
        assert!(done.stdout.is_empty());
    }
}

#[test]
fn session_id_has_hyphens() {
    let done = output(&["sessions", "--folder", ".", "show", &ID.replace('-', "")]);
    assert!(text(&done.stderr).contains("is not a session id"), "{}", text(&done.stderr));
}

#[test]
fn help_and_version_are_printed() {
    let help = output(&["--help"]);
    assert!(help.status.success() && text(&help.stdout).contains("AGENTWIRE_REPLAY"));
    let version = output(&["--version"]);
    assert!(version.status.success());
    assert_eq!(text(&version.stdout), concat!("agentwire ", env!("CARGO_PKG_VERSION"), "\n"));
    let none = output(&[]);
    assert_eq!(none.status.code(), Some(2));
    assert!(text(&none.stderr).contains("Usage: agentwire"));
}

#[test]
fn closed_pipe_ends_quietly() {
    let done = without_reader(&mut agentwire(&["decode", fixture().to_str().unwrap()]));
    assert!(done.status.success() && done.stderr.is_empty(), "{}", text(&done.stderr));
}

#[test]
fn closed_pipe_hides_no_failure() {
    let folder = tempfile::tempdir().unwrap();
    let files = ["broken.transcript", "new.jsonl", "report.xml"].map(|name| folder.path().join(name));
    let [broken, new, junit] = files.each_ref().map(|file| file.to_str().unwrap());
    fs::write(broken, "no transcript\n").unwrap();
    fs::write(new, "{\"type\":\"zz_new\"}\n").unwrap();
    let code = |command: &mut Command| without_reader(command).status.code();
    assert_eq!(code(&mut agentwire(&["check", broken, "--junit", junit])), Some(1));
    assert!(fs::read_to_string(junit).unwrap().contains("failures=\"1\""));
    assert_eq!(code(&mut agentwire(&["drift", new])), Some(1));
    assert_eq!(code(&mut agentwire(&["decode", broken])), Some(1));
    let mut doctor = agentwire(&["doctor", "--no-session"]);
    assert_eq!(code(doctor.env("HOME", folder.path()).env("AGENTWIRE_CLI", "/no/such/cli")), Some(1));
    #[cfg(feature = "hub")]
    {
        let config = folder.path().join("servers.json");
        fs::write(&config, r#"{"mcpServers": {"s": {"command": "/no/such/program"}}}"#).unwrap();
        assert_eq!(code(&mut agentwire(&["hub", "list", "--config", config.to_str().unwrap()])), Some(1));
        let tools = r#"[{"name":"t","inputSchema":{"type":"object"}}]"#;
        let result = r#"{"content":[{"type":"text","text":"No."}],"isError":true}"#;
        let config = super::hub::server(folder.path(), tools, result);
        assert_eq!(code(&mut agentwire(&["hub", "call", "s", "t", "--config", &config])), Some(1));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn full_disk_is_reported_beside_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("broken.transcript");
    fs::write(&broken, "no transcript\n").unwrap();
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let ended = agentwire(&["check", broken.to_str().unwrap()]).stdout(full).output().unwrap();
    assert_eq!(ended.status.code(), Some(2));
    let cause = "writing the standard output: No space left";
    assert!(text(&ended.stderr).contains(cause), "{}", text(&ended.stderr));
}

#[test]
fn import_is_complete_after_a_closed_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let ids = store_three(folder.path());
    let (place, url) = (folder.path().to_str().unwrap(), format!("file://{}/store", folder.path().display()));
    let done = without_reader(&mut agentwire(&["sessions", "--folder", place, "import", &url]));
    assert!(done.status.success() && done.stderr.is_empty(), "{}", text(&done.stderr));
    let listed = output(&["sessions", "--store", &url, "--project", "/p", "list"]);
    assert_eq!(text(&listed.stdout).lines().count(), ids.len());
}

#[cfg(target_os = "linux")]
#[test]
fn terminal_gets_no_control_characters_of_a_capture() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.jsonl");
    fs::write(&file, "{\"type\":\"a\\u009b2J\"}\n").unwrap();
    let shown = on_terminal(&agentwire(&["decode", file.to_str().unwrap()]));
    assert!(shown.contains("a\u{fffd}2J") && !shown.contains('\u{9b}'), "{shown:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn import_prints_nothing_but_its_lines_on_a_terminal() {
    let folder = tempfile::tempdir().unwrap();
    store(folder.path(), &[walk("5f3f4c52-5a35-4f0e-9a51-6d8d0e7b1a10")]);
    let (place, to) = (folder.path().to_str().unwrap(), format!("file://{}/store", folder.path().display()));
    let imported = on_terminal(&agentwire(&["sessions", "--folder", place, "import", &to]));
    assert_eq!(imported, format!("{ID}  -p\r\n"));
}

#[test]
fn completions_name_each_command() {
    let done = output(&["completions", "bash"]);
    for command in ["doctor", "record", "replay", "check", "drift", "sessions"] {
        assert!(text(&done.stdout).contains(command));
    }
}
