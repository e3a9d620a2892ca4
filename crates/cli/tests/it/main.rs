//! The built program, as a user runs it.
#![expect(clippy::unwrap_used, reason = "a test fails by a panic")]

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    time::{Duration, SystemTime},
};

use agentwire_testkit::transcript::{Entry, Transcript};
use serde_json::Value;

/// Returns the program, without the configuration of this user.
fn agentwire(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_agentwire"));
    command.args(arguments).env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("HOME", "/no/such/home");
    command
}

fn output(arguments: &[&str]) -> Output {
    agentwire(arguments).stdin(Stdio::null()).output().unwrap()
}

/// Returns the output after the reader of the standard output has closed the pipe.
fn without_reader(command: &mut Command) -> Output {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    command.stdout(writer).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// Returns what a terminal receives from the command, by the program `script` of Linux.
#[cfg(target_os = "linux")]
fn on_terminal(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = words.map(|word| format!("'{}'", word.to_str().unwrap())).collect();
    let mut script = Command::new("script");
    script.args(["-qec", &words.join(" "), "/dev/null"]).env_clear().env("NO_COLOR", "1");
    script.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    script.current_dir(command.get_current_dir().unwrap_or(Path::new(".")));
    String::from_utf8(script.stdin(Stdio::null()).output().unwrap().stdout).unwrap()
}

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/sessions/2.1.330/quickstart.transcript")
}

#[test]
fn bad_input_is_one_line_and_exit_code_2() {
    for arguments in [
        &["check", "no-such-file"][..],
        &["check"],
        &["view", "no-such-file"],
        &["wire", "no-such-file"],
        &["replay", "no-such-file"],
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
fn check_reports_each_transcript() {
    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("broken.transcript");
    fs::write(&broken, "no transcript\n").unwrap();
    let junit = folder.path().join("report.xml");
    let (good, bad, report) = (fixture(), broken.to_str().unwrap(), junit.to_str().unwrap());
    let good = good.to_str().unwrap();
    assert_eq!(output(&["check", good]).status.code(), Some(0));
    let done = output(&["check", good, bad, "--json", "--junit", report]);
    assert_eq!(done.status.code(), Some(1));
    let verdicts: Vec<Value> =
        text(&done.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(verdicts.iter().filter(|verdict| verdict["passed"] == true).count(), 1);
    assert_eq!(verdicts.len(), 2);
    let report = fs::read_to_string(junit).unwrap();
    assert!(report.contains("tests=\"2\" failures=\"1\"") && report.contains("<failure>"), "{report}");
}

#[test]
fn stored_session_is_no_recording() {
    let folder = tempfile::tempdir().unwrap();
    let message = serde_json::json!({"role": "user", "content": "A walk."});
    let entry = serde_json::json!({
        "type": "user", "uuid": ID, "parentUuid": null, "isSidechain": false, "message": message,
    });
    store(folder.path(), &[entry]);
    let file = folder.path().join(format!("projects/-p/{ID}.jsonl"));
    for (command, code) in [("check", 1), ("drift", 2), ("view", 2)] {
        let done = output(&[command, file.to_str().unwrap()]);
        let printed = [done.stdout, done.stderr].concat();
        assert_eq!(done.status.code(), Some(code), "{command}");
        assert!(text(&printed).contains("a session that the CLI stored"), "{}", text(&printed));
    }
}

#[test]
fn transcript_with_the_name_of_a_capture_is_checked() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.jsonl");
    fs::copy(fixture(), &file).unwrap();
    let done = output(&["check", file.to_str().unwrap()]);
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stdout));
}

#[test]
fn transcript_that_is_not_played_is_skipped_in_the_report() {
    let folder = tempfile::tempdir().unwrap();
    let (capture, junit) = (folder.path().join("output.jsonl"), folder.path().join("report.xml"));
    fs::write(&capture, "{\"type\":\"keep_alive\"}\n").unwrap();
    let (capture, report) = (capture.to_str().unwrap(), junit.to_str().unwrap());
    assert_eq!(output(&["check", "--facade", capture, "--junit", report]).status.code(), Some(1));
    let report = fs::read_to_string(junit).unwrap();
    assert!(report.contains("tests=\"1\" failures=\"0\" skipped=\"1\""), "{report}");
    assert!(report.contains("<skipped/>"), "{report}");
}

#[test]
fn replay_answers_as_the_recorded_cli() {
    let recorded = Transcript::parse(fs::read(fixture()).unwrap()).unwrap();
    let file = fixture().display().to_string();
    for strict in [&[][..], &["--strict"]] {
        let arguments = [&["replay"], strict, &[&*file, "--output-format", "stream-json"]].concat();
        play(&mut agentwire(&arguments), &recorded);
    }
}

#[test]
fn version_of_the_recorded_cli_is_reported_as_sdks_ask_first() {
    let done = output(&["replay", fixture().to_str().unwrap(), "-v"]);
    assert_eq!(text(&done.stdout), "2.1.330 (Claude Code)\n");
    let done = agentwire(&["-v"]).env("AGENTWIRE_REPLAY", fixture()).output().unwrap();
    assert_eq!(text(&done.stdout), "2.1.330 (Claude Code)\n");
}

