//! Grants without a user: what the program is to an authorization server, and how it gets tokens there.

use std::{error::Error, fmt, pin::Pin, sync::Arc};

use super::key::SigningKey;

/// How the hub gets the tokens of a server without a user: a grant of OAuth that a program can use alone.
///
/// [`HubBuilder::grant`](crate::HubBuilder::grant) uses it for one server. Tokens are requested when the server wants one,
/// requested anew before they expire and when the server refuses them, and kept in memory alone.
///
/// ```
/// use agentwire_hub::{
///     Hub,
///     auth::{Grant, RegisteredClient},
/// };
///
/// let client = RegisteredClient::with_secret("reports", std::env::var("REPORTS_SECRET").unwrap_or_default());
/// let grant = Grant::client_credentials(client).issuer("https://login.example.org").scopes(["read"]);
/// let builder = Hub::builder().grant("https://example.org/mcp", grant);
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
    /// What makes the assertion.
    JwtBearer(Source),
    Enterprise(IdentityProvider),
}

impl Grant {
    /// The program's own access (`client_credentials`, RFC 6749): the client authenticates, and that is all.
    pub fn client_credentials(client: RegisteredClient) -> Self {
        Self::new(client, Kind::ClientCredentials)
    }

    /// The access of a workload (`jwt-bearer`, RFC 7523): `assertion` returns the JSON Web Token that the platform issues to
    /// the workload, for instance from a mounted file or a metadata service.
    ///
    /// It gets the audience that the token must be for, which is the issuer identifier of the authorization server, and is
    /// called for each request for a token.
    /// It has 30 seconds; an error of it is a loss that is tried again, and its text is shown.
    pub fn jwt_bearer<F, Fut, E>(client: RegisteredClient, assertion: F) -> Self
    where
        F: Fn(String) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<String, E>> + Send + 'static,
        E: Into<Box<dyn Error + Send + Sync>>,
    {
        Self::new(client, Kind::JwtBearer(source(assertion)))
    }

    /// The access that a company gives its employee: the identity provider exchanges the user's identity token for an
    /// assertion for the authorization server of the MCP server (an ID-JAG), which exchanges that for an access token.
    pub fn enterprise(client: RegisteredClient, provider: IdentityProvider) -> Self {
        Self::new(client, Kind::Enterprise(provider))
    }

    fn new(client: RegisteredClient, kind: Kind) -> Self {
        Self { client, kind, scopes: Vec::new(), issuer: None }
    }

    /// The scopes to request. By default those that the server names in its challenge or its metadata.
    pub fn scopes(mut self, scopes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// The issuer identifier of the only authorization server that gets the client's credentials.
    ///
    /// By default they go to the one that the MCP server names, whichever that is.
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

/// The client that the program is registered as at an authorization server, and how it authenticates there.
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
    /// A client that only says its name (`none`).
    pub fn public(id: impl Into<String>) -> Self {
        Self { id: id.into(), authentication: Authentication::None }
    }

    /// A client with a secret: `client_secret_basic`, or `client_secret_post` where that alone is accepted.
    pub fn with_secret(id: impl Into<String>, secret: impl AsRef<str>) -> Self {
        Self { id: id.into(), authentication: Authentication::Secret(secret.as_ref().into()) }
    }

    /// A client that signs an assertion for each request (`private_key_jwt`).
    pub fn with_key(id: impl Into<String>, key: SigningKey) -> Self {
        Self { id: id.into(), authentication: Authentication::Key(Arc::new(key)) }
    }
}

impl fmt::Debug for RegisteredClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RegisteredClient").field("id", &self.id).finish_non_exhaustive()
    }
}

/// The identity provider of a company, as [`Grant::enterprise`] uses it.
#[derive(Clone)]
pub struct IdentityProvider {
    pub(super) token_endpoint: String,
    pub(super) client: RegisteredClient,
    pub(super) id_token: Source,
}

impl IdentityProvider {
    /// The provider at a token endpoint, which must be `https`, or `http` on this machine. `client` is what the program is
    /// registered as there.
    ///
    /// `id_token` returns the identity token (OpenID Connect) that the provider issued for the user who logged in. It gets
    /// the id of that client, which is the audience of the token, and is called for each request for an access token.
    /// It has 30 seconds; an error of it is a loss that is tried again, and its text is shown.
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

/// Returns a token of the program's for an audience.
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
