//! Messages to the server: each one a request of its own.

use std::sync::Arc;

use bytes::Bytes;
use reqwest::{Method, Response, StatusCode, Url, header};
use rmcp::{RoleClient, service::TxJsonRpcMessage};

use super::SendError;
use crate::transport::{
    link::{Ended, Link},
    web::{Token, Web, challenge, told},
};

/// Sends messages to the address that the stream has named.
#[derive(Clone)]
pub(super) struct Poster {
    web: Arc<Web>,
    endpoint: Url,
    link: Arc<Link>,
}

impl Poster {
    pub(super) fn new(web: Arc<Web>, endpoint: Url, link: Arc<Link>) -> Self {
        Self { web, endpoint, link }
    }

    pub(super) fn base(&self) -> &Url {
        &self.web.url
    }

    /// From now on messages go there.
    pub(super) fn redirect(&mut self, endpoint: Url) {
        self.endpoint = endpoint;
    }

    /// Sends a message. Several may be under way at once: a server that answers a request only when it has done what is
    /// asked must still be able to hear that it is cancelled.
    pub(super) fn send(
        &self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), SendError>> + Send + 'static {
        let poster = self.clone();
        async move { poster.deliver(message).await.map_err(SendError) }
    }

    async fn deliver(&self, message: TxJsonRpcMessage<RoleClient>) -> Result<(), Ended> {
        let body = serde_json::to_vec(&message)
            .map_err(|error| Ended::unusable(format!("the message cannot be written: {error}")))?;
        let body = Bytes::from(body);
        let response = self.web.with_token(|token| self.post(body.clone(), token)).await;
        if let Err(why @ Ended::Unusable(_)) = &response {
            self.link.end(why.clone());
        }
        self.judge(response?).await
    }

    async fn post(&self, body: Bytes, token: Option<Token>) -> Result<Response, Ended> {
        let request = self.web.request(Method::POST, self.endpoint.clone(), token.as_ref())?;
        let request = request.header(header::CONTENT_TYPE, "application/json").body(body);
        request.send().await.map_err(|error| {
            let gone = error.is_connect();
            let why = Ended::lost(told(error));
            if gone {
                self.link.end(why.clone());
            }
            why
        })
    }

    async fn judge(&self, response: Response) -> Result<(), Ended> {
        let status = response.status();
        if status.is_success() {
            drain(response).await;
            return Ok(());
        }
        let challenge = challenge(&response).map(Arc::from);
        if let Some(challenge) = &challenge {
            self.web.challenged(challenge);
        }
        let why = match status {
            StatusCode::UNAUTHORIZED => Ended::Unauthorized { challenge },
            StatusCode::NOT_FOUND | StatusCode::GONE => {
                Ended::lost(format!("the server has forgotten the session (HTTP {status})"))
            }
            _ => {
                if let Some(challenge) = challenge.filter(|_| status == StatusCode::FORBIDDEN) {
                    self.link.challenged(&challenge);
                }
                let why = Ended::lost(format!("the server answers with HTTP {status}"));
                self.link.failed(&why);
                return Err(why);
            }
        };
        self.link.end(why.clone());
        Err(why)
    }
}

/// Reads what little a server may say, so that the connection can be used again.
async fn drain(mut response: Response) {
    let mut left = DRAINED;
    while let Ok(Some(chunk)) = response.chunk().await {
        match left.checked_sub(chunk.len()) {
            Some(less) => left = less,
            None => return,
        }
    }
}

const DRAINED: usize = 64 * 1024;