/// Plays our side of a transcript to the program, and expects the CLI's side.
fn play(command: &mut Command, recorded: &Transcript) {
    let mut program = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = program.stdin.take();
    let mut lines = BufReader::new(program.stdout.take().unwrap()).lines();
    for entry in &recorded.entries {
        match entry {
            Entry::Outbound(line) => {
                let line = [&line[..], b"\n"].concat();
                input.as_mut().unwrap().write_all(&line).unwrap();
            }
            Entry::EndOfInput => drop(input.take()),
            Entry::Inbound(line) => assert_eq!(lines.next().unwrap().unwrap().as_bytes(), &line[..]),
            _ => {}
        }
    }
    drop(input);
    assert!(program.wait().unwrap().success());
}

#[test]
fn sessions_are_recorded_and_replayed_in_the_place_of_the_cli() {
    let folder = tempfile::tempdir().unwrap();
    let recorded = Transcript::parse(fs::read(fixture()).unwrap()).unwrap();
    // The CLI is a script that replays; a variable of this program in its environment would end in a loop.
    let cli = folder.path().join("claude");
    let program = env!("CARGO_BIN_EXE_agentwire");
    fs::write(&cli, format!("#!/bin/sh\nexec '{program}' replay '{}' \"$@\"\n", fixture().display()))
        .unwrap();
    fs::set_permissions(&cli, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let arguments = ["--output-format", "stream-json"];
    // A program on agentwire reads the variable too, so it names the recorder: the CLI is on the path.
    for (number, named) in [(1, &*cli), (2, Path::new(program))] {
        let mut record = agentwire(&arguments);
        record.env("AGENTWIRE_RECORD", folder.path()).env("AGENTWIRE_CLI", named).env("PATH", folder.path());
        play(&mut record, &recorded);
        let out = folder.path().join(format!("session-{number}.transcript"));
        let again = Transcript::parse(fs::read(&out).unwrap()).unwrap();
        assert_eq!(again.inbound().count(), recorded.inbound().count());
        let mut replay = agentwire(&arguments);
        play(replay.env("AGENTWIRE_REPLAY", &out), &again);
    }
}

#[test]
fn recording_without_a_folder_fails_before_the_session() {
    let folder = tempfile::tempdir().unwrap();
    for (out, missing) in [("no/x.transcript", "no"), ("no/", "no/")] {
        let mut command = agentwire(&["record", "-o", out, "--", "touch", "started"]);
        let done = command.current_dir(folder.path()).output().unwrap();
        assert_eq!(done.status.code(), Some(2));
        let expected = format!("agentwire: writing {out}: there is no folder {missing}\n");
        assert_eq!(text(&done.stderr), expected);
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "something was started or created");
}

/// No file can be created in `/proc`, even by root.
#[cfg(target_os = "linux")]
#[test]
fn recording_into_a_folder_without_rights_fails_before_the_session() {
    let folder = tempfile::tempdir().unwrap();
    for out in ["/proc", "/proc/", "/proc/x.transcript"] {
        let mut command = agentwire(&["record", "-o", out, "--", "touch", "started"]);
        let done = command.current_dir(folder.path()).output().unwrap();
        assert_eq!(done.status.code(), Some(2));
        let error = text(&done.stderr);
        assert!(error.starts_with(&format!("agentwire: writing {out}: ")), "{error}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "something was started or created");
}

#[test]
fn default_name_follows_no_link() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(fixture(), folder.path().join("a.transcript")).unwrap();
    let target = folder.path().join("target");
    for (command, name, program) in [
        (&["view", "a.transcript"][..], "a.html", &[][..]),
        (&["record"][..], "session.transcript", &["--", "cat"][..]),
    ] {
        std::os::unix::fs::symlink("target", folder.path().join(name)).unwrap();
        let code = |named: &[&str]| {
            let mut command = agentwire(&[command, named, program].concat());
            command.current_dir(&folder).stdin(Stdio::null()).output().unwrap().status.code()
        };
        assert_eq!((code(&[]), target.exists()), (Some(2), false), "{name}");
        // The user may name a link.
        assert_eq!((code(&["-o", name]), fs::remove_file(&target).is_ok()), (Some(0), true), "{name}");
    }
}

#[test]
fn errors_in_the_place_of_the_cli_have_absolute_paths() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().canonicalize().unwrap().join("no/x");
    for variable in ["AGENTWIRE_RECORD", "AGENTWIRE_REPLAY"] {
        let mut command = agentwire(&["--output-format", "stream-json"]);
        command.env(variable, "no/x").env("AGENTWIRE_CLI", "/bin/cat").current_dir(&folder);
        let done = command.stdin(Stdio::null()).output().unwrap();
        let error = text(&done.stderr);
        assert!(error.contains(&format!("ing {}: ", place.display())), "{error}");
    }
}

#[test]
fn call_by_an_sdk_without_a_variable_names_them() {
    let done = output(&["--output-format", "stream-json", "--verbose"]);
    let error = text(&done.stderr);
    assert!(error.contains("AGENTWIRE_RECORD") && error.contains("AGENTWIRE_REPLAY"), "{error}");
    let command = output(&["--json", "view", "/no/such/file", "stream-json"]);
    assert!(!text(&command.stderr).contains("AGENTWIRE_RECORD"), "{}", text(&command.stderr));
    assert_eq!(done.status.code(), Some(2));
}

#[test]
fn command_with_json_and_help_are_no_calls_by_an_sdk() {
    for variable in ["AGENTWIRE_RECORD", "AGENTWIRE_REPLAY"] {
        let run = |arguments: &[&str]| {
            let mut command = agentwire(arguments);
            command.env(variable, "/no/such/path").stdin(Stdio::null()).output().unwrap()
        };
        let done = run(&["--json", "check", "no-such-file"]);
        assert_eq!(text(&done.stderr), "agentwire: no-such-file does not exist\n");
        for (argument, expected) in [("--help", "Usage: "), ("-h", "Usage: "), ("-V", "agentwire ")] {
            let done = run(&[argument]);
            assert!(done.status.success() && text(&done.stdout).contains(expected), "{argument}: {done:?}");
        }
    }
}

#[test]
fn capture_of_the_output_alone_is_replayed() {
    let folder = tempfile::tempdir().unwrap();
    let capture = folder.path().join("output.jsonl");
    fs::write(&capture, "{\"type\":\"keep_alive\"}\n").unwrap();
    let done = output(&["replay", capture.to_str().unwrap()]);
    assert_eq!(text(&done.stdout), "{\"type\":\"keep_alive\"}\n");
    assert!(done.status.success() && done.stderr.is_empty(), "{}", text(&done.stderr));
}

#[test]
fn replay_writes_the_recorded_standard_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.transcript");
    let lines = "# agentwire-transcript 1\n! boom on stderr\n< {\"type\":\"keep_alive\"}\n= exit 3\n";
    fs::write(&file, lines).unwrap();
    let done = output(&["replay", file.to_str().unwrap()]);
    assert_eq!((done.status.code(), text(&done.stderr)), (Some(3), "boom on stderr\n"));
    assert_eq!(text(&done.stdout), "{\"type\":\"keep_alive\"}\n");
}

