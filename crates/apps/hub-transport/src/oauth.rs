//! Tokens for servers over HTTP: storage, renewal and grants.

mod answers;
mod authorization;
mod book;
mod client;
mod dpop;
mod file;
mod grant;
mod granted;
mod key;
mod network;
mod record;
mod request;
mod rmcp_store;
mod store;
mod tokens;

pub use rmcp::transport::{AuthError, AuthorizationRequest};

use self::tokens::ServerTokens;
pub use self::{
    authorization::{AuthorizeError, PendingAuthorization},
    book::Book,
    file::TokenFile,
    grant::{Grant, IdentityProvider, RegisteredClient},
    key::{KeyError, SigningKey},
    store::{StoreError, StoreFuture, TokenLock, TokenStore},
};
