//! The exit status of the CLI is lost, since the host ignores SIGCHLD.

use std::process::{Command, ExitCode};

use agentwire::EndedBy;

use crate::{
    fault_cli::play,
    runner::tests,
    told::{Told, ends_well, goes_on},
};

tests!(status: host_that_ignores_sigchld);

fn host_that_ignores_sigchld() {
    // A signal that is ignored stays so in the next program.
    let host = Command::new("env")
        .arg("--ignore-signal=CHLD")
        .arg(std::env::current_exe().unwrap())
        .env(HOST, "1")
        .output()
        .unwrap();
    assert!(host.status.success(), "{host:?}");
}

/// This program, started anew where SIGCHLD is ignored.
pub(crate) fn host() -> ExitCode {
    play("", async |cli| {
        let mut session = cli.connect().await;
        goes_on(&mut session).await;
        let closed = session.close().await.unwrap();
        let exit = closed.exit.unwrap();
        assert_eq!((exit.code, exit.signal, closed.by), (None, None, EndedBy::Itself));
        let mut session = cli.connect().await;
        goes_on(&mut session).await;
        ends_well(session).await;
        let mut query = cli.connect().await.into_query("hi").await.unwrap();
        let told = Told::by_query(&mut query).await;
        assert_eq!(told.said(), ["assistant", "result"]);
        assert!(told.error.is_none(), "{told:?}");
    });
    // What is cut is an error all the same.
    play("crash", async |cli| {
        let mut session = cli.connect().await;
        session.send("hi").await.unwrap();
        let told = Told::by(&mut session).await;
        assert!(told.error().ending().unwrap().in_turn, "{told:?}");
    });
    play("refuse-start", async |cli| {
        let error = cli.builder().connect().await.expect_err("a refusal");
        assert!(error.to_string().contains("error: unknown option '--nope'"), "{error}");
    });
    for faults in ["grandchild", "quiet-grandchild", "quiet-grandchild deaf"] {
        play(faults, async |cli| {
            let mut session = cli.hasty().connect().await.unwrap();
            goes_on(&mut session).await;
            session.close().await.unwrap();
            cli.is_gone();
        });
    }
    ExitCode::SUCCESS
}

/// Set where this program is to be a host that ignores SIGCHLD.
pub(crate) const HOST: &str = "AGENTWIRE_TEST_SIGCHLD_IGNORED";