#[test]
fn replay_reports_an_sdk_that_sends_something_else() {
    let mut command = agentwire(&["replay", fixture().to_str().unwrap()]);
    let mut program =
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    // The program may have ended already.
    let _ = program.stdin.as_mut().unwrap().write_all(b"{\"type\":\"keep_alive\"}\n");
    let done = program.wait_with_output().unwrap();
    assert_eq!(done.status.code(), Some(1));
    assert!(text(&done.stderr).contains(": at line 4 of the transcript: "), "{}", text(&done.stderr));
}

#[test]
fn exit_code_of_the_recorded_program_is_passed_on() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("x.transcript");
    let script = "echo '{}'; echo why >&2; exit 7";
    let mut command = agentwire(&["record", "--raw", "-o", out.to_str().unwrap(), "--", "sh", "-c", script]);
    let mut program =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    assert_eq!(program.wait().unwrap().code(), Some(7));
    drop(program.stdin.take());
    let recorded = fs::read_to_string(out).unwrap();
    assert!(recorded.contains("! why") && recorded.contains("= exit 7"), "{recorded}");
}

#[test]
fn terminated_recording_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("x.transcript");
    let mut command =
        agentwire(&["record", "-o", out.to_str().unwrap(), "--", "sh", "-c", "echo '{}'; exec cat"]);
    let mut program = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    // `wait` would end the input, and `cat` may end by that before the signal reaches it.
    let input = program.stdin.take();
    let mut line = String::new();
    BufReader::new(program.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(Command::new("kill").arg(program.id().to_string()).status().unwrap().success());
    assert_eq!(program.wait().unwrap().code(), Some(128 + 15));
    drop(input);
    let mode = std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&out).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
    let recorded = fs::read_to_string(out).unwrap();
    assert!(recorded.contains("^ SIGTERM") && recorded.contains("= signal SIGTERM"), "{recorded}");
}

#[tokio::test]
async fn recording_whose_output_is_not_read_is_written_after_a_signal() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("x.transcript");
    let cli = r#"trap '' TERM; printf '{"type":"'; head -c 1000000 /dev/zero | tr '\0' x; echo '"}'"#;
    let mut command = agentwire(&["record", "--raw", "-o", out.to_str().unwrap(), "--", "sh", "-c", cli]);
    let mut program = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let _output = running::begin_to_read(&mut program);
    running::signal(&program, "TERM");
    assert_eq!(running::code_of(&mut program).await, Some(0));
    let recorded = fs::read_to_string(out).unwrap();
    let line = format!("< {{\"type\":\"{}\"}}\n", "x".repeat(1_000_000));
    assert!(recorded.contains(&line) && recorded.contains("^ SIGTERM"), "{recorded:.500}");
}

#[test]
fn model_is_served_to_a_program() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script.json");
    fs::write(&script, r#"{"replies": []}"#).unwrap();
    let program = r#"test -d "$HOME" && echo "$HOME $ANTHROPIC_BASE_URL"; exit 3"#;
    let done = output(&["mock", script.to_str().unwrap(), "--", "sh", "-c", program]);
    assert_eq!(done.status.code(), Some(3), "{}", text(&done.stderr));
    let (home, url) = text(&done.stdout).trim().split_once(' ').unwrap();
    assert!(url.starts_with("http://127.0.0.1:"));
    assert!(!Path::new(home).exists(), "the temporary home is left behind");
}

