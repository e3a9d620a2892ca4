//! Authorizations by a user, from the page in the browser to the stored tokens.

use std::{fmt, sync::Arc};

use agentwire_net::excerpt;
use reqwest::Url;
use rmcp::transport::{
    AuthError, AuthorizationManager, AuthorizationRequest, AuthorizationSession, WWWAuthenticateParams,
    auth::{AuthorizationMetadata, OAuthClientConfig},
};

use super::{
    ServerTokens, StoreError,
    dpop::{self, Dpop},
    record::{ClientRecord, StoredAuthorization},
    rmcp_store::RmcpStore,
};
use crate::link::DisconnectReason;

/// An authorization that waits for the user. Dropping it cancels the authorization.
pub struct PendingAuthorization {
    session: AuthorizationSession,
    tokens: Arc<ServerTokens>,
    issuer: Option<String>,
}

impl PendingAuthorization {
    /// Starts an authorization.
    pub(super) async fn start(
        tokens: Arc<ServerTokens>,
        mut request: AuthorizationRequest,
    ) -> Result<Self, AuthorizeError> {
        let kept = tokens.record().await.map_err(AuthorizeError::Store)?;
        let challenge =
            request.challenge.clone().or_else(|| tokens.challenge().map(|text| text.as_ref().into()));
        let dpop = key(&tokens, challenge.as_deref(), kept.as_ref())?;
        let mut manager = tokens.bare_manager(dpop.clone()).await?;
        let found = manager.resolve_metadata_from_challenge(challenge.as_deref()).await?;
        let (metadata, is_named) = (found.metadata, found.source.is_discovered());
        // Checked before any request to the other addresses in the metadata.
        check_page(&tokens, &metadata.authorization_endpoint).await?;
        manager.set_metadata(metadata.clone());
        if request.scopes.is_empty() {
            let granted = kept.as_ref().map(|record| record.credentials.granted_scopes.clone());
            request.scopes = match more_scopes(&tokens.url, challenge.as_deref(), granted) {
                Some(scopes) => scopes,
                None => manager.select_initial_scopes(&[]).await,
            };
        }
        request.use_initial_scopes = true;
        let identified = identify(&mut manager, &mut request, &metadata, kept).await;
        let mut client = identified.map_err(|error| match is_named {
            true => error,
            false => AuthError::MetadataError(format!("the server names no authorization server; {error}")),
        })?;
        client.dpop_key = dpop.map(|dpop| dpop.secret().to_owned());
        manager.set_credential_store(RmcpStore::new(
            &tokens.url,
            &tokens.store,
            client,
            metadata.issuer.clone(),
        ));
        let mut session = AuthorizationSession::new(manager, request).await.map_err(|(_, error)| error)?;
        if needs_consent(&session.auth_url) {
            session.auth_url.push_str("&prompt=consent");
        }
        check_page(&tokens, &session.auth_url).await?;
        Ok(Self { session, tokens, issuer: metadata.issuer })
    }

    /// Returns the page for the user's browser: `https`, or `http` on this machine for a server on this machine.
    pub fn url(&self) -> &str {
        &self.session.auth_url
    }

    /// Returns the redirect URI of the request.
    pub fn redirect_uri(&self) -> &str {
        &self.session.redirect_uri
    }

    /// Reads the browser's redirect address, and requests and saves the tokens. Waits for a renewal by another
    /// connection or process first.
    ///
    /// # Errors
    ///
    /// If the user denied the authorization, the address belongs to another authorization, the authorization server issues
    /// no token, or the store can't be locked or written.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the tokens may or may not be saved.
    pub async fn finish(self, redirect: &str) -> Result<(), AuthorizeError> {
        let Self { session, tokens, issuer } = self;
        let answer = Answer::parse(redirect).ok_or(AuthorizeError::Foreign)?;
        if Some(&answer.state) != state_of(&session.auth_url).as_ref() {
            return Err(AuthorizeError::Foreign);
        }
        // An error of another authorization server is not shown as that of this one (RFC 9207, section 2.4).
        if answer.issuer.is_some() && issuer.is_some() && answer.issuer != issuer {
            return Err(AuthorizeError::Foreign);
        }
        if let Some(error) = answer.error {
            return Err(AuthorizeError::Denied { error, description: answer.description });
        }
        let code = answer.code.ok_or(AuthorizeError::Foreign)?;
        // A code can be used only once: its tokens are saved even if this future is dropped.
        let exchange = async move {
            let request = async {
                let (manager, iss) = (&session.auth_manager, answer.issuer.as_deref());
                manager.exchange_code_for_token_with_issuer(&code, &answer.state, iss).await?;
                Ok::<_, AuthorizeError>(())
            };
            tokens.change(request).await
        };
        tokio::spawn(exchange).await.map_err(|error| AuthorizeError::Store(error.into()))?
    }

