//! Clients of the gateway that subscribe to resources.
#![expect(deprecated, reason = "versions with a handshake know no other way")]

use agentwire_hub::{
    CallRequest, Gateway, Hub, Trouble,
    config::{ServerConfig, Sources},
};
use rmcp::{
    ServiceError,
    model::{
        ErrorCode, ReadResourceRequestParams, ServerNotification, SubscribeRequestParams, SubscriptionFilter,
        UnsubscribeRequestParams,
    },
};
use serde_json::{Value, json};
use tokio::{task::yield_now, time::timeout};

use crate::{
    asking::{Connected, connected},
    call::received_by,
    server::{self, LIMIT, config, hub, program},
    stateless::stateless,
};

/// Connects with a handshake.
async fn session(hub: &Hub) -> Connected {
    connected(Gateway::new(hub), json!({}), true).await
}

impl Connected {
    async fn subscribe(&self, uri: &str) -> Result<(), ServiceError> {
        self.client.subscribe(SubscribeRequestParams::new(uri)).await
    }

    async fn unsubscribe(&self, uri: &str) -> Result<(), ServiceError> {
        self.client.unsubscribe(UnsubscribeRequestParams::new(uri)).await
    }

    /// Disconnects, and waits until the gateway has noticed.
    async fn leave(self) {
        self.client.cancel().await.unwrap();
        self.server.await.unwrap().unwrap().waiting().await.unwrap();
    }
}

/// Returns two servers that both list `test://a`.
async fn two() -> Hub {
    let sources = Sources::new().server("one", config()).server("two", config());
    let hub = Hub::builder().sources(sources).build();
    assert!(hub.wait_until_ready(LIMIT).await);
    hub
}

async fn one() -> Hub {
    hub(config(), |builder| builder).await
}

/// Makes a server report that a resource has changed.
async fn change(hub: &Hub, server: &str, uri: &str) {
    let notify = json!({"method": "notifications/resources/updated", "params": {"uri": uri}});
    hub.call(CallRequest::new(server, "notify").arguments(notify)).await.unwrap();
}

/// Waits until exactly these are subscribed to at a server.
async fn settled(hub: &Hub, server: &str, uris: Value) {
    let reached = async {
        while received_by(hub, server).await["subscribed"] != uris {
            yield_now().await;
        }
    };
    timeout(LIMIT, reached).await.unwrap();
}

/// Returns the id of the last request for a stream. The server may handle an earlier one, which the hub has withdrawn, later.
async fn last_stream(hub: &Hub) -> i64 {
    let streams = received_by(hub, "test").await["streams"].take();
    streams.as_array().unwrap().iter().filter_map(Value::as_i64).max().unwrap()
}

fn error_of(result: Result<(), ServiceError>) -> (ErrorCode, String) {
    let Err(ServiceError::McpError(error)) = result else { panic!("{result:?}") };
    (error.code, error.message.into_owned())
}

#[tokio::test]
async fn client_receives_updates_of_subscribed_resources() {
    let hub = one().await;
    let mut client = session(&hub).await;
    let resources = client.client.peer_info().unwrap().capabilities.resources.clone().unwrap();
    assert_eq!(resources.subscribe, Some(true));
    client.subscribe("test://a").await.unwrap();
    settled(&hub, "test", json!(["test://a"])).await;
    change(&hub, "test", "test://b").await;
    change(&hub, "test", "test://ab").await;
    change(&hub, "test", "test://a/part").await;
    assert_eq!(client.next_message().await, "test://a/part");
    change(&hub, "test", "test://a").await;
    assert_eq!(client.next_message().await, "test://a");
    client.unsubscribe("test://a").await.unwrap();
    settled(&hub, "test", json!([])).await;
    change(&hub, "test", "test://a").await;
    client.subscribe("test://b").await.unwrap();
    change(&hub, "test", "test://b").await;
    assert_eq!(client.next_message().await, "test://b");
}

