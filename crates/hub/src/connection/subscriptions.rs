//! The resources of a server that the program wants to hear of: each connection is to know them.

use std::{collections::BTreeSet, time::Duration};

use rmcp::{ServiceError, model::SubscribeRequestParams};
use tokio::{sync::watch, time::timeout};

use super::{Live, Record};
use crate::excerpt::excerpt;

/// The URIs that are subscribed to, whatever becomes of connections.
#[derive(Debug, Default)]
pub(crate) struct Subscriptions(watch::Sender<BTreeSet<String>>);

impl Subscriptions {
    /// Keeps one that the server has taken; past a bound it is of this connection alone.
    pub(crate) fn add(&self, uri: &str) {
        self.0.send_if_modified(|uris| uris.len() < MAX && uris.insert(uri.to_owned()));
    }

    pub(crate) fn remove(&self, uri: &str) {
        self.0.send_if_modified(|uris| uris.remove(uri));
    }

    pub(super) fn all(&self) -> Vec<String> {
        self.0.borrow().iter().cloned().collect()
    }

    /// The URIs as they change.
    pub(super) fn follow(&self) -> watch::Receiver<BTreeSet<String>> {
        self.0.subscribe()
    }

    /// Tells a server again of these, but for those that were cancelled meanwhile. One that it refuses is forgotten.
    #[expect(deprecated, reason = "servers with a handshake know no other way")]
    pub(super) async fn renew(&self, uris: Vec<String>, live: &Live, limit: Duration, record: &Record) {
        if uris.is_empty() || live.is_stateless() {
            return;
        }
        let _waits = live.back.life.wait();
        let all = async {
            for uri in uris {
                if !self.0.borrow().contains(&uri) {
                    continue;
                }
                match live.peer.subscribe(SubscribeRequestParams::new(uri.as_str())).await {
                    Ok(()) | Err(ServiceError::UnexpectedResponse) => {}
                    Err(ServiceError::McpError(error)) => {
                        self.remove(&uri);
                        let (uri, why) = (excerpt(&uri), excerpt(&error.message));
                        record.note(&format!("it does not take the subscription to `{uri}` again: {why}"));
                    }
                    // The connection knows why.
                    Err(_) => return,
                }
            }
        };
        if timeout(limit, all).await.is_err() {
            record.note("it did not take all subscriptions to its resources again in time");
        }
    }
}

/// How many are kept of a server.
const MAX: usize = 1000;