    /// Returns whether an address is an answer to this authorization.
    pub fn is_answered_by(&self, redirect: &str) -> bool {
        Answer::parse(redirect).is_some_and(|answer| Some(answer.state) == state_of(&self.session.auth_url))
    }
}

impl fmt::Debug for PendingAuthorization {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PendingAuthorization").finish_non_exhaustive()
    }
}

/// The error of an authorization.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuthorizeError {
    /// There is no server of that name in the configuration.
    #[error("there is no such server")]
    UnknownServer,
    /// The server is a process, which does its own authorization.
    #[error("the server is a program, and not reached over HTTP")]
    NotHttp,
    /// The configuration of the server has a header `Authorization`, which would replace the token. Remove it.
    #[error("the configuration of the server has a header Authorization of its own")]
    HasHeader,
    /// The program has a [`Grant`](super::Grant) for the server, so no user is needed.
    #[error("the program has a grant for the server, and needs no user")]
    HasGrant,
    /// The configuration of the server is invalid.
    #[error("the server cannot be reached as it is configured: {0}")]
    Configuration(String),
    /// The user or the authorization server denied the authorization.
    #[error("the authorization was denied: {}", excerpt(description.as_deref().filter(|text| !text.is_empty()).unwrap_or(error)))]
    Denied {
        /// The code of the error (RFC 6749, section 4.1.2.1), for instance `access_denied`.
        error: String,
        /// The description by the authorization server.
        description: Option<String>,
    },
    /// The address is not an answer to this authorization. Start another authorization.
    #[error("the address is not an answer to this authorization")]
    Foreign,
    /// The authorization server can't be found, or issued no token.
    #[error("the authorization server issued no token")]
    Server(#[source] AuthError),
    /// The page of the authorization server must not be opened in a browser: it is neither `https` nor `http` on this
    /// machine for a server on this machine, or it has a user name, a private address although the server is public, or
    /// characters with a meaning for a shell.
    #[error("the page of the authorization server can't be opened: {0}")]
    Page(String),
    /// The store could not be read or written.
    #[error("the tokens could not be read or saved")]
    Store(#[source] StoreError),
}

impl From<AuthError> for AuthorizeError {
    fn from(error: AuthError) -> Self {
        match error {
            AuthError::CredentialStoreError(why) => Self::Store(why.into()),
            error => Self::Server(error),
        }
    }
}

impl From<DisconnectReason> for AuthorizeError {
    fn from(ended: DisconnectReason) -> Self {
        Self::Configuration(ended.to_string())
    }
}

/// Returns the key for the new tokens, if the server requires DPoP or the stored tokens are bound: the stored key, or a
/// new one.
fn key(
    tokens: &ServerTokens,
    challenge: Option<&str>,
    kept: Option<&StoredAuthorization>,
) -> Result<Option<Arc<Dpop>>, AuthorizeError> {
    if !dpop::is_wanted(challenge) && !kept.is_some_and(StoredAuthorization::is_bound) {
        return Ok(None);
    }
    match kept.and_then(|record| tokens.dpop(&record.client)) {
        Some(dpop) => Ok(Some(dpop)),
        None => Ok(Some(Arc::new(Dpop::generate().map_err(|error| AuthorizeError::Store(error.into()))?))),
    }
}

/// Returns whether a page must ask for consent: OpenID Connect grants `offline_access`, and with it a refresh token, only
/// then.
fn needs_consent(page: &str) -> bool {
    let Ok(page) = Url::parse(page) else { return false };
    let find = |name: &str| page.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value);
    find("prompt").is_none()
        && find("scope").is_some_and(|scopes| scopes.split(' ').any(|scope| scope == "offline_access"))
}

async fn check_page(tokens: &ServerTokens, page: &str) -> Result<(), AuthorizeError> {
    tokens.network.check_page(page).await.map_err(|why| AuthorizeError::Page(why.to_string()))
}

