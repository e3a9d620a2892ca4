//! TLS without a process-wide provider.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::TcpListener,
    process::Command,
    sync::Arc,
};

use rustls::{
    ServerConfig, ServerConnection, StreamOwned,
    crypto::{CryptoProvider, ring},
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
};

use super::{DisconnectReason, lost, over_http, over_sse, web};

/// Starts a server over TLS that refuses all requests.
fn serve() -> String {
    let provider = Arc::new(ring::default_provider());
    let certificates = vec![CertificateDer::from_pem_slice(CERTIFICATE).unwrap()];
    let key = PrivateKeyDer::from_pem_slice(KEY).unwrap();
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(certificates, key)
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        while let Ok((socket, _)) = listener.accept() {
            let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut stream = BufReader::new(StreamOwned::new(connection, socket));
            let mut line = String::new();
            while stream.read_line(&mut line).is_ok_and(|read| read > 2) {
                line.clear();
            }
            let _ = stream.get_mut().write_all(REFUSAL);
        }
    });
    format!("https://localhost:{}/mcp", address.port())
}

#[tokio::test]
async fn untrusted_certificate_is_refused() {
    let url = serve();
    let (why, _) = over_http(web(&url, &[])).await.err().unwrap();
    assert!(lost(&why).contains("certificate"), "{why:?}");
    let why = over_sse(web(&url, &[])).await.err().unwrap();
    assert!(lost(&why).contains("certificate"), "{why:?}");
    assert!(CryptoProvider::get_default().is_none(), "no provider is installed for the process");
}

#[test]
fn https_works_with_certificates_that_the_system_trusts() {
    run_with(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/tls/authority.pem"), "tls::trusted");
}

#[test]
fn https_without_certificates_fails_with_the_reason() {
    run_with("/none", "tls::without_certificates");
}

/// Runs a test in a process of its own, because the certificates of the system are read once per process.
fn run_with(certificates: &str, test: &str) {
    let run = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--ignored"])
        .env("SSL_CERT_FILE", certificates)
        .env_remove("SSL_CERT_DIR")
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success() && output.contains("1 passed"), "{output}");
}

#[tokio::test]
#[ignore = "run by a test above, without a certificate to trust"]
async fn without_certificates() {
    let why = over_sse(web(&serve(), &[])).await.err().unwrap();
    assert!(lost(&why).contains("the certificates of this machine can't be read"), "{why:?}");
}

#[tokio::test]
#[ignore = "run by a test above, with a certificate to trust"]
async fn trusted() {
    let url = serve();
    let expected = DisconnectReason::Unauthorized { challenge: Some("Bearer tls=1".into()) };
    assert_eq!(over_http(web(&url, &[])).await.err().unwrap().0, expected);
    assert_eq!(over_sse(web(&url, &[])).await.err().unwrap(), expected);
    assert!(CryptoProvider::get_default().is_none());
}

const CERTIFICATE: &[u8] = include_bytes!("tls/certificate.pem");
const KEY: &[u8] = include_bytes!("tls/key.pem");
const REFUSAL: &[u8] = b"HTTP/1.1 401 Unauthorized\r\nwww-authenticate: Bearer tls=1\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
