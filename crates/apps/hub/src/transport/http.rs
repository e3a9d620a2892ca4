//! Streamable HTTP: the transport of `rmcp`, with what the hub has to know of it.
//!
//! `rmcp` speaks the protocol: sessions, resumption, a new session where the server has forgotten the old one.
//! What it does not tell is why a connection is no good any more; the client below sees each answer, and tells.

mod client;

use std::{collections::VecDeque, sync::Arc, time::Duration};

use rmcp::{
    RoleClient,
    model::{
        PromptListChangedNotification, ResourceListChangedNotification, ServerJsonRpcMessage,
        ServerNotification, ToolListChangedNotification,
    },
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::{
        StreamableHttpClientTransport, Transport,
        common::client_side_sse::ExponentialBackoff,
        streamable_http_client::{StreamableHttpClientTransportConfig, StreamableHttpError},
    },
};
use tokio::sync::watch;

use self::client::{Observed, Renewals};
use super::{
    link::{Ended, Link},
    web::Web,
};

/// A connection over streamable HTTP, and what is known of it. Nothing is sent before the handshake.
pub(crate) fn connect(web: Web) -> (HttpTransport, Arc<Link>) {
    let link = Link::new();
    let headers = web.headers.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    let mut config = StreamableHttpClientTransportConfig::with_uri(web.url.as_str())
        .custom_headers(headers)
        .max_concurrent_requests(AT_ONCE)
        .reinit_on_expired_session(true);
    let mut retry = ExponentialBackoff::default();
    retry.max_delay = Some(LONGEST_PAUSE);
    config.retry_config = Arc::new(retry);
    let renewals = Renewals::default();
    let client = Observed::new(web, Arc::clone(&link), renewals.clone());
    let transport = HttpTransport {
        inner: StreamableHttpClientTransport::with_client(client, config),
        ended: link.watch(),
        link: Arc::clone(&link),
        renewals,
        notices: VecDeque::new(),
    };
    (transport, link)
}

/// The transport of `rmcp`, which ends as soon as the connection is no good any more.
pub(crate) struct HttpTransport {
    inner: StreamableHttpClientTransport<Observed>,
    ended: watch::Receiver<Option<Ended>>,
    link: Arc<Link>,
    renewals: Renewals,
    notices: VecDeque<ServerJsonRpcMessage>,
}

impl Transport<RoleClient> for HttpTransport {
    type Error = StreamableHttpError<reqwest::Error>;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        if let Some(notice) = self.notices.pop_front() {
            return Some(notice);
        }
        let ended = async {
            // An error would mean that the link is gone, which `self` holds.
            let _ = self.ended.wait_for(Option::is_some).await;
        };
        tokio::select! {
            biased;
            message = self.inner.receive() => {
                if message.is_none() {
                    self.link.end(Ended::lost("the connection was closed"));
                }
                message
            }
            () = self.renewals.next() => {
                self.notices = everything_may_have_changed().into();
                self.notices.pop_front()
            }
            () = ended => None,
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}

/// A new session is that of a server which may have been started anew, with other things to offer.
fn everything_may_have_changed() -> [ServerJsonRpcMessage; 3] {
    [
        ServerNotification::ToolListChangedNotification(ToolListChangedNotification::default()),
        ServerNotification::ResourceListChangedNotification(ResourceListChangedNotification::default()),
        ServerNotification::PromptListChangedNotification(PromptListChangedNotification::default()),
    ]
    .map(ServerJsonRpcMessage::notification)
}

/// Calls that are under way to one server; more of them wait.
const AT_ONCE: usize = 64;
/// Between two attempts to have the stream again that a server ended.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
