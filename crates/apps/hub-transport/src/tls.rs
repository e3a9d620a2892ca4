//! TLS for connections over HTTP: rustls with ring and the certificates of the operating system.
//!
//! The crypto provider is part of this configuration only. The program's process-wide provider does not change.

use std::sync::{Arc, OnceLock};

use rustls::{ClientConfig, ConfigBuilder, RootCertStore, client::WantsClientCert, crypto::ring};
use rustls_platform_verifier::Verifier;

/// Returns the configuration for all connections. The certificates of the system are read once per process.
pub(super) fn config() -> Result<ClientConfig, rustls::Error> {
    static CONFIG: OnceLock<ClientConfig> = OnceLock::new();
    if let Some(config) = CONFIG.get() {
        return Ok(config.clone());
    }
    let provider = Arc::new(ring::default_provider());
    let builder =
        ClientConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions()?;
    match Verifier::new(provider) {
        Ok(verifier) => {
            let trusting = builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier));
            Ok(CONFIG.get_or_init(|| finish(trusting)).clone())
        }
        // A small container may have no certificates, and plain HTTP needs none.
        Err(error) => {
            tracing::warn!(%error, "no certificates to trust: servers over https cannot be reached");
            Ok(finish(builder.with_root_certificates(RootCertStore::empty())))
        }
    }
}

fn finish(builder: ConfigBuilder<ClientConfig, WantsClientCert>) -> ClientConfig {
    let mut config = builder.with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    config
}
