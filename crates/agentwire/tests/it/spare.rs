//! Spare processes.

use agentwire::{
    ClaimError, ControlError, Error, Options, PermissionMode, Session, SessionBuilder, Spare, Warning,
    hooks::Hooks,
    prewarm,
    protocol::{control::ClaimSession, hook::PreToolUse},
    transport::{ExitReport, memory},
};
use serde_json::{Value, json};

use crate::{
    peer::{Peer, can_use_tool, connect, connected, result},
    permissions::{SETTINGS, folders_with_settings, handler},
};

/// Returns a spare with a peer after the handshake.
async fn parked() -> (Spare, Peer) {
    parked_with(Session::builder()).await
}

async fn parked_with(builder: SessionBuilder) -> (Spare, Peer) {
    let (transport, peer) = memory(1 << 20);
    let mut peer = Peer::new(peer);
    let (spare, _) = tokio::join!(builder.transport(transport).prewarm(), peer.shake_hands());
    (spare.unwrap(), peer)
}

/// Claims while the peer gives this answer; returns the result of the claim.
async fn claimed(
    spare: Spare,
    peer: &mut Peer,
    claim: ClaimSession,
    reply: Result<Value, &str>,
) -> (Result<Session, ClaimError>, Value) {
    tokio::join!(spare.claim(claim), async {
        let request = peer.request("claim_session").await;
        match reply {
            Ok(reply) => peer.reply(&request, reply).await,
            Err(why) => peer.refuse(&request, why, "refused").await,
        }
        request["request"].clone()
    })
}

fn ok() -> Result<Value, &'static str> {
    Ok(json!({"status": "ok", "session_id": "s", "initialize": {"pid": 8}}))
}

#[tokio::test(start_paused = true)]
async fn a_claim_makes_a_session() {
    let (spare, mut peer) = parked().await;
    assert_eq!(spare.initialized().pid, Some(7));
    let mut claim = ClaimSession::new("/project");
    claim.permission_mode = Some(PermissionMode::Plan);
    let (session, request) = claimed(spare, &mut peer, claim, ok()).await;
    let expected = json!({
        "subtype": "claim_session", "cwd": "/project", "permission_mode": "plan", "include_initialize": true,
    });
    assert_eq!(request, expected);
    let mut session = session.unwrap();
    // The handshake now describes the session.
    assert_eq!(session.initialized().pid, Some(8));
    assert_eq!(session.id().map(|id| id.as_str()), Some("s"));
    let turn = peer.start_turn(&mut session, "hi").await;
    peer.say(result("hello")).await;
    assert_eq!(turn.finish().await.unwrap().unwrap().result.as_deref(), Some("hello"));
}

#[tokio::test(start_paused = true)]
async fn outcome_of_the_first_request_is_known_after_a_claim() {
    let (transport, peer) = memory(1 << 20);
    let mut peer = Peer::new(peer);
    let applied = json!({
        "hooks_applied": true, "plugins_applied": false, "mcp_servers_applied": true,
        "sdk_mcp_manifests_parked": {"s": "parked"},
    });
    let spare = Session::builder().transport(transport).prewarm();
    let (spare, _) = tokio::join!(spare, peer.answer("initialize", applied));
    let reply = json!({"status": "ok", "session_id": "s", "initialize": {"plugins_applied": true}});
    let (session, _) = claimed(spare.unwrap(), &mut peer, ClaimSession::new("/project"), Ok(reply)).await;
    let session = session.unwrap();
    let reply = session.initialized();
    assert_eq!((reply.hooks_applied, reply.plugins_applied), (Some(true), Some(true)));
    assert_eq!(reply.mcp_servers_applied, Some(true));
    assert!(reply.sdk_mcp_manifests_parked.as_ref().is_some_and(|parked| parked.contains_key("s")));
}

#[tokio::test(start_paused = true)]
async fn claimed_mode_that_bypasses_the_handler_causes_a_warning() {
    let (spare, mut peer) = parked_with(Session::builder().permissions(handler())).await;
    let reply = json!({
        "status": "ok", "session_id": "s", "initialize": {"pid": 8, "current_permission_mode": "dontAsk"},
    });
    let (session, _) = claimed(spare, &mut peer, ClaimSession::new("/project"), Ok(reply)).await;
    let session = session.unwrap();
    let warnings = session.warnings();
    assert!(matches!(warnings, [Warning::NotAsked { option: "permissionMode", .. }]), "{warnings:?}");
}

