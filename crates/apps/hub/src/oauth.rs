//! Tokens for servers over HTTP: kept, renewed and sent.

mod book;
mod client;
pub(crate) mod dpop;
mod file;
mod grant;
mod granted;
mod key;
mod network;
pub(crate) mod record;
mod request;
mod store;
pub(crate) mod tokens;

pub use rmcp::transport::{AuthError, AuthorizationRequest};

pub(crate) use self::book::Book;
pub(crate) use self::tokens::ServerTokens;
pub use self::{
    file::TokenFile,
    grant::{Grant, IdentityProvider, RegisteredClient},
    key::{KeyError, SigningKey},
    store::{StoreError, StoreFuture, TokenLock, TokenStore},
};