#[test]
fn program_of_a_model_gets_no_credentials_of_the_user() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script.json");
    fs::write(&script, r#"{"replies": []}"#).unwrap();
    let program = r#"echo "$ANTHROPIC_API_KEY ${ANTHROPIC_AUTH_TOKEN:-none}""#;
    let mut command = agentwire(&["mock", script.to_str().unwrap(), "--", "sh", "-c", program]);
    command.env("ANTHROPIC_API_KEY", "sk-real").env("ANTHROPIC_AUTH_TOKEN", "real");
    let done = command.stdin(Stdio::null()).output().unwrap();
    assert_eq!(text(&done.stdout), "sk-fake none\n", "{}", text(&done.stderr));
}

#[test]
fn home_of_a_model_is_an_absolute_path() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("script.json"), r#"{"replies": []}"#).unwrap();
    let mut command = agentwire(&["mock", "script.json", "--home", "h", "--", "sh", "-c", "echo $HOME"]);
    let done = command.current_dir(&folder).output().unwrap();
    let home = folder.path().canonicalize().unwrap().join("h");
    assert_eq!(text(&done.stdout), format!("{}\n", home.display()), "{}", text(&done.stderr));
}

#[test]
fn terminated_model_ends_its_program_first() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script.json");
    fs::write(&script, r#"{"replies": []}"#).unwrap();
    let program = r#"trap '' INT; trap 'exit 7' TERM; echo "$HOME"; while :; do sleep 0.1; done"#;
    // Without a terminal, SIGINT reaches the model alone.
    for signals in [&["TERM"][..], &["INT", "TERM"]] {
        let mut command = agentwire(&["mock", script.to_str().unwrap(), "--", "sh", "-c", program]);
        let mut mock = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let mut home = String::new();
        BufReader::new(mock.stdout.take().unwrap()).read_line(&mut home).unwrap();
        for signal in signals {
            let kill = Command::new("kill").args(["-s", signal, &mock.id().to_string()]).status().unwrap();
            assert!(kill.success());
        }
        assert_eq!(mock.wait().unwrap().code(), Some(7));
        assert!(!Path::new(home.trim_end()).exists(), "the temporary home is left behind");
    }
}

#[test]
fn drift_reports_kinds_and_fields_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.jsonl");
    fs::write(&file, "{\"type\":\"zz_new\"}\n{\"type\":\"zz_new\"}\n").unwrap();
    let done = output(&["drift", file.to_str().unwrap(), "--json"]);
    assert_eq!(done.status.code(), Some(1));
    let found: Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!((&found["missing"], &found["times"]), (&Value::from("recorded kind zz_new"), &Value::from(2)));
    assert_eq!(output(&["drift", fixture().to_str().unwrap()]).status.code(), Some(0));
}

#[test]
fn drift_reads_the_files_after_one_that_can_not_be_read() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.transcript"), "no transcript\n").unwrap();
    fs::write(folder.path().join("b.jsonl"), "{\"type\":\"zz_new\"}\n").unwrap();
    fs::write(folder.path().join("c.transcript"), "nor is this\n").unwrap();
    let done = output(&["drift", folder.path().to_str().unwrap()]);
    assert_eq!(done.status.code(), Some(2));
    assert!(text(&done.stdout).starts_with("recorded kind zz_new: 1 times"), "{}", text(&done.stdout));
    let errors = text(&done.stderr);
    assert_eq!(errors.lines().filter(|line| line.starts_with("agentwire: reading ")).count(), 2, "{errors}");
}

#[test]
fn drift_reads_a_capture_that_begins_with_noise() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.jsonl");
    fs::write(&file, "warning\n{\"type\":\"keep_alive\"}\n").unwrap();
    let done = output(&["drift", file.to_str().unwrap()]);
    assert_eq!(done.status.code(), Some(1), "{}", text(&done.stderr));
    assert!(text(&done.stdout).starts_with("recorded noise: 1 times"), "{}", text(&done.stdout));
}

#[test]
fn capture_that_begins_with_noise_is_viewed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.jsonl");
    // Another program may still write the capture.
    for lines in ["", "a warning\n{\"type\":\"keep_alive\"}\n"] {
        fs::write(&file, lines).unwrap();
        let done = agentwire(&["view", "a.jsonl"]).current_dir(&folder).output().unwrap();
        assert!(done.status.success(), "{}", text(&done.stderr));
    }
    assert!(fs::read_to_string(folder.path().join("a.html")).unwrap().contains("a warning"));
}

#[test]
fn page_is_private() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    let done = output(&["view", fixture().to_str().unwrap(), "-o", page.to_str().unwrap()]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    let mode = std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&page).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
}