#[tokio::test]
async fn subscriptions_of_clients_are_independent() {
    let hub = one().await;
    let (mut first, mut second) = (session(&hub).await, session(&hub).await);
    let third = session(&hub).await;
    for client in [&first, &second, &third] {
        client.subscribe("test://a").await.unwrap();
    }
    change(&hub, "test", "test://a").await;
    assert_eq!(
        (first.next_message().await, second.next_message().await),
        ("test://a".into(), "test://a".into())
    );
    first.unsubscribe("test://a").await.unwrap();
    third.leave().await;
    // The server receives cancellations in this order, so the earlier ones have arrived when this one has.
    second.subscribe("test://b").await.unwrap();
    second.unsubscribe("test://b").await.unwrap();
    settled(&hub, "test", json!(["test://a", "test://a", "test://a"])).await;
    change(&hub, "test", "test://a").await;
    assert_eq!(second.next_message().await, "test://a");
    first.subscribe("test://b").await.unwrap();
    change(&hub, "test", "test://b").await;
    assert_eq!(first.next_message().await, "test://b");
    first.unsubscribe("test://b").await.unwrap();
    // The program's own subscription counts as one, too.
    hub.subscribe("test", "test://b").await.unwrap();
    second.subscribe("test://b").await.unwrap();
    hub.unsubscribe("test", "test://b").await.unwrap();
    change(&hub, "test", "test://b").await;
    assert_eq!(second.next_message().await, "test://b");
    second.leave().await;
    settled(&hub, "test", json!([])).await;
}

#[tokio::test]
async fn subscription_of_the_program_outlasts_that_of_a_client() {
    let hub = one().await;
    let client = session(&hub).await;
    client.subscribe("test://a").await.unwrap();
    hub.subscribe("test", "test://a").await.unwrap();
    client.leave().await;
    hub.restart("test").await.unwrap();
    settled(&hub, "test", json!(["test://a"])).await;
}

#[tokio::test]
async fn subscription_is_renewed_after_a_reconnect() {
    let hub = one().await;
    let mut client = session(&hub).await;
    client.subscribe("test://a").await.unwrap();
    client.subscribe("test://b").await.unwrap();
    client.unsubscribe("test://b").await.unwrap();
    hub.restart("test").await.unwrap();
    settled(&hub, "test", json!(["test://a"])).await;
    change(&hub, "test", "test://a").await;
    assert_eq!(client.next_message().await, "test://a");
    // The server is removed and added again.
    hub.apply(Sources::new().read());
    hub.apply(Sources::new().server("test", config()).read());
    assert!(hub.wait_until_ready(LIMIT).await);
    settled(&hub, "test", json!(["test://a"])).await;
    change(&hub, "test", "test://a").await;
    assert_eq!(client.next_message().await, "test://a");
}

#[tokio::test]
async fn updates_have_the_uri_of_the_client() {
    let hub = two().await;
    let mut client = session(&hub).await;
    client.subscribe("mcp-hub:two/test://a").await.unwrap();
    settled(&hub, "two", json!(["test://a"])).await;
    settled(&hub, "one", json!([])).await;
    change(&hub, "one", "test://a").await;
    change(&hub, "two", "test://a").await;
    assert_eq!(client.next_message().await, "mcp-hub:two/test://a");
}

#[tokio::test]
async fn client_that_spells_a_uri_differently_receives_updates() {
    let hub = two().await;
    let mut client = session(&hub).await;
    let listed = json!({"times": 0, "addResource": {"uri": "test://my note", "name": "note"}});
    hub.call(CallRequest::new("one", "notify").arguments(listed)).await.unwrap();
    client.subscribe("test://my%20note").await.unwrap();
    settled(&hub, "one", json!(["test://my note"])).await;
    change(&hub, "one", "test://my note").await;
    assert_eq!(client.next_message().await, "test://my%20note");
    client.unsubscribe("test://my%20note").await.unwrap();
    settled(&hub, "one", json!([])).await;
}

#[tokio::test]
async fn subscription_to_an_unknown_resource_is_refused() {
    let hub = two().await;
    let client = session(&hub).await;
    for uri in ["test://a", "test://other"] {
        let read = client.client.read_resource(ReadResourceRequestParams::new(uri)).await.map(drop);
        let expected = error_of(read);
        assert_eq!(error_of(client.subscribe(uri).await), expected);
        assert_eq!(error_of(client.unsubscribe(uri).await), expected);
    }
    // The server does not know this resource either.
    let (_, message) = error_of(client.subscribe("mcp-hub:one/test://none").await);
    assert_eq!(message, "there is no such resource");
}

#[tokio::test]
async fn subscription_that_a_server_without_a_handshake_refuses_is_removed() {
    let hub = hub(server::stateless(), |builder| builder).await;
    hub.subscribe("test", "test://none").await.unwrap();
    let refused = async {
        let is_one = |trouble: &Trouble| trouble.what.contains("the subscription to `test://none`");
        while !hub.troubles("test").unwrap().iter().any(is_one) {
            yield_now().await;
        }
    };
    timeout(LIMIT, refused).await.unwrap();
    hub.subscribe("test", "test://b").await.unwrap();
    settled(&hub, "test", json!(["test://b"])).await;
}

