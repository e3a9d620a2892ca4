//! Tokens that another authorization or another process replaces meanwhile.

use std::{pin::pin, sync::Arc, time::Duration};

use futures_util::FutureExt as _;
use reqwest::Url;
use serde_json::json;
use tokio::time::timeout;

use super::{
    super::{ServerTokens, State, StoredAuthorization},
    EXPIRED, FRESH, Setup,
    keyring::Keyring,
    own, record,
};
use crate::{
    oauth::{Book, TokenStore as _},
    web::AccessTokens,
};

#[tokio::test]
async fn forgotten_tokens_are_not_saved_by_a_renewal() {
    let mut setup = Setup::start(own).await;
    setup.store.put(setup.record("secret", EXPIRED));
    let renewal = setup.token(None);
    let asked = setup.asked().await;
    let (book, url) = (Arc::clone(&setup.book), setup.url.clone());
    let mut forget = pin!(book.forget(&url));
    assert!(forget.as_mut().now_or_never().is_none(), "it waits for the renewal");
    asked.give("renewed");
    assert_eq!(renewal.await.unwrap(), Ok(Some("renewed".to_owned())));
    forget.await.unwrap();
    assert_eq!(setup.store.kept(), None);
    assert_eq!(setup.token(None).await.unwrap(), Ok(None));
}

#[tokio::test]
async fn authorization_is_not_replaced_by_a_renewal_of_the_old_one() {
    let mut setup = Setup::start(own).await;
    setup.store.put(setup.record("secret", EXPIRED));
    let (pending, redirect) = setup.authorize().await;
    let renewal = setup.token(None);
    let refresh = setup.asked().await;
    assert!(refresh.form.contains("refresh_token=refresh"), "{}", refresh.form);
    let redirect = format!("{redirect}&code=c");
    let mut finish = pin!(pending.finish(&redirect));
    assert!(finish.as_mut().now_or_never().is_none());
    refresh.give("renewed");
    renewal.await.unwrap().unwrap();
    let code = setup.asked().await;
    assert!(code.form.contains("code=c"), "{}", code.form);
    code.give("new");
    finish.await.unwrap();
    assert_eq!(*setup.store.changes.lock().unwrap(), ["lock", "save", "save", "lock", "save"]);
    assert_eq!(setup.token(None).await.unwrap(), Ok(Some("new".to_owned())));
}

#[tokio::test]
async fn refusal_of_an_old_client_keeps_the_new_authorization() {
    let mut setup = Setup::start(own).await;
    setup.store.put(setup.record("old", EXPIRED));
    let renewal = setup.token(None);
    let asked = setup.asked().await;
    let new = setup.record("new", FRESH);
    setup.store.put(new.clone());
    asked.answer(401, json!({"error": "invalid_client"}));
    assert_eq!(renewal.await.unwrap(), Ok(Some("stored".to_owned())));
    assert_eq!(setup.store.kept(), Some(new));

    for code in ["invalid_client", "unauthorized_client"] {
        setup.store.put(setup.record("new", FRESH));
        let renewal = setup.token(Some("stored"));
        setup.asked().await.answer(401, json!({"error": code}));
        assert_eq!(renewal.await.unwrap(), Ok(None), "{code}");
        assert_eq!(setup.store.kept(), None, "{code}");
    }
}

#[tokio::test(start_paused = true)]
async fn connection_waits_for_another_token_than_the_refused_one() {
    let url = "http://127.0.0.1:9/mcp";
    let (store, mut book) = (Arc::new(Keyring::default()), Book::default());
    book.set_store(store.clone());
    let access = book.access(url, &Arc::default()).unwrap();
    let is_replaced =
        async |access: &AccessTokens| timeout(Duration::from_secs(60), access.replaced()).await.is_ok();
    let stored = record(url, "secret", FRESH);
    store.put(stored.clone());
    assert!(!is_replaced(&access).await, "the server has refused no token");
    store.remove(url).await.unwrap();
    assert_eq!(access.after(None).await.map(|token| token.is_none()), Ok(true));
    assert!(!is_replaced(&access).await);
    store.put(record(url, "secret", EXPIRED));
    assert!(!is_replaced(&access).await, "it would have to be renewed");
    store.put(stored.clone());
    assert!(is_replaced(&access).await);

    let refused = AccessTokens { refused: Arc::new(Some("stored".to_owned()).into()), ..access };
    assert!(!is_replaced(&refused).await);
    store.put(stored.replace("stored", "other"));
    assert!(is_replaced(&refused).await);
    let sent = Arc::clone(&refused.source).current().await.unwrap();
    assert_eq!(sent.map(|token| token.text).as_deref(), Some("other"));
}

#[tokio::test]
async fn expired_token_is_replaced_by_the_one_of_another_process() {
    let store = Arc::new(Keyring::default());
    let url = "http://127.0.0.1:9/mcp";
    let tokens = ServerTokens::new(Url::parse(url).unwrap(), store.clone());
    let expired = StoredAuthorization::parse(&record(url, "secret", EXPIRED)).unwrap();
    *tokens.state.lock().await = State { record: Some(Some(expired)), ..State::default() };
    store.put(record(url, "secret", FRESH));
    let token = tokens.token().await.unwrap();
    assert_eq!(token.map(|token| token.text).as_deref(), Some("stored"));
}