#[tokio::test(start_paused = true)]
async fn files_of_the_project_config_root_are_warned_about_after_a_claim() {
    let (_place, [cwd, root]) = folders_with_settings();
    let options = Options::new().project_config_root(&root);
    let (spare, mut peer) = parked_with(Session::builder().options(options).permissions(handler())).await;
    let claim = ClaimSession::new(cwd.display().to_string());
    let (session, _) = claimed(spare, &mut peer, claim, ok()).await;
    let file = root.join(SETTINGS);
    assert_eq!(session.unwrap().warnings(), [Warning::FolderHeeded { file }]);
}

#[tokio::test(start_paused = true)]
async fn refused_claim_returns_the_spare() {
    let (spare, mut peer) = parked().await;
    let nowhere = ClaimSession::new("/nowhere");
    let (refused, _) = claimed(spare, &mut peer, nowhere, Err("cwd_not_found: no such folder")).await;
    let ClaimError { error, spare, .. } = refused.unwrap_err();
    assert!(error.report().to_string().contains("cwd_not_found"), "{error:?}");
    let (session, _) = claimed(*spare.unwrap(), &mut peer, ClaimSession::new("/project"), ok()).await;
    session.unwrap();
}

#[tokio::test(start_paused = true)]
async fn broken_claim_returns_no_spare() {
    let (spare, mut peer) = parked().await;
    let claim = ClaimSession::new("/project");
    let (broken, _) = claimed(spare, &mut peer, claim.clone(), Err("claim_failed: half done")).await;
    let broken = broken.unwrap_err();
    assert!(broken.spare.is_none());
    assert!(matches!(Error::from(broken), Error::Control(ControlError::Rejected { .. })));
    peer.input_ended().await;

    let (spare, mut peer) = parked().await;
    let (ended, ()) = tokio::join!(spare.claim(claim), async {
        peer.request("claim_session").await;
        peer.exit(ExitReport::exited(1));
    });
    let ended = ended.unwrap_err();
    assert!(ended.spare.is_none());
    assert!(matches!(ended.error, Error::Ended(_)), "{ended:?}");
}

#[tokio::test(start_paused = true)]
async fn dropped_claim_or_spare_ends_the_process() {
    let (spare, mut peer) = parked().await;
    drop(spare);
    peer.input_ended().await;

    let (spare, mut peer) = parked().await;
    let claiming = tokio::spawn(spare.claim(ClaimSession::new("/project")));
    peer.request("claim_session").await;
    claiming.abort();
    while let Some(line) = peer.line().await {
        assert_eq!(line["type"], "control_cancel_request", "{line}");
    }
}

