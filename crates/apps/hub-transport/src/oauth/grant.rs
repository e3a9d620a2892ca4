//! Grants without a user: the credentials of the program, and how it gets tokens.

use std::{error::Error, fmt, pin::Pin, sync::Arc};

use super::key::SigningKey;

/// An OAuth grant by which the hub gets the tokens of a server without a user.
///
/// `HubBuilder::grant` of `agentwire-hub` uses it for one server. Tokens are requested when the server
/// requires one, before they expire, and when the server refuses them. They are kept in memory only.
///
/// ```
/// use agentwire_hub_transport::oauth::{Grant, RegisteredClient};
///
/// let client = RegisteredClient::with_secret("reports", std::env::var("REPORTS_SECRET").unwrap_or_default());
/// let grant = Grant::client_credentials(client).issuer("https://login.example.org").scopes(["read"]);
/// ```
#[derive(Clone)]
pub struct Grant {
    pub(super) client: RegisteredClient,
    pub(super) kind: Kind,
    pub(super) scopes: Vec<String>,
    pub(super) issuer: Option<String>,
}

#[derive(Clone)]
pub(super) enum Kind {
    ClientCredentials,
    /// The function that creates the assertion.
    JwtBearer(Source),
    Enterprise(IdentityProvider),
}

impl Grant {
    /// Creates a grant for the access of the program itself (`client_credentials`, RFC 6749), with the authentication
    /// of the client only.
    pub fn client_credentials(client: RegisteredClient) -> Self {
        Self::new(client, Kind::ClientCredentials)
    }

    /// Creates a grant for the access of a workload (`jwt-bearer`, RFC 7523). `assertion` returns the JSON Web Token
    /// that the platform issues to the workload, for example from a mounted file or a metadata service.
    ///
    /// Its argument is the required audience, the issuer identifier of the authorization server. It is called for each
    /// request for a token, with a time limit of 30 seconds. After an error the connection is retried later; the text of
    /// the error is shown to the user.
    pub fn jwt_bearer<F, Fut, E>(client: RegisteredClient, assertion: F) -> Self
    where
        F: Fn(String) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<String, E>> + Send + 'static,
        E: Into<Box<dyn Error + Send + Sync>>,
    {
        Self::new(client, Kind::JwtBearer(source(assertion)))
    }

    /// Creates a grant for the access of an employee of a company: the identity provider exchanges the user's identity
    /// token for an assertion for the authorization server (an ID-JAG), which exchanges that for an access token.
    pub fn enterprise(client: RegisteredClient, provider: IdentityProvider) -> Self {
        Self::new(client, Kind::Enterprise(provider))
    }

    fn new(client: RegisteredClient, kind: Kind) -> Self {
        Self { client, kind, scopes: Vec::new(), issuer: None }
    }

    /// Sets the scopes to request; by default the scopes in the server's challenge or metadata.
    pub fn scopes(mut self, scopes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the issuer identifier of the only authorization server that may get the client's credentials.
    ///
    /// By default they go to the authorization server that the MCP server names.
    pub fn issuer(mut self, issuer: impl Into<String>) -> Self {
        self.issuer = Some(issuer.into());
        self
    }
}

impl fmt::Debug for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Grant")
            .field("kind", &self.kind.name())
            .field("client", &self.client)
            .field("scopes", &self.scopes)
            .field("issuer", &self.issuer)
            .finish_non_exhaustive()
    }
}

impl Kind {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::ClientCredentials => "client_credentials",
            Self::JwtBearer(_) => "jwt-bearer",
            Self::Enterprise(_) => "enterprise",
        }
    }
}

/// The client as registered at an authorization server, and its authentication.
#[derive(Clone)]
pub struct RegisteredClient {
    pub(super) id: String,
    pub(super) authentication: Authentication,
}

#[derive(Clone)]
pub(super) enum Authentication {
    None,
    Secret(Arc<str>),
    Key(Arc<SigningKey>),
}

impl RegisteredClient {
    /// Creates a client that only sends its id (`none`).
    pub fn public(id: impl Into<String>) -> Self {
        Self { id: id.into(), authentication: Authentication::None }
    }

    /// Creates a client with a secret: `client_secret_basic`, or `client_secret_post` if only that is accepted.
    pub fn with_secret(id: impl Into<String>, secret: impl AsRef<str>) -> Self {
        Self { id: id.into(), authentication: Authentication::Secret(secret.as_ref().into()) }
    }

    /// Creates a client that signs an assertion for each request (`private_key_jwt`).
    pub fn with_key(id: impl Into<String>, key: SigningKey) -> Self {
        Self { id: id.into(), authentication: Authentication::Key(Arc::new(key)) }
    }
}

impl fmt::Debug for RegisteredClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RegisteredClient").field("id", &self.id).finish_non_exhaustive()
    }
}

/// The identity provider of a company for [`Grant::enterprise`].
#[derive(Clone)]
pub struct IdentityProvider {
    pub(super) token_endpoint: String,
    pub(super) client: RegisteredClient,
    pub(super) id_token: Source,
}

impl IdentityProvider {
    /// Creates a provider with its token endpoint, which must be `https`, or `http` on this machine, and the client of
    /// the program there.
    ///
    /// `id_token` returns the identity token (OpenID Connect) that the provider issued for the user. Its argument is
    /// the id of that client, which is the audience of the token. It is called for each request for an access token,
    /// with a time limit of 30 seconds. After an error the connection is retried later; the text of the error is shown to
    /// the user.
    pub fn new<F, Fut, E>(token_endpoint: impl Into<String>, client: RegisteredClient, id_token: F) -> Self
    where
        F: Fn(String) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<String, E>> + Send + 'static,
        E: Into<Box<dyn Error + Send + Sync>>,
    {
        Self { token_endpoint: token_endpoint.into(), client, id_token: source(id_token) }
    }
}

impl fmt::Debug for IdentityProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IdentityProvider").field("client", &self.client).finish_non_exhaustive()
    }
}

/// A function that returns a token of the program for an audience.
pub(super) type Source = Arc<dyn Fn(String) -> Made + Send + Sync>;
type Made = Pin<Box<dyn Future<Output = Result<String, Box<dyn Error + Send + Sync>>> + Send>>;

fn source<F, Fut, E>(make: F) -> Source
where
    F: Fn(String) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<String, E>> + Send + 'static,
    E: Into<Box<dyn Error + Send + Sync>>,
{
    Arc::new(move |audience| {
        let made = make(audience);
        Box::pin(async { made.await.map_err(Into::into) })
    })
}
