//! Tokens that are bound to a key, with an authorization server of the test's own.

use agentwire_hub::auth::Grant;

use super::{
    Guarded, WAYS, authorize, echo,
    grants::{failure, hub, over_http, with_secret},
    is_connected, is_refused,
    server::{Authority, Nonce},
};
use crate::{over_http::until, web::WebServer};

/// Starts a server with an issuer of bound tokens.
fn start(nonce: Nonce) -> (WebServer, Authority) {
    let (server, issuer) = Authority::start();
    issuer.with(|state| {
        state.scheme = "DPoP";
        state.nonce = nonce;
    });
    (server, issuer)
}

#[tokio::test]
async fn every_request_has_a_proof_of_its_own_for_its_token_and_address() {
    for way in WAYS {
        let (server, issuer) = start(Nonce::None);
        let hub = hub(way, &server, Grant::client_credentials(with_secret()));
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
    }
}

#[tokio::test]
async fn nonce_of_the_refusal_is_used_until_there_is_another() {
    for way in WAYS {
        let (server, issuer) = start(Nonce::This("first"));
        let hub = hub(way, &server, Grant::client_credentials(with_secret()));
        assert!(hub.wait_until_ready(super::LIMIT).await);
        assert_eq!(issuer.asked(), 2, "one without the nonce, and one with it");
        let before = issuer.with(|state| state.proofs.len());
        assert_eq!(echo(&hub, "web", "a").await.unwrap(), "a");
        issuer.with(|state| {
            assert!(state.proofs[before..].iter().all(|proof| proof.claims["nonce"] == "first"));
            state.nonce = Nonce::This("second");
        });
        let calls = (0..20).map(|n| {
            let (hub, server) = (&hub, if n % 2 == 0 { "web" } else { "again" });
            async move { echo(hub, server, &n.to_string()).await.unwrap() }
        });
        let answers = futures_util::future::join_all(calls).await;
        assert!(answers.iter().enumerate().all(|(n, answer)| *answer == n.to_string()));
        assert_eq!(issuer.asked(), 2, "another nonce takes no other token");
    }
}

#[tokio::test]
async fn token_is_requested_twice_if_the_endpoint_always_requires_another_nonce() {
    let (server, issuer) = start(Nonce::Another);
    let hub = over_http(&server, Grant::client_credentials(with_secret()));
    let shown = failure(&hub).await;
    assert!(shown.contains("refuses a token: use_dpop_nonce"), "{shown}");
    // Two connections, each of which asks once and once more.
    assert!(issuer.asked() <= 4, "{}", issuer.asked());
}

#[tokio::test]
async fn requests_end_if_the_server_always_requires_another_nonce() {
    for (way, path) in WAYS {
        let (server, issuer) = start(Nonce::None);
        let hub = hub((way, path), &server, Grant::client_credentials(with_secret()));
        assert!(hub.wait_until_ready(super::LIMIT).await);
        let before = issuer.with(|state| {
            state.nonce = Nonce::AnotherOfServer;
            state.proofs.len()
        });
        echo(&hub, "web", "a").await.unwrap_err();
        until(&hub, is_refused).await;
        let asked =
            issuer.with(|state| state.proofs[before..].iter().filter(|proof| proof.token.is_some()).count());
        // For each of three tokens: a request, a nonce, and the request with it.
        assert!(asked <= 2 * 9, "{path}: {asked}");
    }
}

#[tokio::test]
async fn tokens_of_a_user_stay_bound_to_one_key() {
    for way in WAYS {
        let guarded = Guarded::start_with(way, |state| state.scheme = "DPoP").await;
        let Guarded { authority, hub: first, .. } = &guarded;
        authorize(first).await;
        authority.with(|state| state.tokens.clear());
        assert_eq!(echo(first, "web", "a").await.unwrap(), "a");
        assert_eq!(authority.refreshes(), 1);
        let kept = std::fs::read_to_string(guarded.file()).unwrap();
        let kept: serde_json::Value = serde_json::from_str(&kept).unwrap();
        let secret = &kept.as_object().unwrap().values().next().unwrap()["client"]["dpop_key"];
        let shown = format!("{first:?} {:?} {:?}", first.snapshot(), first.troubles("web"));
        assert!(!shown.contains(secret.as_str().unwrap()));
        first.close().await;

        let again = guarded.another_hub();
        until(&again, is_connected).await;
        authority.with(|state| state.tokens.clear());
        assert_eq!(echo(&again, "web", "b").await.unwrap(), "b");
        assert_eq!(authority.refreshes(), 2);
        // No challenge has named the scheme to this hub.
        authorize(&again).await;
        assert_eq!(echo(&again, "web", "c").await.unwrap(), "c");
        authority.with(|state| {
            assert!(state.proofs.iter().all(|proof| proof.header["jwk"] == state.proofs[0].header["jwk"]));
            let asked = state.proofs.iter().filter(|proof| proof.path == "/token").count();
            assert_eq!(asked, 4, "two codes, and two refresh tokens");
            assert!(state.proofs.len() > 3);
        });
    }
}
