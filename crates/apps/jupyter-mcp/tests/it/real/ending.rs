//! Tests that no process or file remains after kernels and the server end.

use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use agentwire_testkit::eventually;
use rmcp::model::ServerResult;
use rustix::process::{Pid, Signal, kill_process};

use crate::client::{Client, answer, lives};
use crate::real::{python, python_with};

#[tokio::test]
#[ignore = "needs AGENTWIRE_JUPYTER"]
async fn a_kernel_that_ends_in_a_call_is_noticed_at_once() {
    let client = python().await;
    client.text("x = 7").await;
    let started = Instant::now();
    let code = "import os, time\nprint('before', flush=True)\ntime.sleep(0.3)\nos._exit(7)";
    let died = client.run(code).await;
    assert!(died.is_error);
    assert!(died.text.starts_with("before\n[The kernel ended while this ran (exit code 7"), "{}", died.text);
    assert!(
        died.text.ends_with("The next call starts a new one, without anything that was computed.]"),
        "{}",
        died.text
    );
    assert!(started.elapsed() < Duration::from_secs(30), "a call has a minute");
    let lost = client.run("x").await;
    assert!(lost.is_error && lost.text.contains("NameError"), "{}", lost.text);
    let killed = client.run("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)").await;
    assert!(killed.text.contains("signal 11"), "{}", killed.text);
    assert_eq!(client.text("1").await, "1");
    client.close().await;
}

#[tokio::test]
#[ignore = "needs AGENTWIRE_JUPYTER"]
async fn kernel_exit_between_calls_is_reported_by_the_next_call() {
    let client = python().await;
    let gate = tempfile::tempdir().unwrap();
    let open = gate.path().join("open");
    let ends = format!(
        "import os, threading, time\ndef ends():\n    while not os.path.exists({open:?}): time.sleep(0.01)\n    os._exit(3)\n\
         threading.Thread(target=ends, daemon=True).start()"
    );
    client.text(&ends).await;
    std::fs::write(&open, "").unwrap();
    let ended = async {
        while !client
            .tool("get_kernel_info")
            .await
            .text
            .contains("An earlier kernel ended by itself: exit code 3")
        {}
    };
    tokio::time::timeout(Duration::from_secs(30), ended).await.unwrap();
    let next = client.text("1").await;
    assert!(next.starts_with("[The kernel had ended since the last call (exit code 3"), "{next}");
    assert!(next.ends_with("nothing of what was computed is left.]\n1"), "{next}");
    assert_eq!(client.text("2").await, "2");
    client.close().await;
}

#[tokio::test]
#[ignore = "needs AGENTWIRE_JUPYTER"]
async fn call_behind_one_that_loses_the_kernel_does_not_run() {
    let client = python().await;
    let gate = tempfile::tempdir().unwrap();
    let open = gate.path().join("open");
    client.text("import os, time\nx = 7").await;
    let dies = format!(
        "print('runs', flush=True)\nwhile not os.path.exists({open:?}): time.sleep(0.01)\nos._exit(9)"
    );
    let running = client.begin(&dies).await;
    client.wait_for_progress("runs").await;
    let waiting = client.begin_all(["print('x' in globals())".to_owned()], 1).await.pop().unwrap();
    std::fs::write(&open, "").unwrap();
    assert!(answer(running).await.text.contains("exit code 9"));
    let refused = answer(waiting).await;
    assert!(refused.is_error && refused.text.contains("nothing was done"), "{}", refused.text);
    assert_eq!(client.text("'x' in globals()").await, "False");
    client.close().await;
}

#[tokio::test]
#[ignore = "needs AGENTWIRE_JUPYTER"]
async fn quit_ends_the_kernel_and_the_next_call_goes_on() {
    let client = python().await;
    client.text("x = 1").await;
    let quit = client.text("quit()").await;
    assert_eq!(
        quit,
        "[The code ended the kernel.\nThe next call starts a new one, without anything that was computed.]"
    );
    assert!(client.run("x").await.text.contains("NameError"));
    client.close().await;
}

/// The kernel, a child process of it, and the connection file.
struct Started {
    processes: [u32; 2],
    file: PathBuf,
}

async fn start(client: &Client) -> Started {
    let code = "import os, subprocess\nfrom ipykernel.connect import get_connection_file\n\
                child = subprocess.Popen(['sh', '-c', 'trap \"\" TERM HUP INT; sleep 300; sleep 300'])\n\
                print(os.getpid(), child.pid, get_connection_file(), sep='\\n')";
    let text = client.text(code).await;
    let lines: Vec<_> = text.lines().collect();
    Started { processes: [lines[0].parse().unwrap(), lines[1].parse().unwrap()], file: lines[2].into() }
}

impl Started {
    fn assert_private(&self) {
        assert_eq!(self.file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(self.file.parent().unwrap().metadata().unwrap().permissions().mode() & 0o777, 0o700);
        assert!(self.processes.iter().all(|process| lives(*process)));
    }

    async fn is_gone(&self) {
        eventually(|| !self.processes.iter().any(|process| lives(*process))).await;
        eventually(|| !self.file.parent().unwrap().exists()).await;
    }
}

#[tokio::test]
#[ignore = "needs AGENTWIRE_JUPYTER"]
async fn nothing_is_left_after_the_end_of_input_a_restart_and_a_signal() {
    let client = python().await;
    let before = start(&client).await;
    before.assert_private();
    client.tool("restart_kernel").await;
    before.is_gone().await;
    let started = start(&client).await;
    let _running = client.begin("while True: pass").await;
    client.close().await;
    started.is_gone().await;
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        let client = python().await;
        let started = start(&client).await;
        let (server, asked) = (client.server, Instant::now());
        kill_process(Pid::from_raw(server.cast_signed()).unwrap(), signal).unwrap();
        started.is_gone().await;
        eventually(|| !lives(server)).await;
        assert!(asked.elapsed() < Duration::from_secs(20), "{signal:?} took {:?}", asked.elapsed());
    }
}

#[tokio::test]
#[ignore = "needs AGENTWIRE_JUPYTER"]
async fn no_process_is_left_where_the_server_is_killed() {
    let client = python().await;
    let started = start(&client).await;
    // The kernel's guard starts shortly after the kernel.
    kill_process(Pid::from_raw(client.server.cast_signed()).unwrap(), Signal::KILL).unwrap();
    eventually(|| !started.processes.iter().any(|process| lives(*process))).await;
    // The killed server could not remove the folder.
    std::fs::remove_dir_all(started.file.parent().unwrap()).unwrap();
}

#[tokio::test]
#[ignore = "needs AGENTWIRE_JUPYTER"]
async fn a_server_that_is_ended_fails_the_call_that_runs() {
    let client = python_with(&["--folder", "/"]).await;
    assert_eq!(client.text("import os; os.getcwd()").await, "'/'");
    let running = client.begin("print('runs', flush=True)\nwhile True: pass").await;
    client.wait_for_progress("runs").await;
    kill_process(Pid::from_raw(client.server.cast_signed()).unwrap(), Signal::TERM).unwrap();
    let ended = tokio::time::timeout(Duration::from_secs(30), running.await_response()).await.unwrap();
    let failed = match ended {
        Ok(ServerResult::CallToolResult(result)) => result.is_error == Some(true),
        Ok(other) => panic!("{other:?}"),
        Err(_) => true,
    };
    assert!(failed);
    eventually(|| !lives(client.server)).await;
}
