//! A token store as `rmcp` uses it.

use std::sync::Arc;

use agentwire_net::error_chain;
use reqwest::Url;
use rmcp::transport::{AuthError, CredentialRefreshGuard, CredentialStore, StoredCredentials};

use super::{
    TokenStore,
    record::{ClientRecord, StoredAuthorization},
    store::StoreError,
};

/// The store of one server's tokens, with the registration of the client at one authorization server.
pub(crate) struct RmcpStore {
    url: String,
    store: Arc<dyn TokenStore>,
    client: ClientRecord,
    issuer: Option<String>,
}

impl RmcpStore {
    pub(crate) fn new(
        url: &Url,
        store: &Arc<dyn TokenStore>,
        client: ClientRecord,
        issuer: Option<String>,
    ) -> Self {
        Self { url: url.to_string(), store: Arc::clone(store), client, issuer }
    }

    async fn read(&self) -> Result<Option<StoredCredentials>, AuthError> {
        let Some(text) = self.store.load(&self.url).await.map_err(failed)? else { return Ok(None) };
        let record = StoredAuthorization::parse(&text).map_err(failed)?;
        // A renewal would save the old client over the new one, or send the new refresh token to the old server.
        if record.client != self.client || record.credentials.issuer != self.issuer {
            return Err(failed("another process has stored a new authorization"));
        }
        Ok(Some(record.credentials))
    }

    async fn write(&self, credentials: StoredCredentials) -> Result<(), AuthError> {
        let record = StoredAuthorization { client: self.client.clone(), credentials };
        let text = serde_json::to_string(&record).map_err(failed)?;
        self.store.save(&self.url, &text).await.map_err(failed)
    }
}

/// The return type of methods of `rmcp`'s trait, which the `async_trait` macro would write.
type Boxed<'a, T> = std::pin::Pin<Box<dyn Future<Output = Result<T, AuthError>> + Send + 'a>>;

impl CredentialStore for RmcpStore {
    fn load<'a, 'b>(&'a self) -> Boxed<'b, Option<StoredCredentials>>
    where
        'a: 'b,
        Self: 'b,
    {
        Box::pin(self.read())
    }

    fn save<'a, 'b>(&'a self, credentials: StoredCredentials) -> Boxed<'b, ()>
    where
        'a: 'b,
        Self: 'b,
    {
        Box::pin(self.write(credentials))
    }

    fn clear<'a, 'b>(&'a self) -> Boxed<'b, ()>
    where
        'a: 'b,
        Self: 'b,
    {
        Box::pin(async { self.store.remove(&self.url).await.map_err(failed) })
    }

    fn acquire_refresh_guard<'a, 'b>(&'a self) -> Boxed<'b, Option<CredentialRefreshGuard>>
    where
        'a: 'b,
        Self: 'b,
    {
        Box::pin(async {
            let lock = self.store.lock(&self.url).await.map_err(failed)?;
            let kept = self.store.load(&self.url).await.map_err(failed)?;
            // Saved as it is: if the new tokens could not be saved, the refresh token must not be used.
            if let Some(text) = kept.filter(|text| text.contains("\"refresh_token\"")) {
                self.store.save(&self.url, &text).await.map_err(failed)?;
            }
            Ok(Some(CredentialRefreshGuard::new(lock)))
        })
    }
}

fn failed(error: impl Into<StoreError>) -> AuthError {
    let error: StoreError = error.into();
    AuthError::CredentialStoreError(error_chain(&*error))
}
