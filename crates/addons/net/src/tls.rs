//! TLS for HTTP clients: rustls with ring and the certificates of the operating system.

use std::sync::{Arc, LazyLock};

use rustls::{
    ClientConfig, DigitallySignedStruct, Error, SignatureScheme,
    client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    crypto::{CryptoProvider, ring},
    pki_types::{CertificateDer, ServerName, UnixTime},
};
use rustls_platform_verifier::Verifier;

/// Returns the TLS configuration of HTTP/1.1 clients, which trusts the certificates of the operating system.
///
/// Without such certificates, as in a small container, each TLS connection fails with that reason. Plain HTTP needs
/// none, so clients can always be built.
/// The certificates are read once per process.
///
/// The crypto provider is part of this configuration only. The program's process-wide provider is neither used nor
/// changed: `reqwest::Client::new` would panic if there is none.
pub fn tls_config() -> ClientConfig {
    static CONFIG: LazyLock<ClientConfig> = LazyLock::new(read);
    CONFIG.clone()
}

#[expect(clippy::expect_used, reason = "ring has cipher suites for all versions")]
fn read() -> ClientConfig {
    let provider = Arc::new(ring::default_provider());
    let verifier: Arc<dyn ServerCertVerifier> = match Verifier::new(Arc::clone(&provider)) {
        Ok(verifier) => Arc::new(verifier),
        Err(error) => Arc::new(Refusing { error, provider: Arc::clone(&provider) }),
    };
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.expect("the versions are supported").dangerous();
    let mut config = builder.with_custom_certificate_verifier(verifier).with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    config
}

/// Refuses all certificates, because those to trust can't be read.
#[derive(Debug)]
struct Refusing {
    error: Error,
    provider: Arc<CryptoProvider>,
}

impl Refusing {
    fn refusal(&self) -> Error {
        let error = &self.error;
        Error::General(format!(
            "the certificates of this machine can't be read; install them (`ca-certificates`), or set `SSL_CERT_FILE`: \
             {error}"
        ))
    }
}

impl ServerCertVerifier for Refusing {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Err(self.refusal())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Err(self.refusal())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Err(self.refusal())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
