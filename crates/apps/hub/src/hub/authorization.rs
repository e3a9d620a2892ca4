//! Authorizations of servers over HTTP by a user.

use std::fmt;

use agentwire_hub_transport::oauth::{AuthorizationRequest, AuthorizeError, PendingAuthorization};

use super::Hub;
use crate::{ServerName, ServerState, config::Resolved};

/// An authorization that waits for the user. Dropping it cancels the authorization.
pub struct Authorization {
    hub: Hub,
    server: ServerName,
    pub(super) pending: PendingAuthorization,
}

impl Authorization {
    /// Returns the page for the user's browser: `https`, or `http` on this machine for a server on this machine.
    pub fn url(&self) -> &str {
        self.pending.url()
    }

    /// Returns the server.
    pub fn server(&self) -> &ServerName {
        &self.server
    }

    /// Reads the browser's redirect address, saves the tokens, restarts the server, and returns its state after the first
    /// attempt.
    ///
    /// # Errors
    ///
    /// If the user denied the authorization, the address belongs to another authorization, the authorization server issues
    /// no token, or the tokens can't be saved.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the tokens may or may not be saved.
    pub async fn finish(self, redirect: &str) -> Result<ServerState, AuthorizeError> {
        self.pending.finish(redirect).await?;
        self.hub.restart(self.server.as_str()).await.ok_or(AuthorizeError::UnknownServer)
    }
}

impl fmt::Debug for Authorization {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Authorization").field("server", &self.server).finish_non_exhaustive()
    }
}

impl Hub {
    /// Starts an authorization for a server over HTTP: finds its authorization server, and registers this program there if
    /// needed.
    ///
    /// The state of the server does not matter: it may be [`NeedsAuthentication`](ServerState::NeedsAuthentication), or
    /// have refused a call that needs another scope. The scopes and the challenge default to the server's last ones.
    ///
    /// # Errors
    ///
    /// If the server takes no authorization, or its authorization server can't be found or refuses this program.
    pub async fn authorize(
        &self,
        server: &str,
        request: AuthorizationRequest,
    ) -> Result<Authorization, AuthorizeError> {
        let (server, url) = self.authorizable(server).await?;
        let pending = self.inner.servers.setting().book.authorize(&url, request).await?;
        Ok(Authorization { hub: self.clone(), server, pending })
    }

    /// Deletes the tokens for a server, restarts it, and returns its state after the first attempt.
    ///
    /// The tokens are not revoked: they stay valid until they expire.
    ///
    /// # Errors
    ///
    /// If the server takes no authorization, or the tokens can't be deleted.
    pub async fn forget_authorization(&self, server: &str) -> Result<ServerState, AuthorizeError> {
        let (_, url) = self.authorizable(server).await?;
        self.inner.servers.setting().book.forget(&url).await?;
        self.restart(server).await.ok_or(AuthorizeError::UnknownServer)
    }

    /// Returns the name and the URL of a server over HTTP without a configured `Authorization` header.
    async fn authorizable(&self, server: &str) -> Result<(ServerName, String), AuthorizeError> {
        let connection = self.inner.servers.find(server).ok_or(AuthorizeError::UnknownServer)?;
        let resolved = self.inner.servers.setting().resolve(&connection.configured()).await;
        let (url, headers) = match resolved.map_err(AuthorizeError::Configuration)? {
            Resolved::Http { url, headers } | Resolved::Sse { url, headers } => (url, headers),
            Resolved::Stdio { .. } => return Err(AuthorizeError::NotHttp),
        };
        if headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("authorization")) {
            return Err(AuthorizeError::HasHeader);
        }
        Ok((connection.name().clone(), url))
    }
}
