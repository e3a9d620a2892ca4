//! Tokens that are bound to a key, with an authorization server of the test's own.

use agentwire_hub::{auth::Grant, config::Endpoint};

use super::{
    WAYS, echo,
    grants::{failure, hub, over_http, with_secret},
    is_refused,
    issuer::{Issuer, Nonce},
    state,
};
use crate::web::WebServer;

fn guard(server: &WebServer, nonce: Nonce) -> Issuer {
    let issuer = Issuer::guard(server);
    issuer.with(|state| {
        state.scheme = "DPoP";
        state.nonce = nonce;
    });
    issuer
}

#[tokio::test]
async fn every_request_has_a_proof_of_its_own_for_its_token_and_address() {
    for (way, path) in WAYS {
        let server = WebServer::start();
        let issuer = guard(&server, Nonce::None);
        let url = server.url(path);
        let hub = hub(way(Endpoint::new(&url)), &url, Grant::client_credentials(with_secret()));
        assert!(hub.wait_until_ready(super::LIMIT).await);
        assert_eq!(echo(&hub, "web", "a").await.unwrap(), "a");
        issuer.with(|state| {
            let key = &state.proofs[0].header["jwk"];
            assert_eq!((&key["kty"], &key["crv"], &key["d"]), (&"EC".into(), &"P-256".into(), &().into()));
            assert_eq!(state.proofs[0].path, "/token");
            for proof in &state.proofs {
                assert_eq!(
                    (&proof.header["typ"], &proof.header["alg"]),
                    (&"dpop+jwt".into(), &"ES256".into())
                );
                assert_eq!(&proof.header["jwk"], key, "one key for one server");
                // The hash of a token, where there is one.
                let hash = proof.claims["ath"].as_str().map(str::len);
                assert_eq!(hash, proof.token.as_ref().map(|_| 43), "{}", proof.path);
            }
            assert!(state.proofs.iter().filter(|proof| proof.token.is_some()).count() > 2);
        });
        hub.close().await;
    }
}

#[tokio::test]
async fn a_nonce_is_taken_from_the_refusal_and_used_until_there_is_another() {
    for (way, path) in WAYS {
        let server = WebServer::start();
        let issuer = guard(&server, Nonce::This("first"));
        let url = server.url(path);
        let hub = hub(way(Endpoint::new(&url)), &url, Grant::client_credentials(with_secret()));
        assert!(hub.wait_until_ready(super::LIMIT).await);
        assert_eq!(issuer.asked(), 2, "one without the nonce, and one with it");
        let before = issuer.with(|state| state.proofs.len());
        assert_eq!(echo(&hub, "web", "a").await.unwrap(), "a");
        issuer.with(|state| {
            assert!(state.proofs[before..].iter().all(|proof| proof.claims["nonce"] == "first"));
            state.nonce = Nonce::This("second");
        });
        assert_eq!(echo(&hub, "web", "b").await.unwrap(), "b");
        assert_eq!(issuer.asked(), 2, "another nonce takes no other token");
        hub.close().await;
    }
}

#[tokio::test]
async fn a_token_endpoint_that_always_wants_another_nonce_is_asked_twice() {
    let server = WebServer::start();
    let issuer = guard(&server, Nonce::Another);
    let hub = over_http(&server, Grant::client_credentials(with_secret()));
    let shown = failure(&hub).await;
    assert!(shown.contains("refuses a token: use_dpop_nonce"), "{shown}");
    // Two connections, each of which asks once and once more.
    assert!(issuer.asked() <= 4, "{}", issuer.asked());
    hub.close().await;
}

#[tokio::test]
async fn a_server_that_always_wants_another_nonce_is_not_asked_for_ever() {
    for (way, path) in WAYS {
        let server = WebServer::start();
        let issuer = guard(&server, Nonce::None);
        let url = server.url(path);
        let hub = hub(way(Endpoint::new(&url)), &url, Grant::client_credentials(with_secret()));
        assert!(hub.wait_until_ready(super::LIMIT).await);
        let before = issuer.with(|state| {
            state.nonce = Nonce::AnotherOfServer;
            state.proofs.len()
        });
        echo(&hub, "web", "a").await.unwrap_err();
        state(&hub, is_refused).await;
        let asked =
            issuer.with(|state| state.proofs[before..].iter().filter(|proof| proof.token.is_some()).count());
        // For each of three tokens: a request, a nonce, and the request with it.
        assert!(asked <= 2 * 9, "{path}: {asked}");
        hub.close().await;
    }
}
