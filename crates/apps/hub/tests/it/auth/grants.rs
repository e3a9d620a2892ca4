//! Grants without a user, against an authorization server of the test's own.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use agentwire_hub::{
    Hub, ServerState,
    auth::{AuthorizationRequest, AuthorizeError, Grant, IdentityProvider, RegisteredClient, SigningKey},
    config::Endpoint,
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Value, json};

use super::{HTTP, WAYS, Way, connecting_twice, echo, is_connected, server::Authority};
use crate::{over_http::until, web::WebServer};

const SECRET: &str = "hunter2";
const JWT_BEARER: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/// Returns a hub with two connections to the server.
pub(super) fn hub((way, path): (Way, &str), server: &WebServer, grant: Grant) -> Hub {
    let url = server.url(path);
    connecting_twice(way(Endpoint::new(&url))).grant(url, grant).build()
}

pub(super) fn over_http(server: &WebServer, grant: Grant) -> Hub {
    hub(HTTP, server, grant)
}

pub(super) fn with_secret() -> RegisteredClient {
    RegisteredClient::with_secret("robot", SECRET)
}

fn is_failed(state: &ServerState) -> bool {
    matches!(state, ServerState::Failed { .. })
}

/// Waits until the server has failed for good; returns all that the hub shows of it.
pub(super) async fn failure(hub: &Hub) -> String {
    until(hub, is_failed).await;
    format!("{:?} {:?} {hub:?}", hub.server("web").unwrap().state, hub.troubles("web"))
}

async fn made(token: &'static str) -> Result<String, std::io::Error> {
    Ok(token.to_owned())
}

#[tokio::test]
async fn client_with_a_secret_gets_one_token_for_all_connections_until_it_is_refused() {
    for way in WAYS {
        let (server, issuer) = Authority::start();
        let hub = hub(way, &server, Grant::client_credentials(with_secret()));
        assert!(hub.wait_until_ready(super::LIMIT).await);
        assert_eq!(echo(&hub, "web", "a").await.unwrap(), "a");
        assert_eq!(echo(&hub, "again", "b").await.unwrap(), "b");
        assert_eq!(issuer.asked(), 1);
        issuer.with(|state| {
            let asked = &state.asked[0];
            // robot:hunter2
            assert_eq!(asked.authorization.as_deref(), Some("Basic cm9ib3Q6aHVudGVyMg=="));
            assert_eq!(asked.form["grant_type"], "client_credentials");
            assert_eq!(asked.form["resource"], state.origin);
            assert_eq!(asked.form["scope"], "basic");
            assert_eq!(asked.form.len(), 3);
            state.tokens.clear();
        });
        assert_eq!(echo(&hub, "web", "c").await.unwrap(), "c");
        assert_eq!(echo(&hub, "again", "d").await.unwrap(), "d");
        assert_eq!(issuer.asked(), 2);
        let error = hub.authorize("web", AuthorizationRequest::new("http://127.0.0.1:9/")).await.unwrap_err();
        assert!(matches!(error, AuthorizeError::HasGrant));
    }
}

#[tokio::test]
async fn wrong_secret_fails_the_server_with_its_cause_and_is_not_shown() {
    for way in WAYS {
        let (server, issuer) = Authority::start();
        let echoed = json!({"error": "invalid_client", "error_description": format!("not {SECRET}")});
        issuer.with(|state| state.refusal = Some((401, echoed)));
        let grant = Grant::client_credentials(with_secret());
        assert!(!format!("{grant:?}").contains(SECRET));
        let hub = hub(way, &server, grant);
        let shown = failure(&hub).await;
        let origin = server.url("");
        assert!(
            shown.contains(&format!("the authorization server {origin} refuses a token: invalid_client"))
        );
        assert!(!shown.contains(SECRET) && !shown.contains("Basic"), "{shown}");
        assert!(issuer.asked() <= 2, "one for each connection, and none is tried again");
        hub.close().await;
    }
}

