//! Streamable HTTP: the transport of `rmcp`, which also reports why a connection has ended.
//!
//! `rmcp` implements the protocol: sessions, resumption, and a new session if the old one has expired. The client below sees
//! each response, and reports the errors that `rmcp` hides.

mod client;

use std::{collections::VecDeque, error::Error, sync::Arc, time::Duration};

use agentwire_net::head;
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

use tokio::time::{Instant, sleep_until};

use self::client::{Observed, UNSENT};
use crate::{
    link::{DisconnectReason, Link, Unread},
    sse::{STATUS, SendError, Undelivered},
    web::Web,
};

/// Creates a connection over streamable HTTP. It sends nothing before the handshake.
pub fn connect(web: Web) -> (HttpTransport, Arc<Link>) {
    let link = Link::new();
    let headers = web.headers.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    let mut config = StreamableHttpClientTransportConfig::with_uri(web.url.as_str())
        .custom_headers(headers)
        .max_concurrent_requests(AT_ONCE)
        .reinit_on_expired_session(true);
    let mut retry = ExponentialBackoff::default();
    retry.max_delay = Some(LONGEST_PAUSE);
    config.retry_config = Arc::new(retry);
    let client = Observed::new(web, Arc::clone(&link));
    let transport = HttpTransport {
        inner: StreamableHttpClientTransport::with_client(client, config),
        link: Arc::clone(&link),
        notices: VecDeque::new(),
        quiet_until: Instant::now(),
    };
    (transport, link)
}

/// The refusal of one message. The connection may continue.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RefusedMessage {
    /// There is no token, or the server wants another one. Nothing was executed.
    Unauthorized(String),
    /// The server could not be reached. Nothing was sent.
    NotSent(String),
    /// The server responded with a status or content that is not an answer.
    Unreadable(String),
}

/// Returns the refusal of a message, if this error of the transport is one.
pub fn refusal(error: &(dyn Error + 'static)) -> Option<RefusedMessage> {
    match error.downcast_ref::<Unread<SendError>>().map(|error| &error.source) {
        Some(SendError(Undelivered::NoToken(why))) => {
            return Some(RefusedMessage::Unauthorized(why.to_string()));
        }
        Some(SendError(Undelivered::NotSent(why))) => return Some(RefusedMessage::NotSent(why.to_string())),
        Some(SendError(Undelivered::Failed(DisconnectReason::Unauthorized { challenge }))) => {
            return Some(unauthorized(challenge.as_deref().unwrap_or_default()));
        }
        Some(SendError(Undelivered::Failed(DisconnectReason::Lost(why)))) if why.starts_with(STATUS) => {
            return Some(RefusedMessage::Unreadable(why.to_string()));
        }
        _ => {}
    }
    match &error.downcast_ref::<Unread<StreamableHttpError<reqwest::Error>>>()?.source {
        StreamableHttpError::InsufficientScope(refused) => {
            Some(unauthorized(&refused.www_authenticate_header))
        }
        StreamableHttpError::AuthRequired(refused) => Some(unauthorized(&refused.www_authenticate_header)),
        StreamableHttpError::Io(error) if error.kind() == UNSENT => {
            Some(RefusedMessage::NotSent(error.to_string()))
        }
        // The client passes the reason why there is no token in this variant.
        StreamableHttpError::Io(error) => {
            let why = error.get_ref()?.downcast_ref::<DisconnectReason>()?;
            Some(RefusedMessage::Unauthorized(why.to_string()))
        }
        StreamableHttpError::UnexpectedServerResponse(why) if why.starts_with("HTTP 401 ") => {
            Some(unauthorized(""))
        }
        StreamableHttpError::UnexpectedServerResponse(why) => {
            let is_answer = why.starts_with("HTTP ") || why.starts_with(UNPARSED);
            is_answer.then(|| RefusedMessage::Unreadable(why.to_string()))
        }
        error @ (StreamableHttpError::HttpStatus(_)
        | StreamableHttpError::ResponseBodyTooLarge { .. }
        | StreamableHttpError::UnexpectedContentType(_)) => {
            Some(RefusedMessage::Unreadable(error.to_string()))
        }
        _ => None,
    }
}

fn unauthorized(challenge: &str) -> RefusedMessage {
    RefusedMessage::Unauthorized(match head(challenge, LONGEST_CHALLENGE) {
        "" => "it sent no challenge".to_owned(),
        challenge => format!("its challenge is `{challenge}`"),
    })
}

/// The transport of `rmcp`, which ends when the connection is unusable.
pub struct HttpTransport {
    inner: StreamableHttpClientTransport<Observed>,
    link: Arc<Link>,
    notices: VecDeque<ServerJsonRpcMessage>,
    /// No notices are made before.
    quiet_until: Instant,
}

impl Transport<RoleClient> for HttpTransport {
    type Error = Unread<StreamableHttpError<reqwest::Error>>;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.link.sending(self.inner.send(item))
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        if let Some(notice) = self.notices.pop_front() {
            return Some(notice);
        }
        let quiet_until = self.quiet_until;
        let missed = async {
            sleep_until(quiet_until).await;
            self.link.missed().await;
        };
        tokio::select! {
            biased;
            message = self.inner.receive() => {
                if message.is_none() {
                    self.link.end(DisconnectReason::lost("the connection was closed"));
                }
                message
            }
            () = missed => {
                self.quiet_until = Instant::now() + QUIET;
                self.notices = everything_may_have_changed().into();
                self.notices.pop_front()
            }
            () = self.link.over() => None,
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        // Its error is of the same type as that of a message.
        self.link.sending(self.inner.close()).await
    }
}

/// Returns notifications of all lists.
fn everything_may_have_changed() -> [ServerJsonRpcMessage; 3] {
    [
        ServerNotification::ToolListChangedNotification(ToolListChangedNotification::default()),
        ServerNotification::ResourceListChangedNotification(ResourceListChangedNotification::default()),
        ServerNotification::PromptListChangedNotification(PromptListChangedNotification::default()),
    ]
    .map(ServerJsonRpcMessage::notification)
}

/// The start of `rmcp`'s error for an answer as JSON that it can't parse.
const UNPARSED: &str = "could not parse JSON response";
/// The maximum length of a challenge in an error.
const LONGEST_CHALLENGE: usize = 500;
/// The maximum number of concurrent requests to a server. Further requests wait.
const AT_ONCE: usize = 64;
/// The pause between two notices of missed changes: a proxy may end each stream at once.
const QUIET: Duration = Duration::from_secs(5);
/// The longest delay between attempts to open an event stream again.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
