//! Tests of HTTPS: there is no process-wide crypto provider, and only the machine's authorities are trusted.

use std::sync::Arc;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

use crate::client::Client;
use crate::site::{ok, respond};

/// A site with a certificate of a test authority.
pub(crate) struct SecureSite {
    pub(crate) port: u16,
    _serving: JoinSet<()>,
}

impl SecureSite {
    pub(crate) async fn start() -> Self {
        let certificate = CertificateDer::from_pem_slice(include_bytes!("tls/site.pem")).unwrap();
        let key = PrivateKeyDer::from_pem_slice(include_bytes!("tls/key.pem")).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap();
        let config = config.with_no_client_auth().with_single_cert(vec![certificate], key).unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                if let Ok(stream) = acceptor.accept(stream).await {
                    respond(stream, &|_: &str| ok("text/plain", "over TLS")).await;
                }
            }
        });
        Self { port, _serving: serving }
    }
}

#[tokio::test]
async fn an_unknown_authority_is_not_trusted() {
    let site = SecureSite::start().await;
    let error = Client::new().await.refused(&format!("https://127.0.0.1:{}/", site.port)).await;
    assert!(error.contains("certificate"), "{error}");
}