#[cfg(target_os = "linux")]
#[test]
fn file_with_a_name_that_is_not_utf8_is_viewed() {
    use std::os::unix::ffi::OsStrExt as _;

    let folder = tempfile::tempdir().unwrap();
    let name = std::ffi::OsStr::from_bytes(b"a\xff.transcript");
    fs::copy(fixture(), folder.path().join(name)).unwrap();
    let done = agentwire(&["view"]).arg(name).current_dir(&folder).output().unwrap();
    assert!(done.status.success(), "{}", text(&done.stderr));
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
fn record_writes_no_transcript_without_a_session() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("session.transcript");
    assert_eq!(
        output(&["record", "-o", out.to_str().unwrap(), "--", "no-such-program"]).status.code(),
        Some(2)
    );
    assert!(!out.exists());
    assert!(output(&["record", "-o", out.to_str().unwrap(), "--", "cat", "--version"]).status.success());
    assert!(!out.exists());
}

#[test]
fn record_keeps_both_directions_and_no_key() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("session.transcript");
    let mut command = agentwire(&["record", "-o", out.to_str().unwrap(), "--", "cat"]);
    let mut program = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let line = r#"{"type":"user","message":"sk-ant-api03-abcdefghijklmnopqrstuvwxyz"}"#;
    writeln!(program.stdin.take().unwrap(), "{line}").unwrap();
    let done = program.wait_with_output().unwrap();
    assert!(done.status.success());
    assert_eq!(text(&done.stdout), format!("{line}\n"), "the traffic is unchanged");
    let recorded = fs::read_to_string(out).unwrap();
    assert!(
        recorded.lines().any(|line| line.starts_with("> "))
            && recorded.lines().any(|line| line.starts_with("< "))
    );
    assert!(!recorded.contains("abcdefghijklmnopqrstuvwxyz"), "{recorded}");
}

