//! Servers that fail to start, or start late.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use agentwire_hub::{
    ServerState,
    config::{Launch, Sources, Stdio, Variables},
};
use agentwire_testkit::eventually;
use serde_json::json;

use crate::{
    left::BOUND,
    played::{becomes, call, configuration, echo, failed, hasty, is_connected, play, seen, state},
    runner::tests,
};

tests!(starting:
    exit_before_the_handshake_is_reported_with_its_stderr, exit_before_the_first_list_fails_the_start,
    program_that_is_no_server_is_reported,
    missing_command_is_reported, hanging_start_times_out_and_delays_no_other_server,
    missing_list_does_not_block_other_lists, list_is_kept_if_it_cannot_be_read_again,
    server_that_is_silent_after_the_handshake_is_not_connected, servers_start_concurrently,
    environment_is_minimal_and_the_working_directory_is_the_workspace,
    variable_without_a_value_fails_its_server, next_start_uses_the_rotated_value,
    restart_starts_a_failed_server,
);

fn exit_before_the_handshake_is_reported_with_its_stderr() {
    play(async |mark| {
        let hub = mark.hub(&["exit-start=7"]).build();
        let why = failed(&hub, "s").await;
        assert_eq!(why, "exited with code 7 before the handshake; stderr: ERROR: the key is missing");
        assert_eq!(&*hub.troubles("s").unwrap()[0].what, why);
        mark.is_gone();
        hub.close().await;
    });
}

fn exit_before_the_first_list_fails_the_start() {
    play(async |mark| {
        // It has answered the handshake, and reads the first request for a list.
        let script = format!("{}; read a && read b && echo oops >&2; exit 3", shakes_hands());
        let hub = hasty(Sources::new().server("s", mark.shell(&script))).build();
        assert_eq!(failed(&hub, "s").await, "exited with code 3; stderr: oops");
    });
}

fn program_that_is_no_server_is_reported() {
    play(async |mark| {
        let hub = hasty(Sources::new().server("s", mark.shell("echo hello; echo bye >&2"))).build();
        assert_eq!(failed(&hub, "s").await, "exited with code 0 before the handshake; stderr: bye");
        let troubles = hub.troubles("s").unwrap();
        assert!(troubles[0].what.ends_with("not a message, and was skipped: hello"), "{troubles:?}");
    });
}

fn missing_command_is_reported() {
    play(async |mark| {
        let mut own_path = mark.shell("");
        if let Launch::Stdio(stdio) = &mut own_path.launch {
            stdio.env.insert("PATH".to_owned(), "/secret".to_owned());
        }
        let missing = |command: &str| agentwire_hub::config::ServerConfig::new(Stdio::new(command));
        let mut nowhere = mark.shell("");
        if let Launch::Stdio(stdio) = &mut nowhere.launch {
            stdio.cwd = Some("/agentwire-no-such-folder".to_owned());
        }
        let sources = Sources::new()
            .server("name", missing("agentwire-no-such-command"))
            .server("path", missing("./agentwire-no-such-command"))
            .server("own", own_path)
            .server("folder", nowhere);
        let hub = hasty(sources).build();
        assert!(hub.wait_until_ready(BOUND).await);
        let why = failed(&hub, "name").await;
        assert!(
            why.starts_with("the command `agentwire-no-such-command` was not found; looked in PATH ("),
            "{why}"
        );
        let why = failed(&hub, "path").await;
        assert_eq!(why, "the command `./agentwire-no-such-command` does not exist");
        let why = failed(&hub, "own").await;
        assert_eq!(why, "the command `sh` was not found; looked in the PATH of its configuration");
        let why = failed(&hub, "folder").await;
        assert_eq!(why, "the working directory does not exist or is not a directory");
    });
}

fn hanging_start_times_out_and_delays_no_other_server() {
    play(async |mark| {
        let hangs = |limit| {
            let mut config = mark.server(&["hang-start", "deaf", "levels"]);
            config.startup_timeout = limit;
            config
        };
        // The limit is long enough for the other server to connect on a busy machine.
        let hub = hasty(Sources::new().server("hangs", hangs(BOUND)).server("s", mark.server(&[]))).build();
        becomes(&hub, "s", is_connected).await;
        assert!(matches!(state(&hub, "hangs"), ServerState::Starting));
        assert!(!hub.wait_until_ready(Duration::from_millis(1)).await, "one is still starting");
        eventually(|| hub.stderr("hangs").unwrap().len() >= 4).await;
        let late = configuration([("late", hangs(Duration::from_secs(3))), ("s", mark.server(&[]))]);
        hub.apply(late);
        let why = failed(&hub, "late").await;
        assert!(why.starts_with("it was not ready within 3 s; stderr: INFO"), "{why}");
        assert!(hub.wait_until_ready(BOUND).await);
        echo(&hub).await;
        hub.close().await;
        mark.is_gone();
    });
}

fn missing_list_does_not_block_other_lists() {
    play(async |mark| {
        let mut mute = mark.server(&["mute-list"]);
        mute.startup_timeout = Duration::from_secs(5);
        let hub = hasty(Sources::new().server("s", mute)).build();
        becomes(&hub, "s", |state| !matches!(state, ServerState::Starting)).await;
        assert!(is_connected(&state(&hub, "s")), "{:?}", state(&hub, "s"));
        let catalog = hub.catalog("s").unwrap();
        assert_eq!((catalog.tools().len(), catalog.prompts().len()), (3, 0));
        let problems: Vec<_> = catalog.problems().collect();
        assert!(matches!(&problems[..], [only] if only.list == "prompts"), "{problems:?}");
        assert!(problems[0].why.starts_with("it did not come within "), "{problems:?}");
        assert_eq!(*hub.troubles("s").unwrap()[0].what, *problems[0].to_string());
        echo(&hub).await;
    });
}

