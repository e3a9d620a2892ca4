//! When the hub registers another client at the authorization server.

use agentwire_hub::auth::AuthorizationRequest;
use serde_json::json;

use super::{Guarded, HTTP, authorize, echo, is_refused, server::form};
use crate::over_http::until;

#[tokio::test]
async fn client_that_the_authorization_server_has_forgotten_is_registered_again() {
    let Guarded { authority, hub, .. } = &Guarded::authorized(HTTP).await;
    authority.with(|state| {
        state.refusal = Some((401, json!({"error": "invalid_client"})));
        state.tokens.clear();
    });
    echo(hub, "web", "a").await.unwrap_err();
    until(hub, is_refused).await;
    authority.with(|state| state.refusal = None);
    authorize(hub).await;
    assert_eq!(authority.with(|state| state.registered.len()), 2);
    assert_eq!(echo(hub, "web", "a").await.unwrap(), "a");
}

#[tokio::test]
async fn new_authorization_server_gets_no_old_tokens_or_client() {
    let Guarded { authority, hub, .. } = &Guarded::authorized(HTTP).await;
    authority.with(|state| {
        state.issuer = "/other".into();
        state.tokens.clear();
    });
    echo(hub, "web", "a").await.unwrap_err();
    until(hub, is_refused).await;
    assert_eq!(authority.refreshes(), 0);
    authorize(hub).await;
    assert_eq!(authority.with(|state| state.registered.len()), 2);
}

#[tokio::test]
async fn client_is_registered_again_for_another_redirect_address() {
    let Guarded { authority, hub, .. } = &Guarded::authorized(HTTP).await;
    let other = "http://127.0.0.1:9/other";
    let authorization = hub.authorize("web", AuthorizationRequest::new(other)).await.unwrap();
    let asked = form(authorization.url().split_once('?').unwrap().1);
    assert_eq!(asked["client_id"], "client-2");
    authority.with(|state| assert_eq!(state.registered[1]["redirect_uris"], json!([other])));
}
