//! Renewals: what is sent, to which server, and what their results are.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use agentwire_net::error_chain;
use serde_json::{Value, json};

use super::{Documents, EXPIRED, Setup, basic, metadata, own, record};
use crate::link::DisconnectReason;

#[tokio::test]
async fn refresh_token_and_secret_are_not_sent_to_another_server() {
    fn none(_: &str, _: &str) -> Value {
        Value::Null
    }
    fn unnamed(origin: &str, path: &str) -> Value {
        match path {
            "/.well-known/oauth-protected-resource" => {
                json!({"resource": origin, "authorization_servers": [format!("{origin}/.well-known/x")]})
            }
            "/.well-known/x" => {
                let token = format!("{origin}/token");
                json!({"authorization_endpoint": format!("{origin}/authorize"), "token_endpoint": token})
            }
            _ => Value::Null,
        }
    }
    fn forged(origin: &str, path: &str) -> Value {
        match path {
            "/.well-known/x" => metadata("https://as.example", origin),
            path => unnamed(origin, path),
        }
    }
    let issued = record("https://as.example", "secret", EXPIRED);
    let without_issuer = issued.replace("\"https://as.example\"", "null");
    let cases: [(Documents, &String); 6] = [
        (none, &issued),
        (unnamed, &issued),
        (forged, &issued),
        (own, &issued),
        (unnamed, &without_issuer),
        (own, &without_issuer),
    ];
    for (documents, stored) in cases {
        let mut setup = Setup::start(documents).await;
        setup.store.put(stored.clone());
        let token = setup.token(None);
        tokio::select! {
            biased;
            asked = setup.requests.recv() => panic!("sent: {}", asked.unwrap().form),
            token = token => assert!(!matches!(token.unwrap(), Ok(Some(_)))),
        }
        assert_eq!(setup.store.kept().as_ref(), Some(stored), "the authorization server may be named again");
    }
}

#[tokio::test]
async fn refresh_token_is_not_used_while_the_store_saves_nothing() {
    let mut setup = Setup::start(own).await;
    setup.store.put(setup.record("secret", EXPIRED));
    setup.store.is_full.store(true, Ordering::Relaxed);
    let why = setup.fails_unsent(None).await;
    assert!(why.starts_with("the token cannot be renewed: ") && why.ends_with(": no space"), "{why}");
    setup.store.is_full.store(false, Ordering::Relaxed);
    let renewal = setup.token(None);
    let asked = setup.asked().await;
    assert!(asked.form.contains("refresh_token=refresh"), "{}", asked.form);
    asked.give("renewed");
    assert_eq!(renewal.await.unwrap(), Ok(Some("renewed".to_owned())));
}

#[tokio::test]
async fn failed_request_for_a_token_is_reported_with_its_cause() {
    fn unreachable(origin: &str, path: &str) -> Value {
        let mut metadata = own(origin, path);
        if !metadata.is_null() {
            metadata["token_endpoint"] = json!("http://127.0.0.1:9/token");
        }
        metadata
    }
    let mut setup = Setup::start(unreachable).await;
    setup.store.put(setup.record("secret", EXPIRED));
    let why = setup.fails_unsent(None).await;
    assert!(why.contains("the request failed: ") && why.contains("refused"), "{why}");
    let (pending, redirect) = setup.authorize().await;
    let error = pending.finish(&format!("{redirect}&code=c")).await.unwrap_err();
    let why = error_chain(&error);
    assert!(why.contains("the request failed: ") && why.contains("refused"), "{why}");
}