fn list_is_kept_if_it_cannot_be_read_again() {
    play(async |mark| {
        let mut mute = mark.server(&["mute-list=2"]);
        mute.timeout = Duration::from_secs(5);
        let hub = hasty(Sources::new().server("s", mute)).build();
        becomes(&hub, "s", is_connected).await;
        assert!(hub.catalog("s").unwrap().problems().next().is_none());
        assert_eq!(seen(&hub).await["lists"], 1);
        hub.refresh("s").await;
        let catalog = hub.catalog("s").unwrap();
        assert_eq!((catalog.tools().len(), catalog.prompts().len()), (3, 1));
        let problems: Vec<_> = catalog.problems().collect();
        assert!(matches!(&problems[..], [only] if only.list == "prompts"), "{problems:?}");
        assert_eq!(seen(&hub).await["lists"], 2);
    });
}

fn server_that_is_silent_after_the_handshake_is_not_connected() {
    play(async |mark| {
        let mut silent = mark.shell(&format!("{}; cat >/dev/null", shakes_hands()));
        silent.startup_timeout = Duration::from_secs(3);
        let hub = hasty(Sources::new().server("s", silent)).build();
        assert_eq!(failed(&hub, "s").await, "it was not ready within 3 s");
    });
}

/// Returns the start of a script that answers the handshake.
fn shakes_hands() -> String {
    let answer = json!({"jsonrpc": "2.0", "id": 0, "result": {
        "protocolVersion": "2025-11-25", "capabilities": {"tools": {}, "resources": {}},
        "serverInfo": {"name": "s", "version": "1"}}});
    format!("read initialize; echo '{answer}'")
}

fn servers_start_concurrently() {
    play(async |mark| {
        let names: Vec<String> = (0..8).map(|number| format!("s{number}")).collect();
        let hangs = mark.server(&["hang-start"]);
        let sources =
            names.iter().fold(Sources::new(), |sources, name| sources.server(name.as_str(), hangs.clone()));
        let hub = hasty(sources).build();
        // No server ever becomes ready: if one waited for another, only one would run.
        eventually(|| mark.processes().len() == names.len()).await;
        for (snapshot, name) in hub.snapshot().iter().zip(&names) {
            assert_eq!(snapshot.configured.name.as_str(), name);
            assert!(matches!(snapshot.state, ServerState::Starting), "{snapshot:?}");
        }
        hub.close().await;
        mark.is_gone();
    });
}

fn environment_is_minimal_and_the_working_directory_is_the_workspace() {
    play(async |mark| {
        let folder = std::env::temp_dir().canonicalize().unwrap();
        let hub = mark.hub(&[]).variables(Variables::new().workspace(&folder)).build();
        becomes(&hub, "s", is_connected).await;
        let seen = seen(&hub).await;
        assert_eq!(seen["cwd"], json!(folder));
        let names: Vec<&str> =
            seen["environment"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
        assert!(names.contains(&"PATH") && names.contains(&"AGENTWIRE_TEST_MARK"), "{names:?}");
        // The test runner sets such variables, which the server must not get.
        assert!(std::env::vars().any(|(name, _)| name.starts_with("CARGO")));
        assert!(!names.iter().any(|name| name.starts_with("CARGO")), "{names:?}");
    });
}

fn variable_without_a_value_fails_its_server() {
    play(async |mark| {
        let mut lacks = mark.server(&[]);
        if let Launch::Stdio(stdio) = &mut lacks.launch {
            stdio.env.insert("TOKEN".to_owned(), "${AGENTWIRE_NO_SUCH_VARIABLE}".to_owned());
        }
        let hub = hasty(Sources::new().server("lacks", lacks).server("s", mark.server(&[]))).build();
        let why = failed(&hub, "lacks").await;
        assert!(why.contains("AGENTWIRE_NO_SUCH_VARIABLE"), "{why}");
        becomes(&hub, "s", is_connected).await;
        echo(&hub).await;
    });
}

fn next_start_uses_the_rotated_value() {
    play(async |mark| {
        let mut config = mark.server(&[]);
        if let Launch::Stdio(stdio) = &mut config.launch {
            stdio.args.push("${VALUE}".to_owned());
        }
        let value = Arc::new(Mutex::new("--fault-exit-start=9"));
        let lookup = {
            let value = Arc::clone(&value);
            move |name: &str| (name == "VALUE").then(|| value.lock().unwrap().to_string())
        };
        let hub =
            hasty(Sources::new().server("s", config)).variables(Variables::new().environment(lookup)).build();
        assert!(failed(&hub, "s").await.starts_with("exited with code 9"));
        *value.lock().unwrap() = "fine";
        assert!(is_connected(&hub.restart("s").await.unwrap()));
        echo(&hub).await;
    });
}

fn restart_starts_a_failed_server() {
    play(async |mark| {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("there");
        let exe = std::env::current_exe().unwrap();
        let script = format!(
            "[ -e {0} ] && exec {1} {2}; exit 3",
            file.display(),
            exe.display(),
            agentwire_testkit::fault_mcp::FLAG
        );
        let mut config = mark.shell(&script);
        config.always_allow = ["*"].into_iter().collect();
        let hub = hasty(Sources::new().server("s", config)).build();
        assert_eq!(failed(&hub, "s").await, "exited with code 3 before the handshake");
        std::fs::write(&file, "").unwrap();
        let state = hub.restart("s").await.unwrap();
        assert!(is_connected(&state), "{state:?}");
        assert!(hub.restart("nobody").await.is_none());
        assert_eq!(call(&hub, "echo", json!({"text": "x"})).await.unwrap(), "x");
    });
}