#[tokio::test]
async fn resource_counts_as_changed_after_its_stream_was_replaced() {
    let hub = hub(server::stateless(), |builder| builder).await;
    let (mut first, second) = (session(&hub).await, session(&hub).await);
    first.subscribe("test://a").await.unwrap();
    settled(&hub, "test", json!(["test://a"])).await;
    second.subscribe("test://b").await.unwrap();
    assert_eq!(first.next_message().await, "test://a");
}

#[tokio::test]
async fn resource_counts_as_changed_after_the_server_has_ended_its_stream() {
    let hub = hub(server::stateless(), |builder| builder).await;
    let mut client = session(&hub).await;
    client.subscribe("test://a").await.unwrap();
    settled(&hub, "test", json!(["test://a"])).await;
    let end = json!({"requestId": last_stream(&hub).await});
    let end = json!({"method": "notifications/cancelled", "params": end});
    hub.call(CallRequest::new("test", "notify").arguments(end)).await.unwrap();
    assert_eq!(client.next_message().await, "test://a");
}

#[tokio::test]
async fn subscription_that_another_client_has_opens_no_other_stream() {
    let hub = hub(server::stateless(), |builder| builder).await;
    let (first, second) = (session(&hub).await, session(&hub).await);
    first.subscribe("test://a").await.unwrap();
    settled(&hub, "test", json!(["test://a"])).await;
    let before = last_stream(&hub).await;
    second.subscribe("test://a").await.unwrap();
    hub.subscribe("test", "test://a").await.unwrap();
    assert_eq!(last_stream(&hub).await, before);
}

#[tokio::test]
async fn subscription_that_a_server_does_not_support_is_not_acknowledged() {
    let mut program = program();
    program.env.insert("NO_SUBSCRIPTIONS".to_owned(), "1".to_owned());
    let sources = Sources::new().server("one", config()).server("two", ServerConfig::new(program));
    let hub = Hub::builder().sources(sources).build();
    let client = stateless(Gateway::new(&hub), json!({})).await;
    let uris = ["mcp-hub:one/test://a", "mcp-hub:two/test://a"];
    let filter = SubscriptionFilter::builder().resource_subscriptions(uris).build();
    let changes = client.client.listen(filter).await.unwrap();
    assert_eq!(changes.acknowledged().resource_subscriptions, Some(vec![uris[0].to_owned()]));
}

#[tokio::test]
async fn subscription_beyond_the_limit_is_refused() {
    let hub = one().await;
    for number in 0..1000 {
        hub.subscribe("test", &format!("test://{number}")).await.unwrap();
    }
    assert_eq!(hub.subscribe("test", "test://more").await.unwrap_err().code(), "not_sent");
    hub.subscribe("test", "test://0").await.unwrap();
}

#[tokio::test]
async fn subscription_of_a_misspelled_server_is_removed() {
    let hub = Hub::builder().sources(Sources::new().server("my-server", config())).build();
    assert!(hub.wait_until_ready(LIMIT).await);
    hub.subscribe("my_server", "test://a").await.unwrap();
    hub.subscribe("my_server", "test://b").await.unwrap();
    hub.unsubscribe("my_server", "test://a").await.unwrap();
    hub.restart("my-server").await.unwrap();
    settled(&hub, "my-server", json!(["test://b"])).await;
}

#[tokio::test]
async fn hub_without_servers_offers_no_subscriptions() {
    let hub = Hub::builder().build();
    let client = session(&hub).await;
    let resources = client.client.peer_info().unwrap().capabilities.resources.clone().unwrap();
    assert_eq!(resources.subscribe, None);
}

#[tokio::test]
async fn client_without_a_handshake_receives_resource_updates() {
    let hub = one().await;
    let client = stateless(Gateway::new(&hub), json!({})).await;
    let filter = SubscriptionFilter::builder().resource_subscriptions(["test://a"]).build();
    let mut changes = client.client.listen(filter).await.unwrap();
    assert_eq!(changes.acknowledged().resource_subscriptions, Some(vec!["test://a".to_owned()]));
    settled(&hub, "test", json!(["test://a"])).await;
    change(&hub, "test", "test://a").await;
    let change = timeout(LIMIT, changes.next()).await.unwrap().unwrap().unwrap();
    assert!(matches!(change, ServerNotification::ResourceUpdatedNotification(_)), "{change:?}");
    drop(changes);
    settled(&hub, "test", json!([])).await;
}