/// Returns the granted scopes together with the scopes that the server requires in addition, so that earlier calls still
/// work.
fn more_scopes(url: &Url, challenge: Option<&str>, granted: Option<Vec<String>>) -> Option<Vec<String>> {
    let challenge = WWWAuthenticateParams::parse(challenge?, url);
    let wanted = challenge.scope.as_deref().filter(|_| challenge.is_insufficient_scope())?;
    let mut scopes = granted?;
    for scope in wanted.split_whitespace() {
        if !scopes.iter().any(|some| some == scope) {
            scopes.push(scope.to_owned());
        }
    }
    Some(scopes)
}

/// Returns the client for the authorization server: the program's client id, its metadata document if the server supports
/// one, the client that is registered already for the same redirect URI, or a new registration.
async fn identify(
    manager: &mut AuthorizationManager,
    request: &mut AuthorizationRequest,
    metadata: &AuthorizationMetadata,
    kept: Option<StoredAuthorization>,
) -> Result<ClientRecord, AuthError> {
    let redirect_uri = request.redirect_uri.clone();
    if let Some(id) = request.client_id.clone() {
        let secret = request.client_secret.clone();
        return Ok(ClientRecord { id, secret, redirect_uri, ..ClientRecord::default() });
    }
    let knows_documents =
        metadata.additional_fields.get("client_id_metadata_document_supported").and_then(|is| is.as_bool());
    if let Some(id) = request.client_metadata_url.clone().filter(|_| knows_documents == Some(true)) {
        return Ok(ClientRecord { id, redirect_uri, ..ClientRecord::default() });
    }
    let known = kept.filter(|record| {
        record.client.redirect_uri == redirect_uri
            && record.credentials.issuer.is_some()
            && record.credentials.issuer == metadata.issuer
    });
    let client = match known {
        Some(record) => record.client,
        None => register(manager, request).await?,
    };
    request.client_id = Some(client.id.clone());
    request.client_secret.clone_from(&client.secret);
    Ok(client)
}

async fn register(
    manager: &mut AuthorizationManager,
    request: &AuthorizationRequest,
) -> Result<ClientRecord, AuthError> {
    if let Some(kind) = &request.application_type {
        // rmcp has no other way to set the application type before the registration.
        let config = OAuthClientConfig::new("", &request.redirect_uri).with_application_type(kind);
        manager.configure_client(config)?;
    }
    let scopes: Vec<_> = request.scopes.iter().map(String::as_str).collect();
    let name = request.client_name.as_deref().unwrap_or("agentwire");
    let config = manager.register_client(name, &request.redirect_uri, &scopes).await?;
    let (id, secret, redirect_uri) = (config.client_id, config.client_secret, config.redirect_uri);
    Ok(ClientRecord { id, secret, redirect_uri, dpop_key: None })
}

/// The parameters of the browser's redirect.
struct Answer {
    state: String,
    code: Option<String>,
    issuer: Option<String>,
    error: Option<String>,
    description: Option<String>,
}

impl Answer {
    /// Returns `None` if the address has no `state`.
    fn parse(redirect: &str) -> Option<Self> {
        let url = Url::parse(redirect).ok()?;
        let find =
            |name: &str| url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned());
        Some(Self {
            state: find("state")?,
            code: find("code"),
            issuer: find("iss"),
            error: find("error"),
            description: find("error_description"),
        })
    }
}

fn state_of(url: &str) -> Option<String> {
    Some(Answer::parse(url)?.state)
}

#[cfg(test)]
mod tests {
    use reqwest::Url;

    use super::more_scopes;

    #[test]
    fn required_scopes_are_added_to_granted_scopes() {
        let granted = || Some(vec!["read".to_owned(), "list".to_owned()]);
        let url = Url::parse("https://host/mcp").unwrap();
        let more = |challenge, granted| more_scopes(&url, challenge, granted);
        let challenge = r#"Bearer error="insufficient_scope", scope="write read""#;
        assert_eq!(more(Some(challenge), granted()).unwrap(), ["read", "list", "write"]);
        assert_eq!(more(Some(challenge), None), None, "without granted scopes the initial scopes apply");
        assert_eq!(more(Some(r#"Bearer error="invalid_token", scope="write""#), granted()), None);
        assert_eq!(more(None, granted()), None);
    }
}
