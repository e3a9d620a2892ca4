//! Tools with all members of their servers, including the members that `rmcp` does not know.

use std::borrow::Cow;

use rmcp::{
    RoleServer,
    model::{CustomResult, JsonRpcMessage, ServerResult},
    service::{RunningService, RxJsonRpcMessage, ServerInitializeError, TxJsonRpcMessage},
    transport::{IntoTransport, Transport},
};

use super::Gateway;
use crate::transport::members::restored;

impl Gateway {
    /// Serves a client over a transport of `rmcp`, as [`rmcp::ServiceExt::serve`] does.
    ///
    /// The client gets all members of tools, including the members that `rmcp` does not know (`execution`). With other ways
    /// to serve, such as `rmcp`'s streamable HTTP, these are in the `_meta` of the tool, under `agentwire/members`.
    ///
    /// # Errors
    ///
    /// If the handshake fails.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future closes the transport.
    pub async fn serve<T, E, A>(
        self,
        transport: T,
    ) -> Result<RunningService<RoleServer, Self>, ServerInitializeError>
    where
        T: IntoTransport<RoleServer, E, A>,
        E: std::error::Error + Send + Sync + 'static,
    {
        rmcp::serve_server(self, FullTools(transport.into_transport())).await
    }
}

/// A transport that sends tools with all members.
struct FullTools<T>(T);

impl<T: Transport<RoleServer>> Transport<RoleServer> for FullTools<T> {
    type Error = T::Error;

    fn name() -> Cow<'static, str> {
        T::name()
    }

    fn send(
        &mut self,
        mut item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        if let JsonRpcMessage::Response(response) = &mut item
            && let ServerResult::ListToolsResult(listed) = &response.result
            && let Some(full) = restored(listed)
        {
            response.result = ServerResult::CustomResult(CustomResult::new(full));
        }
        self.0.send(item)
    }

    fn receive(&mut self) -> impl Future<Output = Option<RxJsonRpcMessage<RoleServer>>> + Send {
        self.0.receive()
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.0.close()
    }
}
