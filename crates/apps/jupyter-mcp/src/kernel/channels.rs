//! The sockets to a kernel.

use std::fmt;
use std::future::Future;
use std::time::Duration;

use jupyter_protocol::{
    ConnectionInfo, JupyterMessage, JupyterMessageContent, KernelInfoReply, KernelInfoRequest,
};
use jupyter_zmq_client::{
    ClientControlConnection, ClientIoPubConnection, ClientShellConnection, RuntimeError,
    create_client_control_connection, create_client_iopub_connection,
    create_client_shell_connection_with_identity, peer_identity_for_session,
};
use tokio::time::{Instant, timeout, timeout_at};

/// The sockets for code and replies, outputs, and interrupts.
pub(crate) struct Channels {
    pub(crate) shell: ClientShellConnection,
    pub(crate) iopub: ClientIoPubConnection,
    pub(crate) control: ClientControlConnection,
}

impl Channels {
    /// Connects to a kernel; retries until it listens.
    pub(super) async fn connect(info: &ConnectionInfo, session: &str) -> Result<Self, RuntimeError> {
        let identity = peer_identity_for_session(session)?;
        let iopub = again(|| create_client_iopub_connection(info, "", session)).await;
        let shell =
            again(|| create_client_shell_connection_with_identity(info, session, identity.clone())).await;
        let control = again(|| create_client_control_connection(info, session)).await;
        Ok(Self { shell, iopub, control })
    }

    /// Requests the kernel's information until both the reply and an output of the same request have arrived, so that
    /// no later output is missed.
    ///
    /// Returns `None` if the reply can't be decoded.
    pub(super) async fn shake_hands(&mut self) -> Result<Option<Box<KernelInfoReply>>, RuntimeError> {
        let mut info = None;
        let mut subscribed = false;
        loop {
            let request: JupyterMessage = KernelInfoRequest {}.into();
            self.shell.send(request).await?;
            let again = Instant::now() + ASK_AGAIN;
            while info.is_none() || !subscribed {
                let message = timeout_at(again, async {
                    tokio::select! {
                        message = self.shell.read() => message,
                        message = self.iopub.read() => message,
                    }
                });
                match message.await {
                    Ok(Ok(message)) => match message.content {
                        JupyterMessageContent::KernelInfoReply(reply) => info = Some(Some(reply)),
                        // Any output shows that the subscription is active, and each request causes one.
                        JupyterMessageContent::Status(_) => subscribed = true,
                        _ => {}
                    },
                    Ok(Err(RuntimeError::ZmqError(error))) => return Err(error.into()),
                    // Some kernels omit required fields, but they have replied.
                    Ok(Err(RuntimeError::ParseError { msg_type, .. })) if msg_type == "kernel_info_reply" => {
                        info = Some(None);
                    }
                    // Other messages do not matter here.
                    Ok(Err(_)) => {}
                    Err(_late) => break,
                }
            }
            if subscribed && let Some(info) = info.take() {
                return Ok(info);
            }
        }
    }
}

/// Returns whether the message belongs to the request with this id.
pub(crate) fn parent_is(message: &JupyterMessage, id: &str) -> bool {
    message.parent_header.as_ref().is_some_and(|parent| parent.msg_id == id)
}

/// Retries until it succeeds. The library's own retries back off, so each attempt has a short limit.
async fn again<T, F: Future<Output = Result<T, RuntimeError>>>(connect: impl Fn() -> F) -> T {
    let mut pause = tokio::time::interval(PAUSE);
    loop {
        pause.tick().await;
        if let Ok(Ok(connected)) = timeout(TRY, connect()).await {
            return connected;
        }
    }
}

impl fmt::Debug for Channels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Channels").finish_non_exhaustive()
    }
}

const ASK_AGAIN: Duration = Duration::from_millis(500);
const PAUSE: Duration = Duration::from_millis(20);
const TRY: Duration = Duration::from_millis(300);
