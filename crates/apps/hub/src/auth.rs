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
//!
//! A program that needs no user has a [`Grant`] for a server ([`HubBuilder::grant`](crate::HubBuilder::grant)).
//!
//! Where a server asks for it (a challenge with the scheme `DPoP`), tokens are bound to a key that is made for the server
//! and kept beside them (RFC 9449, with ES256); nonces of both servers are used as they come.

pub use crate::hub::{Authorization, AuthorizeError, Loopback};
pub use crate::oauth::{
    AuthError, AuthorizationRequest, Grant, IdentityProvider, KeyError, RegisteredClient, SigningKey,
    StoreError, StoreFuture, TokenFile, TokenLock, TokenStore,
};