#[test]
fn record_replaces_the_folder_that_it_runs_in() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let out = folder.path().join("session.transcript");
    let mut command = agentwire(&["record", "-o", out.to_str().unwrap(), "--", "cat"]);
    command.current_dir(folder.path()).env("PWD", "/elsewhere");
    let mut program = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let line = format!(r#"{{"type":"user","cwd":{:?}}}"#, folder.path().canonicalize().unwrap());
    writeln!(program.stdin.take().unwrap(), "{line}").unwrap();
    assert!(program.wait_with_output().unwrap().status.success());
    let recorded = fs::read_to_string(out).unwrap();
    assert!(recorded.contains(r#"> {"type":"user","cwd":"<cwd>"}"#), "{recorded}");
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
        let config = running::server(folder.path(), tools, result);
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

#[test]
fn stored_session_is_listed_shown_renamed_and_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let id = ID;
    let entry = serde_json::json!({
        "type": "user", "uuid": "5f3f4c52-5a35-4f0e-9a51-6d8d0e7b1a10", "sessionId": id, "parentUuid": null,
        "timestamp": "2026-11-01T10:00:00.000Z", "cwd": "/p", "message": {"role": "user", "content": "A walk."},
    });
    store(folder.path(), &[entry]);
    let place = folder.path().to_str().unwrap();
    let sessions = |place: &[&str], arguments: &[&str]| {
        let done = output(&[&["sessions"], place, arguments].concat());
        assert!(done.status.success(), "{arguments:?}: {}", text(&done.stderr));
        text(&done.stdout).to_owned()
    };
    let store = format!("file://{place}/store");
    assert_eq!(sessions(&["--folder", place], &["import", &store]), format!("{id}  -p\n"));
    // What a folder can do, a store can too.
    for place in [&["--folder", place][..], &["--store", &store, "--project", "/p"]] {
        let run = |arguments: &[&str]| sessions(place, arguments);
        let titles = || {
            let list = run(&["list", "--json"]);
            let titles =
                list.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["summary"].clone());
            titles.collect::<Vec<_>>()
        };
        assert_eq!(titles(), ["A walk."]);
        let list = run(&["list"]);
        assert!(list.starts_with(id) && list.ends_with("Z  A walk.\n"), "{list}");
        assert!(run(&["show", id]).starts_with("# A walk."));
        assert!(run(&["show", id, "--json"]).contains("A walk."));
        assert!(run(&["export", id, "--html"]).contains("<html"));
        assert!(run(&["search", "walk"]).starts_with(id));
        assert_eq!(run(&["cost"]), "");
        run(&["rename", id, "In the park"]);
        assert_eq!(titles(), ["In the park"]);
        let copy = run(&["fork", id]);
        assert_eq!(titles().len(), 2);
        run(&["delete", copy.trim()]);
        run(&["delete", id]);
        assert_eq!(titles().len(), 0);
    }
}

#[test]
fn cost_is_computed_from_a_file_of_prices() {
    let folder = tempfile::tempdir().unwrap();
    let entry = serde_json::json!({
        "type": "assistant", "uuid": "5f3f4c52-5a35-4f0e-9a51-6d8d0e7b1a10", "parentUuid": null,
        "timestamp": "2026-11-01T10:00:00.000Z",
        "message": {"id": "m", "role": "assistant", "model": "some-model", "content": [],
            "usage": {"input_tokens": 1_000_000, "output_tokens": 500_000}},
    });
    store(folder.path(), &[entry]);
    let prices = folder.path().join("prices.json");
    fs::write(&prices, r#"{"some-model": {"input": 3, "output": 15}}"#).unwrap();
    let place = ["sessions", "--folder", folder.path().to_str().unwrap()];
    let done = output(&[&place[..], &["cost", "--json", "--prices", prices.to_str().unwrap()]].concat());
    let cost: Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!((&cost["tokens"], &cost["cost_usd"]), (&Value::from(1_500_000), &Value::from(10.5)));
    fs::write(&prices, r#"{"some-model": {"inputs": 3}}"#).unwrap();
    let done = output(&[&place[..], &["cost", "--prices", prices.to_str().unwrap()]].concat());
    assert_eq!(done.status.code(), Some(2));
}

#[test]
fn cost_needs_a_price_for_each_kind_of_tokens() {
    let folder = tempfile::tempdir().unwrap();
    let cached = serde_json::json!({"ephemeral_1h_input_tokens": 1_000_000, "ephemeral_5m_input_tokens": 0});
    let usage = serde_json::json!({
        "input_tokens": 0, "output_tokens": 1_000_000,
        "cache_creation_input_tokens": 1_000_000, "cache_creation": cached,
    });
    let answer = serde_json::json!({
        "type": "assistant", "uuid": "5f3f4c52-5a35-4f0e-9a51-6d8d0e7b1a10", "parentUuid": null,
        "timestamp": "2026-11-01T10:00:00.000Z",
        "message": {"id": "m", "role": "assistant", "model": "some-model", "content": [], "usage": usage},
    });
    let recorded = serde_json::json!({"type": "cost-state", "sessionId": ID, "totalCostUSD": 25.5});
    store(folder.path(), &[answer, recorded]);
    let prices = folder.path().join("prices.json");
    let printed = |price: &str, options: &[&str]| {
        fs::write(&prices, format!(r#"{{"some-model": {price}}}"#)).unwrap();
        let (folder, prices) = (folder.path().to_str().unwrap(), prices.to_str().unwrap());
        let command = ["sessions", "--folder", folder, "cost", "--prices", prices];
        text(&output(&[&command[..], options].concat()).stdout).to_owned()
    };
    let cost = |price| printed(price, &[]);
    let tokens = "some-model: 2000000 tokens in 1 answers (input 0, output 1000000, cache read 0, cache written 1000000)";
    let recorded = "\nthe CLI has recorded $25.5000\n";
    assert_eq!(cost(r#"{"output": 15, "cache_write": 3.75}"#), format!("{tokens}{recorded}"));
    assert_eq!(cost(r#"{"output": 15, "cache_write_1h": 6}"#), format!("{tokens}, $21.0000{recorded}"));
    let lines = printed(r#"{"output": 15, "cache_write": 3.75}"#, &["--json"]);
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&lines[0]["cost_usd"], &lines[1]["recorded_usd"]), (&Value::Null, &Value::from(25.5)));
}

#[test]
fn search_continues_after_a_file_that_can_not_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let entry = serde_json::json!({
        "type": "user", "uuid": "5f3f4c52-5a35-4f0e-9a51-6d8d0e7b1a10", "parentUuid": null,
        "timestamp": "2026-11-01T10:00:00.000Z", "message": {"role": "user", "content": "A walk."},
    });
    store(folder.path(), &[entry]);
    let agent = folder.path().join(format!("projects/-p/{ID}/subagents/agent-a1.jsonl"));
    fs::create_dir_all(agent.parent().unwrap()).unwrap();
    fs::write(
        &agent,
        r#"{"type":"user","isSidechain":true,"message":{"role":"user","content":"A walk of the agent."}}"#,
    )
    .unwrap();
    // Its only line is too long. The newest file is searched first.
    let unreadable = folder.path().join("projects/-p/5f3f4c52-5a35-4f0e-9a51-6d8d0e7b1a12.jsonl");
    fs::File::create(&unreadable).unwrap().set_len(65 << 20).unwrap();
    let arguments = ["sessions", "--folder", folder.path().to_str().unwrap(), "search", "walk"];
    let done = output(&arguments);
    let found = text(&done.stdout);
    assert!(found.contains(&format!("{ID}  user: A walk.")), "{found}");
    assert!(found.contains(&format!("{ID} (subagent a1)  user: A walk of the agent.")), "{found}");
    let error = text(&done.stderr);
    assert!(error.starts_with("agentwire: ") && error.contains(unreadable.to_str().unwrap()), "{error}");
    assert_eq!(done.status.code(), Some(2));
    assert_eq!(without_reader(&mut agentwire(&arguments)).status.code(), Some(2));
}

#[test]
fn project_folder_that_can_not_be_read_is_named() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().unwrap();
    let message = serde_json::json!({"role": "user", "content": "A walk."});
    store(folder.path(), &[serde_json::json!({"type": "user", "uuid": ID, "message": message})]);
    let (unreadable, other) = (folder.path().join("projects/-q"), "0b0e7a3e-57a1-4a4c-9d3f-0d8c5a2f1b12");
    fs::create_dir(&unreadable).unwrap();
    let file = folder.path().join(format!("projects/-p/{ID}.jsonl"));
    fs::copy(file, unreadable.join(format!("{other}.jsonl"))).unwrap();
    fs::set_permissions(&unreadable, fs::Permissions::from_mode(0o000)).unwrap();
    let (place, url) = (folder.path().to_str().unwrap(), format!("file://{}/store", folder.path().display()));
    let sessions = |arguments: &[&str]| {
        let arguments = [&["sessions", "--folder", place][..], arguments].concat();
        unprivileged(&unreadable, &arguments).output().unwrap()
    };
    for (arguments, printed) in [
        (&["search", "walk"][..], 1),
        (&["cost"][..], 0),
        (&["import", &*url][..], 1),
        (&["import", &*url, other][..], 0),
        (&["show", other][..], 0),
        (&["cost", other][..], 0),
        (&["delete", other][..], 0),
    ] {
        let done = sessions(arguments);
        let error = text(&done.stderr);
        let is_named = error.contains(unreadable.to_str().unwrap()) && error.contains("Permission denied");
        assert!(error.starts_with("agentwire: ") && is_named, "{arguments:?}: {error}");
        assert_eq!((error.lines().count(), done.status.code()), (1, Some(2)), "{arguments:?}: {error}");
        assert_eq!(text(&done.stdout).lines().count(), printed, "{arguments:?}");
    }
    let listed = sessions(&["list"]);
    assert!(listed.status.success() && listed.stderr.is_empty(), "{}", text(&listed.stderr));
    assert_eq!(text(&listed.stdout).lines().count(), 1);
    // Otherwise it can't be removed.
    fs::set_permissions(&unreadable, fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn import_names_a_file_that_can_not_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let [_, unreadable, _] = store_three(folder.path());
    let file = folder.path().join(format!("projects/-p/{unreadable}.jsonl"));
    fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o000)).unwrap();
    let (place, url) = (folder.path().to_str().unwrap(), format!("file://{}/store", folder.path().display()));
    let done = unprivileged(&file, &["sessions", "--folder", place, "import", &url]).output().unwrap();
    let error = text(&done.stderr);
    assert!(error.starts_with("agentwire: ") && error.contains(file.to_str().unwrap()), "{error}");
    assert_eq!((error.lines().count(), done.status.code()), (1, Some(2)), "{error}");
    assert_eq!(text(&done.stdout).lines().count(), 2);
}

/// Returns the program. If this test can read the path in spite of its mode, as root can, the program can't.
fn unprivileged(unreadable: &Path, arguments: &[&str]) -> Command {
    let command = agentwire(arguments);
    if fs::File::open(unreadable).is_err() {
        return command;
    }
    let mut bounded = Command::new("setpriv");
    let capabilities = "-dac_override,-dac_read_search";
    bounded.args([format!("--inh-caps={capabilities}"), format!("--bounding-set={capabilities}")]);
    bounded.arg(command.get_program()).args(command.get_args()).env_clear();
    bounded.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    bounded
}

#[test]
fn stored_session_is_viewed_by_its_id() {
    let folder = tempfile::tempdir().unwrap();
    let entry = |number: u32, kind: &str, message: Value| {
        serde_json::json!({
            "type": kind, "uuid": format!("5f3f4c52-5a35-4f0e-9a51-6d8d0e7b1a1{number}"), "sessionId": ID,
            "parentUuid": number.checked_sub(1).map(|before| format!("5f3f4c52-5a35-4f0e-9a51-6d8d0e7b1a1{before}")),
            "timestamp": "2026-11-01T10:00:00.000Z", "message": message,
        })
    };
    let tool = serde_json::json!([{"type": "tool_use", "id": "toolu_1", "name": "Walk", "input": {}}]);
    let result =
        serde_json::json!([{"type": "tool_result", "tool_use_id": "toolu_1", "content": "In the park."}]);
    let entries = [
        entry(0, "user", serde_json::json!({"role": "user", "content": "A walk."})),
        entry(1, "system", Value::Null),
        entry(2, "assistant", serde_json::json!({"id": "m", "role": "assistant", "content": tool})),
        entry(3, "user", serde_json::json!({"role": "user", "content": result})),
    ];
    store(folder.path(), &entries);
    let page = folder.path().join("sub/page.html");
    let done =
        output(&["view", ID, "--folder", folder.path().to_str().unwrap(), "-o", page.to_str().unwrap()]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    let page = fs::read_to_string(page).unwrap();
    assert!(page.contains("A walk.") && page.contains("In the park."));
    assert!(page.contains("Prompt") && !page.contains("Written by the CLI as the user"));
    assert!(!page.contains("system/"));
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
    let message = serde_json::json!({"role": "user", "content": "A walk."});
    let uuid = "5f3f4c52-5a35-4f0e-9a51-6d8d0e7b1a10";
    store(folder.path(), &[serde_json::json!({"type": "user", "uuid": uuid, "message": message})]);
    let (place, to) = (folder.path().to_str().unwrap(), format!("file://{}/store", folder.path().display()));
    let imported = on_terminal(&agentwire(&["sessions", "--folder", place, "import", &to]));
    assert_eq!(imported, format!("{ID}  -p\r\n"));
}

#[test]
fn newest_session_is_the_newest_in_a_store_too() {
    let folder = tempfile::tempdir().unwrap();
    let ids = store_three(folder.path());
    let (place, url) = (folder.path().to_str().unwrap(), format!("file://{}/store", folder.path().display()));
    output(&["sessions", "--folder", place, "import", &url]);
    let listed = output(&["sessions", "--store", &url, "--project", "/p", "list"]);
    let listed: Vec<_> = text(&listed.stdout).lines().map(|line| &line[..ID.len()]).collect();
    assert_eq!(listed, ids);
}

#[test]
fn import_continues_after_a_session_that_can_not_be_imported() {
    let folder = tempfile::tempdir().unwrap();
    let [newest, _, oldest] = store_three(folder.path());
    let (place, url) = (folder.path().to_str().unwrap(), format!("file://{}/store", folder.path().display()));
    let import =
        |ids: &[&str]| agentwire(&[&["sessions", "--folder", place, "import", &*url][..], ids].concat());
    assert!(import(&[oldest]).output().unwrap().status.success());
    // The store now lacks the entry before the one that it has.
    let file = folder.path().join(format!("projects/-p/{oldest}.jsonl"));
    let message = serde_json::json!({"role": "user", "content": "A walk."});
    let before = serde_json::json!({"type": "user", "uuid": oldest, "message": message});
    fs::write(&file, format!("{before}\n{}", fs::read_to_string(&file).unwrap())).unwrap();
    let written = SystemTime::now() - Duration::from_secs(7200);
    fs::File::options().append(true).open(&file).unwrap().set_modified(written).unwrap();
    let unknown = "0b0e7a3e-57a1-4a4c-9d3f-0d8c5a2f1b19";
    for (ids, failed) in [(&[unknown, newest][..], unknown), (&[][..], oldest)] {
        let done = import(ids).output().unwrap();
        let error = text(&done.stderr);
        assert!(error.starts_with("agentwire: ") && error.contains(failed), "{error}");
        assert_eq!((error.lines().count(), done.status.code()), (1, Some(2)), "{error}");
        assert_eq!(without_reader(&mut import(ids)).status.code(), Some(2));
    }
    let listed = output(&["sessions", "--store", &url, "--project", "/p", "list"]);
    assert_eq!(text(&listed.stdout).lines().count(), 3);
}

#[test]
fn folder_that_the_environment_names_belongs_to_every_project() {
    let folder = tempfile::tempdir().unwrap();
    store_three(folder.path());
    let listed = |name: &str| {
        let mut list = agentwire(&["sessions", "--project", "/elsewhere", "list"]);
        list.env("CLAUDE_CONFIG_DIR", folder.path()).env("CLAUDE_CODE_PROJECT_DIR_NAME", name);
        text(&list.output().unwrap().stdout).lines().count()
    };
    // The CLI ignores names with other characters than letters, digits, `-` and `_`.
    assert_eq!([listed("-p"), listed("./-p")], [3, 0]);
}

/// Stores the entries of the session [`ID`] in a configuration folder.
fn store(folder: &Path, entries: &[Value]) {
    let project = folder.join("projects/-p");
    fs::create_dir_all(&project).unwrap();
    let lines: String = entries.iter().map(|entry| format!("{entry}\n")).collect();
    fs::write(project.join(format!("{ID}.jsonl")), lines).unwrap();
}

/// Stores three sessions, and returns their ids, the newest first.
fn store_three(folder: &Path) -> [&'static str; 3] {
    let project = folder.join("projects/-p");
    fs::create_dir_all(&project).unwrap();
    let ids = ["0b0e7a3e-57a1-4a4c-9d3f-0d8c5a2f1b13", ID, "0b0e7a3e-57a1-4a4c-9d3f-0d8c5a2f1b12"];
    for (id, age) in ids.iter().zip([0, 3600, 7200]) {
        let file = project.join(format!("{id}.jsonl"));
        let message = serde_json::json!({"role": "user", "content": "A walk."});
        let entry = serde_json::json!({"type": "user", "uuid": ID, "message": message});
        fs::write(&file, format!("{entry}\n")).unwrap();
        let written = SystemTime::now() - Duration::from_secs(age);
        fs::File::options().append(true).open(&file).unwrap().set_modified(written).unwrap();
    }
    ids
}

const ID: &str = "0b0e7a3e-57a1-4a4c-9d3f-0d8c5a2f1b11";

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
fn doctor_names_the_cause_if_the_cli_cannot_run() {
    let text = doctor_report("echo boom >&2\nexit 3\n");
    assert!(text.contains("boom") && text.contains("run that program by hand"), "{text}");
}

#[test]
fn doctor_refuses_a_cli_that_is_too_old() {
    let text = doctor_report("echo '1.0.44 (Claude Code)'\n");
    assert!(
        text.contains("1.0.44, and at least 2.1.0 is needed") && text.contains("update Claude Code"),
        "{text}"
    );
}

/// Returns the report about a CLI that is this shell script.
fn doctor_report(script: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let cli = folder.path().join("claude");
    fs::write(&cli, format!("#!/bin/sh\n{script}")).unwrap();
    fs::set_permissions(&cli, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let mut command = agentwire(&["doctor"]);
    let done = command.env("HOME", folder.path()).env("AGENTWIRE_CLI", &cli).output().unwrap();
    String::from_utf8(done.stdout).unwrap()
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

#[test]
fn completions_name_each_command() {
    let done = output(&["completions", "bash"]);
    for command in ["doctor", "record", "replay", "check", "drift", "sessions"] {
        assert!(text(&done.stdout).contains(command));
    }
}

mod permissions;
mod running;
mod serving;
