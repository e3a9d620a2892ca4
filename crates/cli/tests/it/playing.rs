//! Programs in the place of the CLI: `record`, `replay` and `model`.

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use agentwire_testkit::{
    eventually,
    transcript::{Entry, Transcript},
};
use tempfile::TempDir;

use super::{agentwire, fixture, output, text};

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
fn recording_that_can_not_be_written_fails_before_the_session() {
    let folder = tempfile::tempdir().unwrap();
    for (out, expected) in [
        ("no/x.transcript", Some("there is no folder no\n")),
        ("no/", Some("there is no folder no/\n")),
        // No file can be created in `/proc`, even by root.
        #[cfg(target_os = "linux")]
        ("/proc", None),
        #[cfg(target_os = "linux")]
        ("/proc/", None),
        #[cfg(target_os = "linux")]
        ("/proc/x.transcript", None),
    ] {
        let mut command = agentwire(&["record", "-o", out, "--", "touch", "started"]);
        let done = command.current_dir(folder.path()).output().unwrap();
        assert_eq!(done.status.code(), Some(2));
        let error = text(&done.stderr);
        let why = error.strip_prefix(&*format!("agentwire: writing {out}: ")).expect(error);
        assert!(expected.is_none_or(|expected| why == expected), "{why}");
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
fn end_of_a_cut_transcript_is_named_on_the_standard_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cut.transcript");
    fs::write(&file, "# agentwire-transcript 1\n> {\"type\":\"keep_alive\"}\n< {\"type\":\"keep_alive\"}\n")
        .unwrap();
    let mut program = agentwire(&["replay", file.to_str().unwrap()]);
    program.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut program = program.spawn().unwrap();
    program.stdin.take().unwrap().write_all(b"{\"type\":\"keep_alive\"}\n").unwrap();
    let done = program.wait_with_output().unwrap();
    let named = format!("{}: the transcript ends at line 3, without the end of the CLI\n", file.display());
    assert_eq!((done.status.code(), text(&done.stderr)), (Some(0), &*named));
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

/// Starts `agentwire replay FILE -- sh -c SCRIPT`, with a session of two prompts.
fn replay_to(script: &str) -> (Child, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let [one, two] = PROMPTS;
    let session = format!("> {one}< {RESULT}> {two}< {RESULT}| end of input\n= exit 0\n");
    fs::write(folder.path().join("a.transcript"), format!("# agentwire-transcript 1\n{session}")).unwrap();
    let mut command = agentwire(&["replay", "a.transcript", "--", "sh", "-c", script]);
    command.current_dir(&folder).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    (command.spawn().unwrap(), folder)
}

#[test]
fn replay_to_a_program_is_complete() {
    let all = PROMPTS.concat();
    let other = PROMPTS[0].replace("one", "none");
    // An SDK may show neither the standard error of the CLI nor its exit code.
    let session = r#"cd /; "$AGENTWIRE_CLI" --verbose 2>/dev/null; exit"#;
    for (script, input, code, report) in [
        (format!("{session} 0"), &*all, 0, ""),
        (format!("{session} 3"), &*all, 3, ""),
        (format!("{session} 0"), PROMPTS[0], 1, "a.transcript: at line 4 of the transcript: "),
        (format!("{session} 3"), &*other, 1, "a.transcript: at line 2 of the transcript: "),
        ("exit 3".to_owned(), "", 3, ""),
        (r#""$AGENTWIRE_CLI" -v"#.to_owned(), "", 1, "agentwire: the program has started no session"),
    ] {
        let (mut program, _folder) = replay_to(&script);
        // The program may have ended already.
        let _ = program.stdin.take().unwrap().write_all(input.as_bytes());
        let done = program.wait_with_output().unwrap();
        let errors = text(&done.stderr);
        assert_eq!((done.status.code(), errors.is_empty()), (Some(code), report.is_empty()), "{errors}");
        assert!(errors.contains(report), "{errors}");
    }
}

#[test]
fn replay_fails_if_the_program_kills_its_cli() {
    let (mut program, _folder) = replay_to(r#"echo $$; exec "$AGENTWIRE_CLI" --verbose"#);
    let mut input = program.stdin.take().unwrap();
    input.write_all(PROMPTS[0].as_bytes()).unwrap();
    let mut lines = BufReader::new(program.stdout.take().unwrap()).lines();
    let cli = lines.next().unwrap().unwrap();
    assert_eq!(lines.next().unwrap().unwrap(), RESULT.trim_end());
    assert!(Command::new("kill").args(["-s", "KILL", &cli]).status().unwrap().success());
    let done = program.wait_with_output().unwrap();
    let report = "agentwire: the program has killed its CLI, or has left it running\n";
    assert_eq!((done.status.code(), text(&done.stderr)), (Some(1), report));
}

#[tokio::test]
async fn signal_ends_the_wait_for_a_cli_that_the_program_has_left() {
    let (mut program, _folder) = replay_to(r#"exec 3<&0; "$AGENTWIRE_CLI" --verbose <&3 2>/dev/null & wait"#);
    let mut input = program.stdin.take().unwrap();
    input.write_all(PROMPTS[0].as_bytes()).unwrap();
    let mut lines = BufReader::new(program.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), RESULT.trim_end());
    let began = Instant::now();
    // The first signal ends the program, and a later one the wait.
    eventually(|| {
        super::running::signal(&program, "TERM");
        program.try_wait().unwrap().is_some()
    })
    .await;
    assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
    drop(input);
    let done = program.wait_with_output().unwrap();
    let report = "agentwire: the program has killed its CLI, or has left it running\n";
    assert_eq!((done.status.code(), text(&done.stderr)), (Some(1), report));
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
    let _output = super::running::begin_to_read(&mut program);
    super::running::signal(&program, "TERM");
    assert_eq!(super::running::code_of(&mut program).await, Some(0));
    let recorded = fs::read_to_string(out).unwrap();
    let line = format!("< {{\"type\":\"{}\"}}\n", "x".repeat(1_000_000));
    assert!(recorded.contains(&line) && recorded.contains("^ SIGTERM"), "{recorded:.500}");
}

/// Returns `agentwire mock` with these options, an empty script and a shell script as the program, and its folder.
fn mock(options: &[&str], program: &str) -> (Command, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("script.json"), r#"{"replies": []}"#).unwrap();
    let mut command = agentwire(&[&["mock", "script.json"], options, &["--", "sh", "-c", program]].concat());
    command.current_dir(&folder).stdin(Stdio::null());
    (command, folder)
}

#[test]
fn program_of_a_model_gets_its_address_and_no_credentials_of_the_user() {
    let words = r#""$HOME $ANTHROPIC_BASE_URL $ANTHROPIC_API_KEY ${ANTHROPIC_AUTH_TOKEN:-none}""#;
    let (mut command, _folder) = mock(&[], &format!(r#"test -d "$HOME" && echo {words}; exit 3"#));
    command.env("ANTHROPIC_API_KEY", "sk-real").env("ANTHROPIC_AUTH_TOKEN", "real");
    let done = command.output().unwrap();
    assert_eq!(done.status.code(), Some(3), "{}", text(&done.stderr));
    let words: Vec<_> = text(&done.stdout).split_whitespace().collect();
    assert!(words[1].starts_with("http://127.0.0.1:"));
    assert_eq!(words[2..], ["sk-fake", "none"]);
    assert!(!Path::new(words[0]).exists(), "the temporary home is left behind");
}

#[test]
fn home_of_a_model_is_an_absolute_path() {
    let (mut command, folder) = mock(&["--home", "h"], "echo $HOME");
    let done = command.output().unwrap();
    let home = folder.path().canonicalize().unwrap().join("h");
    assert_eq!(text(&done.stdout), format!("{}\n", home.display()), "{}", text(&done.stderr));
}

#[test]
fn terminated_model_ends_its_program_first() {
    let program = r#"trap '' INT; trap 'exit 7' TERM; echo "$HOME"; while :; do sleep 0.1; done"#;
    // Without a terminal, SIGINT reaches the model alone.
    for signals in [&["TERM"][..], &["INT", "TERM"]] {
        let (mut command, _folder) = mock(&[], program);
        let mut mock = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut home = String::new();
        BufReader::new(mock.stdout.take().unwrap()).read_line(&mut home).unwrap();
        for signal in signals {
            super::running::signal(&mock, signal);
        }
        assert_eq!(mock.wait().unwrap().code(), Some(7));
        assert!(!Path::new(home.trim_end()).exists(), "the temporary home is left behind");
    }
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

const PROMPTS: [&str; 2] = [
    "{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"one\"}}\n",
    "{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"two\"}}\n",
];
const RESULT: &str = "{\"type\":\"result\"}\n";
