//! TLS for connections over HTTP: rustls with ring, trusting what the operating system trusts.
//!
//! The provider of the algorithms is given to the configuration and not installed for the process: a program chooses
//! its own, and one that chose none gets none from us.

use std::sync::{Arc, OnceLock};

use rustls::{ClientConfig, ConfigBuilder, RootCertStore, client::WantsClientCert, crypto::ring};
use rustls_platform_verifier::Verifier;

/// The configuration of every connection. The certificates of the system are read once in a process.
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
        // A small container has no certificates, and a server over plain HTTP needs none.
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
