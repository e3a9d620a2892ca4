//! Servers as a program sees them: started, seen, restarted and ended.

use agentwire_hub::{
    CallError, CallRequest, DisabledBy, Hub, ServerState,
    config::{ServerConfig, Sources, Variables},
};

use crate::server::{self, LIMIT};

#[tokio::test]
async fn ready_waits_for_the_last_change_and_a_closed_hub_has_no_connection() {
    let hub = server::hub(server::config(), |builder| builder).await;
    let state = || hub.server("test").unwrap().state;
    hub.set_enabled(false);
    assert!(hub.wait_until_ready(LIMIT).await);
    assert!(matches!(state(), ServerState::Disabled(DisabledBy::Hub)), "{:?}", state());
    hub.set_enabled(true);
    assert!(hub.wait_until_ready(LIMIT).await);
    assert!(matches!(state(), ServerState::Connected { .. }), "{:?}", state());
    hub.close().await;
    assert_eq!(why(&hub, "test"), "the hub was closed");
}

#[tokio::test]
async fn permission_for_a_new_program_does_not_apply_to_the_old_one() {
    let hub = server::hub(server::config(), |builder| builder).await;
    let mut other = server::program();
    other.args.push("other".to_owned());
    let mut config = ServerConfig::new(other);
    config.always_allow = ["*"].into_iter().collect();
    hub.apply(Sources::new().server("test", config).read());
    let call = || hub.call(CallRequest::new("test", "received"));
    let refused = call().await.unwrap_err();
    assert!(matches!(refused, CallError::NotConnected { state: ServerState::Starting, .. }), "{refused:?}");
    assert!(hub.wait_until_ready(LIMIT).await);
    call().await.unwrap();
}

#[tokio::test]
async fn panic_in_a_variable_fails_the_server() {
    let mut program = server::program();
    program.args.push("${input:key}".to_owned());
    let sources = Sources::new().server("test", ServerConfig::new(program));
    let variables = Variables::default().input(|_| async { panic!("no answer") });
    let hub = Hub::builder().sources(sources).variables(variables).build();
    assert!(hub.wait_until_ready(LIMIT).await);
    assert!(why(&hub, "test").contains("panicked"), "{}", why(&hub, "test"));
}

/// Returns why a server has failed.
pub(crate) fn why(hub: &Hub, server: &str) -> String {
    match hub.server(server).unwrap().state {
        ServerState::Failed { why } => why.to_string(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn server_that_exits_at_the_probe_is_restarted() {
    let mut program = server::program();
    let script = "exec 3>&1 1>/dev/null; read -r first; case $first in *'\"initialize\"'*) ;; *) exit 1 ;; esac; \
                  { printf '%s\\n' \"$first\"; cat; } | \"$0\" server::serve --exact --ignored --nocapture";
    program.args[1] = script.to_owned();
    let mut config = ServerConfig::new(program);
    config.always_allow = ["*"].into_iter().collect();
    let hub = server::hub(config, |builder| builder).await;
    let ServerState::Connected { protocol, .. } = hub.server("test").unwrap().state else { panic!() };
    assert_eq!(&*protocol, "2025-11-25");
}
