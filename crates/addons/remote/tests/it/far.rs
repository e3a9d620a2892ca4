//! What reaches the far side, and how it ends.

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use agentwire_remote::{Remote, Ssh};
use agentwire_transport::process::{Grace, Launch};
use agentwire_transport::{ByteSink as _, ByteSource as _, PeerHandle as _, Transport as _, TransportError};
use proptest::prelude::*;
use tokio::time::timeout;

use crate::stand_in::{KINDS, StandIns};

/// Returns the output and the exit code.
async fn output(remote: Remote) -> (Vec<u8>, Option<i32>) {
    let mut link = remote.open().await.unwrap();
    link.sink.finish().await.unwrap();
    let mut stdout = Vec::new();
    while let Some(chunk) = link.source.read().await.unwrap() {
        stdout.extend(chunk);
    }
    (stdout, link.handle.wait().await.code)
}

fn sh(script: &str) -> Launch {
    Launch::new("sh").args(["-c", script])
}

#[tokio::test]
async fn folder_variables_arguments_and_exit_code_are_passed() {
    let stand_ins = StandIns::new();
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("a b'c");
    std::fs::create_dir(&place).unwrap();
    for kind in KINDS {
        let cli = sh(r#"printf '%s|' "$(pwd -P)" "$VALUE" "$0" "$1"; exit 7"#).args(["it's $HOME", "*"]);
        let cli = cli.cwd(&place).env("VALUE", "a\\nb\n'\"$(x) ");
        let (stdout, code) = output(stand_ins.run(kind, &cli)).await;
        let expected = format!("{}|a\\nb\n'\"$(x) |it's $HOME|*|", place.canonicalize().unwrap().display());
        assert_eq!((String::from_utf8(stdout).unwrap(), code), (expected, Some(7)), "{kind}");
    }
}

#[tokio::test]
async fn names_of_variables_do_not_collide_with_the_script() {
    let cli = sh(r#"printf '%s|' "$(pwd)" "$dir" "$line" "$value" "$pipe""#).cwd("/usr");
    let cli = cli.env("dir", "/bin").env("line", "L").env("value", "V").env("pipe", "P").env("z", "y");
    let (stdout, _) = output(StandIns::new().run("ssh", &cli)).await;
    assert_eq!(String::from_utf8(stdout).unwrap(), "/usr|/bin|L|V|P|");
}

#[test]
fn cli_is_not_started_if_its_variables_are_cut() {
    for cut in ["", "A=b", "A=b\n"] {
        let mut command = Command::new("sh");
        command.args(["-c", include_str!("../../src/far.sh"), "agentwire", "", "echo", "ran"]);
        let mut script = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        script.stdin.take().unwrap().write_all(cut.as_bytes()).unwrap();
        let output = script.wait_with_output().unwrap();
        assert_eq!((output.stdout, output.status.code()), (Vec::new(), Some(125)), "{cut:?}");
    }
}

/// As after a lost connection: the shell's own report of the killed CLI can't be written.
#[test]
fn folder_of_the_pipe_is_removed_without_a_reader() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new("sh");
    command.args(["-c", include_str!("../../src/far.sh"), "agentwire", "", "sh", "-c", "kill -KILL $$"]);
    command.env("TMPDIR", folder.path()).stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut script = command.spawn().unwrap();
    drop(script.stderr.take());
    script.stdin.take().unwrap().write_all(b"\n").unwrap();
    assert_eq!(script.wait().unwrap().code(), Some(128 + 9));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn early_end_of_the_local_program_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let ssh = folder.path().join("ssh");
    std::fs::write(&ssh, "#!/bin/sh\necho 'no route' >&2\nexit 255\n").unwrap();
    std::fs::set_permissions(&ssh, std::fs::Permissions::from_mode(0o755)).unwrap();
    let cli = Launch::new("claude").env("BIG", "x".repeat(1_000_000));
    let link = Ssh::new("host").ssh(&ssh).run(&cli).open().await.unwrap();
    let report = link.handle.wait().await;
    assert_eq!((report.code, report.stderr_tail.trim()), (Some(255), "no route"));
}

#[tokio::test]
async fn invalid_variable_is_refused() {
    for (name, value) in [("A B", "x"), ("A", "x\0y")] {
        let refused = StandIns::new().run("ssh", &sh("true").env(name, value)).open().await;
        assert!(matches!(refused, Err(TransportError::Io { .. })), "{name}");
    }
}

#[tokio::test]
async fn missing_program_is_reported() {
    for kind in KINDS {
        let (_, code) = output(StandIns::new().run(kind, &Launch::new("/no/such/cli"))).await;
        assert_eq!(code, Some(127), "{kind}");
    }
}

/// As after a lost connection: no signal reaches the far side, and only its input ends.
#[tokio::test]
async fn far_cli_that_ignores_the_end_of_its_input_is_ended() {
    let cli = sh("echo ready; trap : TERM; while :; do sleep 0.1; done");
    let grace = Grace::default().after_input(Duration::from_secs(60));
    // The shell of the stand-in reads its script after `open`.
    let stand_ins = StandIns::new();
    let mut link = stand_ins.run("ssh", &cli).grace(grace).open().await.unwrap();
    assert_eq!(link.source.read().await.unwrap().as_deref(), Some(&b"ready\n"[..]));
    link.sink.finish().await.unwrap();
    let report = timeout(Duration::from_secs(30), link.handle.wait()).await.expect("it still runs");
    assert_eq!(report.code, Some(128 + 9), "{report}");
}

/// If the CLI saw the end of its input, it would run tool uses that no hook has decided.
#[tokio::test]
async fn far_cli_with_a_held_input_gets_sigterm_instead_of_its_end() {
    // The test waits for `ready` before it ends the input: SIGTERM before the trap is set would end the CLI silently.
    let cli = sh("trap 'echo sigterm; exit 3' TERM; exec 3<&0; cat <&3 & echo ready; wait \"$!\"; echo end");
    let stand_ins = StandIns::new();
    for (kind, holds) in KINDS.iter().flat_map(|kind| [(kind, false), (kind, true)]) {
        let mut far = stand_ins.run(kind, &cli);
        if holds {
            far.hold_input();
        }
        let mut link = far.open().await.unwrap();
        assert_eq!(link.source.read().await.unwrap().as_deref(), Some(&b"ready\n"[..]));
        link.sink.finish().await.unwrap();
        let (last, code) = if holds { ("sigterm\n", 3) } else { ("end\n", 0) };
        assert_eq!(link.source.read().await.unwrap().as_deref(), Some(last.as_bytes()), "{kind}");
        assert_eq!(link.handle.wait().await.code, Some(code), "{kind}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Every value without NUL arrives, through the escapes of the far script.
    #[test]
    fn values_of_variables_arrive(value in "[^\0]{0,24}") {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let cli = sh(r#"printf %s "$VALUE""#).env("VALUE", &value);
        let (stdout, _) = runtime.block_on(output(StandIns::new().run("kubectl", &cli)));
        prop_assert_eq!(String::from_utf8(stdout).unwrap(), value);
    }
}

/// The far script needs nothing but a POSIX shell: it has no syntax error in `sh -n`.
#[test]
fn far_script_is_valid() {
    let script = include_str!("../../src/far.sh");
    assert!(Command::new("sh").args(["-n", "-c", script]).status().unwrap().success());
}