#[tokio::test]
async fn token_is_requested_again_after_a_temporary_error() {
    let (server, issuer) = Authority::start();
    issuer.with(|state| state.refusal = Some((503, json!({}))));
    let hub = over_http(&server, Grant::client_credentials(with_secret()));
    until(&hub, |state| matches!(state, ServerState::Reconnecting { why, .. } if why.contains("HTTP 503")))
        .await;
    issuer.with(|state| state.refusal = None);
    until(&hub, is_connected).await;
}

#[tokio::test]
async fn client_credentials_go_only_to_the_configured_issuer() {
    let (server, issuer) = Authority::start();
    let grant = Grant::client_credentials(with_secret()).issuer("https://login.example.org");
    let hub = over_http(&server, grant);
    let shown = failure(&hub).await;
    assert!(shown.contains("and the grant is for https://login.example.org alone"), "{shown}");
    assert_eq!(issuer.asked(), 0);
}

#[tokio::test]
async fn secret_is_sent_by_an_accepted_method() {
    let (server, issuer) = Authority::start();
    issuer.with(|state| {
        state.metadata["token_endpoint_auth_methods_supported"] = json!(["client_secret_post"]);
    });
    let hub = over_http(&server, Grant::client_credentials(with_secret()).scopes(["a", "b"]));
    until(&hub, is_connected).await;
    issuer.with(|state| {
        let asked = &state.asked[0];
        assert_eq!((&*asked.form["client_id"], &*asked.form["client_secret"]), ("robot", SECRET));
        assert_eq!((&*asked.form["scope"], &asked.authorization), ("a b", &None));
        state.metadata["token_endpoint_auth_methods_supported"] = json!(["private_key_jwt"]);
        state.tokens.clear();
    });
    echo(&hub, "web", "a").await.unwrap_err();
    let shown = failure(&hub).await;
    assert!(shown.contains("takes no client with a secret"), "{shown}");
}

#[tokio::test]
async fn client_with_a_key_signs_an_assertion_for_the_issuer() {
    let (server, issuer) = Authority::start();
    let algorithms = "token_endpoint_auth_signing_alg_values_supported";
    issuer.with(|state| state.metadata[algorithms] = json!(["PS256", "ES256"]));
    let key = SigningKey::from_pem(include_str!("../../../../hub-transport/tests/it/keys/rsa.pem")).unwrap();
    let hub = over_http(&server, Grant::client_credentials(RegisteredClient::with_key("robot", key)));
    until(&hub, is_connected).await;
    issuer.with(|state| {
        let asked = &state.asked[0];
        assert_eq!(
            asked.form["client_assertion_type"],
            "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
        );
        assert_eq!(asked.authorization, None);
        let parts: Vec<Value> = asked.form["client_assertion"]
            .split('.')
            .take(2)
            .map(|part| serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap())
            .collect();
        assert_eq!(parts[0]["alg"], "PS256");
        assert_eq!((&parts[1]["iss"], &parts[1]["sub"]), (&json!("robot"), &json!("robot")));
        assert_eq!(parts[1]["aud"], state.origin);
        assert_eq!(parts[1]["exp"].as_u64().unwrap() - parts[1]["iat"].as_u64().unwrap(), 300);
        state.metadata[algorithms] = json!(["ES256"]);
        state.tokens.clear();
    });
    echo(&hub, "web", "a").await.unwrap_err();
    let shown = failure(&hub).await;
    assert!(shown.contains("takes no signature that the key can make (RS256, PS256"), "{shown}");
}

#[tokio::test]
async fn workload_sends_the_token_of_its_platform() {
    for way in WAYS {
        let (server, issuer) = Authority::start();
        let audience = Arc::new(Mutex::new(String::new()));
        let seen = Arc::clone(&audience);
        let grant = Grant::jwt_bearer(RegisteredClient::public("robot"), move |audience| {
            *seen.lock().unwrap() = audience;
            made("platform-token")
        });
        let hub = hub(way, &server, grant);
        assert!(hub.wait_until_ready(super::LIMIT).await);
        assert_eq!(*audience.lock().unwrap(), server.url(""));
        issuer.with(|state| {
            let asked = &state.asked[0];
            assert_eq!(asked.form["grant_type"], JWT_BEARER);
            assert_eq!((&*asked.form["assertion"], &*asked.form["client_id"]), ("platform-token", "robot"));
            assert_eq!((&*asked.form["resource"], &asked.authorization), (&*state.origin, &None));
            let echoed = json!({"error": "invalid_grant", "error_description": "platform-token is over"});
            state.refusal = Some((400, echoed));
            state.tokens.clear();
        });
        echo(&hub, "web", "a").await.unwrap_err();
        let shown = failure(&hub).await;
        assert!(shown.contains("invalid_grant") && !shown.contains("platform-token"), "{shown}");
    }
}

