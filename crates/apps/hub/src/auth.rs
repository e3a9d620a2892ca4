//! OAuth for servers over HTTP: authorizes once, then stores, renews and sends the tokens.
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
//! `rmcp` implements the protocol: discovery, registration of the client, PKCE, checks of the issuer, refresh.
//!
//! A program that needs no user sets a [`Grant`] for a server ([`HubBuilder::grant`](crate::HubBuilder::grant)).
//!
//! If a server requires it (a challenge with the scheme `DPoP`), tokens are bound to a key that is created for the
//! server and stored with them (RFC 9449, with ES256), with the nonces of both servers.

pub use crate::hub::{Authorization, Loopback};
pub use agentwire_hub_transport::oauth::{
    AuthError, AuthorizationRequest, AuthorizeError, Grant, IdentityProvider, KeyError, RegisteredClient,
    SigningKey, StoreError, StoreFuture, TokenFile, TokenLock, TokenStore,
};
