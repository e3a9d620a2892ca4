//! OAuth for servers over HTTP: authorizing once, and keeping, renewing and sending the tokens from then on.
//!
//! ```no_run
//! # async fn example(hub: agentwire_hub::Hub) -> Result<(), Box<dyn std::error::Error>> {
//! use agentwire_hub::auth::{AuthorizationRequest, Loopback};
//!
//! let loopback = Loopback::bind().await?;
//! let request = AuthorizationRequest::new(loopback.redirect_uri());
//! let authorization = hub.authorize("github", request).await?;
//! println!("Open {}", authorization.url());
//! let redirect = loopback.redirect(&authorization).await?;
//! let state = authorization.finish(&redirect).await?;
//! # Ok(()) }
//! ```
//!
//! The protocol is that of `rmcp`: discovery, registration of the client, PKCE, checks of the issuer, refresh.

mod authorization;
mod book;
mod client;
mod file;
mod loopback;
mod network;
mod record;
mod store;
mod tokens;

pub use rmcp::transport::{AuthError, AuthorizationRequest};

use self::tokens::ServerTokens;
pub use self::{
    authorization::{Authorization, AuthorizeError},
    file::TokenFile,
    loopback::Loopback,
    store::{StoreError, StoreFuture, TokenLock, TokenStore},
};
pub(crate) use self::{
    authorization::{authorize, forget},
    book::Book,
};
