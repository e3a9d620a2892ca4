//! The exit status of the CLI is lost because the host ignores SIGCHLD.

use std::process::{Command, ExitCode};

use agentwire::EndedBy;

use crate::{
    fault_cli::play,
    received::{Received, completes_a_turn, completes_a_turn_and_closes},
    runner::tests,
};

tests!(status: end_is_judged_without_the_exit_status);

fn end_is_judged_without_the_exit_status() {
    // An ignored signal stays ignored in the next program.
    let host = Command::new("env")
        .arg("--ignore-signal=CHLD")
        .arg(std::env::current_exe().unwrap())
        .env(HOST, "1")
        .output()
        .unwrap();
    assert!(host.status.success(), "{host:?}");
}

/// Restarts this program with SIGCHLD ignored.
pub(crate) fn host() -> ExitCode {
    play("", async |cli| {
        let mut session = cli.connect().await;
        completes_a_turn(&mut session).await;
        let closed = session.close().await.unwrap();
        let exit = closed.exit.unwrap();
        assert_eq!((exit.code, exit.signal, closed.by), (None, None, EndedBy::Itself));
        let session = cli.connect().await;
        completes_a_turn_and_closes(session).await;
        let mut query = cli.connect().await.into_query("hi").await.unwrap();
        let received = Received::by_query(&mut query).await;
        assert_eq!(received.kinds(), ["assistant", "result"]);
        assert!(received.error.is_none(), "{received:?}");
    });
    // A truncated turn is still an error.
    play("crash", async |cli| {
        let (_session, received) = Received::to_the_end(cli.builder()).await;
        assert!(received.error().ending().unwrap().in_turn, "{received:?}");
    });
    play("refuse-start", async |cli| {
        let error = cli.builder().connect().await.expect_err("a refusal");
        assert!(error.to_string().contains("error: unknown option '--nope'"), "{error}");
    });
    for faults in ["grandchild", "quiet-grandchild", "quiet-grandchild deaf"] {
        play(faults, async |cli| {
            let mut session = cli.hasty().connect().await.unwrap();
            completes_a_turn(&mut session).await;
            session.close().await.unwrap();
            cli.is_gone();
        });
    }
    ExitCode::SUCCESS
}

/// Set if this program should act as a host that ignores SIGCHLD.
pub(crate) const HOST: &str = "AGENTWIRE_TEST_SIGCHLD_IGNORED";