#[tokio::test]
async fn reason_of_a_refused_renewal_is_noted_without_secrets() {
    let mut setup = Setup::start(own).await;
    for (code, description, expected) in [
        ("invalid_grant", "Session expired", "invalid_grant: Session expired"),
        ("invalid_client", "Client was deleted", "invalid_client: Client was deleted"),
        ("invalid_grant", "unknown token: refresh-1", "its reason contains a secret"),
    ] {
        let stored = setup.record("secret", EXPIRED).replace(r#""refresh""#, r#""refresh-1""#);
        // A renewal of the same token would not be tried again at once.
        setup.store.put(stored.replace("stored", &format!("for {expected}")));
        let access = setup.book.access(&setup.url, &Arc::default()).unwrap();
        let record = Arc::clone(&access.record);
        let renewal = tokio::spawn(async move { access.after(None).await.map(|token| token.is_none()) });
        let answer = json!({"error": code, "error_description": description});
        setup.asked().await.answer(400, answer);
        assert_eq!(renewal.await.unwrap(), Ok(true));
        let why = &record.troubles()[0].what;
        let is_expected = why.starts_with("the authorization server renews no token: ");
        assert!(is_expected && why.ends_with(expected), "{why}");
    }
}

#[tokio::test]
async fn refused_renewal_needs_an_authorization_unless_the_server_has_trouble() {
    let mut setup = Setup::start(own).await;
    let stored = setup.record("secret", EXPIRED);
    for (code, answer, is_final) in [
        (400, json!({"error": "invalid_target"}), true),
        (400, json!({"detail": "expired"}), true),
        (200, json!({"error": "bad_refresh_token"}), true),
        (400, json!({"error": "temporarily_unavailable"}), false),
        (429, json!({"error": "invalid_request"}), false),
        (403, json!({}), false),
    ] {
        // A renewal of the same token would not be tried again at once.
        setup.store.put(stored.replace("stored", &format!("for {}", answer.to_string().replace('"', ""))));
        let renewal = setup.token(None);
        setup.asked().await.answer(code, answer.clone());
        let token = renewal.await.unwrap();
        match is_final {
            true => assert_eq!(token, Ok(None), "{answer}"),
            false => assert!(matches!(token, Err(DisconnectReason::Lost(_))), "{answer}: {token:?}"),
        }
    }
    assert_eq!(setup.store.kept(), Some(stored.replace("stored", "for {}")));
}

#[tokio::test]
async fn token_endpoint_that_has_moved_is_discovered_again() {
    static HAS_MOVED: AtomicBool = AtomicBool::new(false);
    fn moving(origin: &str, path: &str) -> Value {
        let mut metadata = own(origin, path);
        if !metadata.is_null() && !HAS_MOVED.load(Ordering::Relaxed) {
            metadata["token_endpoint"] = json!(format!("{origin}/old"));
        }
        metadata
    }
    let mut setup = Setup::start(moving).await;
    setup.store.put(setup.record("secret", EXPIRED));
    assert!(matches!(setup.token(None).await.unwrap(), Err(DisconnectReason::Lost(_))));
    HAS_MOVED.store(true, Ordering::Relaxed);
    let mut renewal = setup.token(None);
    tokio::select! {
        biased;
        token = &mut renewal => panic!("not requested: {token:?}"),
        asked = setup.asked() => asked.give("renewed"),
    }
    assert_eq!(renewal.await.unwrap(), Ok(Some("renewed".to_owned())));
}

#[tokio::test]
async fn renewal_uses_the_client_of_the_stored_authorization() {
    let mut setup = Setup::start(own).await;
    let mut refused = None;
    for secret in ["old", "new"] {
        setup.store.put(setup.record(secret, EXPIRED));
        let renewal = setup.token(refused);
        let asked = setup.asked().await;
        assert_eq!(asked.authorization, basic(&format!("a:{secret}")));
        asked.give(secret);
        assert_eq!(renewal.await.unwrap(), Ok(Some(secret.to_owned())));
        assert!(setup.store.kept().unwrap().contains(&format!("\"secret\":\"{secret}\"")));
        refused = Some(secret);
    }

    let newest = setup.record("newest", EXPIRED);
    *setup.store.at_lock.lock().unwrap() = Some(newest.clone());
    setup.fails_unsent(refused).await;
    assert_eq!(setup.store.kept(), Some(newest));
}

#[tokio::test]
async fn new_refresh_token_is_not_sent_to_the_old_server() {
    let mut setup = Setup::start(own).await;
    setup.store.put(setup.record("secret", EXPIRED));
    let new = record("https://as.example", "secret", EXPIRED);
    *setup.store.at_lock.lock().unwrap() = Some(new.clone());
    setup.fails_unsent(None).await;
    assert_eq!(setup.store.kept(), Some(new));
}