#[tokio::test]
async fn failed_token_source_is_called_again() {
    for panics in [false, true] {
        let (server, issuer) = Authority::start();
        let times = Arc::new(AtomicUsize::new(0));
        let grant = Grant::jwt_bearer(RegisteredClient::public("robot"), move |_| {
            // Each of two connections may be opened in two ways.
            let is_down = times.fetch_add(1, Ordering::Relaxed) < 4;
            async move {
                match is_down {
                    true if panics => panic!("a fault of the program"),
                    true => Err("no metadata service"),
                    false => Ok("platform-token".to_owned()),
                }
            }
        });
        let hub = over_http(&server, grant);
        until(&hub, is_connected).await;
        let troubles = format!("{:?} {:?}", hub.troubles("web"), hub.troubles("again"));
        let why = if panics { "the program panicked" } else { "no metadata service" };
        assert!(troubles.contains(&format!("the assertion could not be made: {why}")), "{troubles}");
        assert_eq!(issuer.asked(), 1);
    }
}

fn enterprise(server: &WebServer) -> Grant {
    let client = RegisteredClient::with_secret("desktop", "idp-secret");
    let provider = IdentityProvider::new(server.url("/idp"), client, |_| made("id-token"));
    Grant::enterprise(with_secret(), provider)
}

#[tokio::test]
async fn identity_provider_exchanges_the_users_token_for_one_of_the_server() {
    let (server, issuer) = Authority::start();
    let hub = over_http(&server, enterprise(&server));
    until(&hub, is_connected).await;
    assert_eq!(echo(&hub, "web", "a").await.unwrap(), "a");
    issuer.with(|state| {
        let [exchanged, granted] = &state.asked[..] else { panic!() };
        assert_eq!((&*exchanged.path, &*granted.path), ("/idp", "/token"));
        let form = &exchanged.form;
        assert_eq!(form["grant_type"], "urn:ietf:params:oauth:grant-type:token-exchange");
        assert_eq!(form["requested_token_type"], "urn:ietf:params:oauth:token-type:id-jag");
        assert_eq!(form["subject_token_type"], "urn:ietf:params:oauth:token-type:id_token");
        assert_eq!(form["subject_token"], "id-token");
        assert_eq!((&form["audience"], &form["resource"]), (&state.origin, &state.origin));
        assert_eq!(form["scope"], "basic");
        assert_eq!((&*granted.form["grant_type"], &*granted.form["assertion"]), (JWT_BEARER, "id-jag"));
        assert_eq!(granted.form.len(), 2);
        assert_ne!(exchanged.authorization, granted.authorization);
    });
}

#[tokio::test]
async fn another_token_than_an_assertion_for_the_server_is_not_passed_on() {
    let (server, issuer) = Authority::start();
    issuer.with(|state| state.issued = "urn:ietf:params:oauth:token-type:access_token");
    let hub = over_http(&server, enterprise(&server));
    let shown = failure(&hub).await;
    assert!(shown.contains("gives no assertion for an authorization server"), "{shown}");
    assert!(!shown.contains("id-token") && !shown.contains("id-jag"), "{shown}");
    assert!(issuer.with(|state| state.asked.iter().all(|asked| asked.path == "/idp")));
    hub.close().await;

    let client = RegisteredClient::public("desktop");
    let provider = IdentityProvider::new("http://idp.example/token", client, |_| made("id-token"));
    let hub = over_http(&server, Grant::enterprise(with_secret(), provider));
    let shown = failure(&hub).await;
    assert!(shown.contains("the identity provider's token endpoint is not https"), "{shown}");
}