#[tokio::test(start_paused = true)]
async fn settings_come_before_the_claim_and_a_relative_folder_is_ours() {
    let (spare, mut peer) = parked().await;
    let settings = agentwire::RawJson::parse(r#"{"effortLevel":"high"}"#).unwrap();
    let (applied, ()) = tokio::join!(spare.control().apply_flag_settings(settings), async {
        peer.answer("apply_flag_settings", json!({})).await;
    });
    applied.unwrap();
    let (session, request) = claimed(spare, &mut peer, ClaimSession::new("sub"), ok()).await;
    let expected = std::env::current_dir().unwrap().join("sub");
    assert_eq!(request["cwd"], expected.to_str().unwrap());
    session.unwrap();
}

/// Answers the handshake and a claim, and writes its arguments and its folder to files.
const WAITING: &str = r#"#!/bin/sh
pwd > "$0.cwd"; printf '%s' "$*" > "$0.args"
for id in req_1 req_2; do
    read -r line
    cd /
    printf '%s\n' '{"type":"control_response","response":{"subtype":"success","request_id":"'$id'","response":{}}}'
done
cat > /dev/null
"#;

#[tokio::test]
async fn a_spare_waits_in_a_folder_of_its_own_that_goes_with_the_claim() {
    use std::{fs, os::unix::fs::PermissionsExt, path::PathBuf};

    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("claude");
    fs::write(&program, WAITING).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let spare = prewarm(Options::new().path_to_claude_code_executable(&program)).await.unwrap();
    let record = |name: &str| fs::read_to_string(dir.path().join(name)).unwrap();
    assert!(record("claude.args").split(' ').any(|arg| arg == "--await-claim"));
    let parking = PathBuf::from(record("claude.cwd").trim_end());
    assert_eq!(fs::metadata(&parking).unwrap().permissions().mode() & 0o777, 0o700);
    assert_eq!(fs::read_dir(&parking).unwrap().count(), 0);
    let session = spare.claim(ClaimSession::new(dir.path().to_str().unwrap())).await.unwrap();
    assert!(!parking.exists());
    session.close().await.unwrap();

    // A given folder is used for waiting.
    let options = Options::new().path_to_claude_code_executable(&program).cwd(dir.path());
    let spare = prewarm(options).await.unwrap();
    assert_eq!(PathBuf::from(record("claude.cwd").trim_end()), dir.path().canonicalize().unwrap());
    spare.close().await.unwrap();
    assert!(dir.path().exists());
}

#[tokio::test(start_paused = true)]
async fn reinitialize_repeats_the_handshake() {
    let hooks = Hooks::new().on(PreToolUse, async |_, _| ());
    let (session, mut peer, first) = connect(Session::builder().hooks(hooks), Peer::shake_hands).await;
    let mut session = session.unwrap();
    let reply = peer.answer("initialize", json!({"pid": 9, "hooks_applied": true}));
    let (reply, second) = tokio::join!(session.reinitialize(), reply);
    assert_eq!(reply.unwrap().pid, Some(9));
    assert_eq!(first["request"], second["request"]);
    assert!(second["request"]["hooks"]["PreToolUse"].is_array());
    assert_eq!(session.initialized().pid, Some(9));
}

#[tokio::test(start_paused = true)]
async fn question_that_was_lost_before_a_second_handshake_is_asked_again() {
    let (mut session, mut peer) = connected(Session::builder().permissions(handler())).await;
    let question = json!({"type": "control_request", "request_id": "q", "request": can_use_tool("Bash")});
    let answer = async {
        let request = peer.request("initialize").await;
        let response = json!({
            "subtype": "success", "request_id": request["request_id"], "response": {},
            "pending_permission_requests": [question],
        });
        peer.say(json!({"type": "control_response", "response": response})).await;
        peer.response("q").await
    };
    let (reply, answer) = tokio::join!(session.reinitialize(), answer);
    reply.unwrap();
    assert_eq!(answer["response"]["behavior"], "deny", "{answer}");
}

#[tokio::test(start_paused = true)]
async fn a_silent_handshake_has_its_limit() {
    let (transport, _peer) = memory(1 << 20);
    let limit = std::time::Duration::from_secs(3);
    let connecting = Session::builder().transport(transport).handshake_limit(limit).connect();
    let error = connecting.await.unwrap_err();
    let timed_out = matches!(error, Error::Control(ControlError::TimedOut { after, .. }) if after == limit);
    assert!(timed_out, "{error:?}");
}

#[tokio::test(start_paused = true)]
async fn error_of_a_late_handshake_names_the_running_hook() {
    let hook = |subtype: &str, id: &str, name: &str| {
        let event = name.split(':').next();
        json!({"type": "system", "subtype": subtype, "hook_id": id, "hook_name": name, "hook_event": event})
    };
    let (session, ..) = connect(Session::builder(), async |peer| {
        peer.raw.set_stderr_tail("slow\n");
        peer.request("initialize").await;
        // More messages than the budget of a task in tokio.
        for number in 0..200 {
            peer.say(json!({"type": "news", "n": number})).await;
        }
        peer.say(hook("hook_started", "1", "Setup:init")).await;
        peer.say(hook("hook_started", "2", "SessionStart:startup")).await;
        peer.say(hook("hook_response", "1", "Setup:init")).await;
        peer.raw.write("Install it? [y/N]\n").await.unwrap();
    })
    .await;
    let error = session.unwrap_err().report().to_string();
    let expected = ", the hook `SessionStart:startup` of the settings still runs, stderr: slow, output that is not \
                    JSON: `Install it? [y/N]`";
    assert!(error.ends_with(expected), "{error}");
    assert!(!error.contains("Setup:init"), "{error}");
}
