//! OAuth from the hub's side.

use std::sync::Arc;

use super::{
    Hub,
    authorization::{self, Authorization, AuthorizeError},
};
use crate::{ServerState, connection::Setting, oauth::AuthorizationRequest};

impl Hub {
    /// Begins to authorize for a server over HTTP: finds its authorization server, and registers this program there where
    /// that is needed.
    ///
    /// It can be done at any time: when the server is
    /// [`NeedsAuthentication`](crate::ServerState::NeedsAuthentication), or when it refuses a call for want of scope.
    /// What of the request is left open is found out: scopes and challenge are those that the server asked for last.
    ///
    /// # Errors
    ///
    /// When the server cannot be authorized for, and when its authorization server cannot be found or wants nothing of us.
    pub async fn authorize(
        &self,
        server: &str,
        request: AuthorizationRequest,
    ) -> Result<Authorization, AuthorizeError> {
        authorization::authorize(self, server, request).await
    }

    /// Forgets the authorization for a server and restarts it; gives how it stands after the first attempt.
    ///
    /// The authorization server is not told: its tokens are over when it says so.
    ///
    /// # Errors
    ///
    /// When the server is none that can be authorized for, and when the tokens may still be kept.
    pub async fn forget_authorization(&self, server: &str) -> Result<ServerState, AuthorizeError> {
        authorization::forget(self, server).await?;
        let connection = self.connection(server).ok_or(AuthorizeError::UnknownServer)?;
        Ok(connection.restart().await)
    }

    pub(crate) fn setting(&self) -> Arc<Setting> {
        self.inner.servers.setting()
    }
}
