//! Tests that non-public addresses are refused in every notation and by every redirect.

use crate::client::Client;
use crate::site::{Site, moved, ok};

#[tokio::test]
async fn no_spelling_of_a_private_address_is_reached() {
    let site = Site::start(|_| ok("text/plain", "secret")).await;
    let client = Client::with(|_| {}).await;
    let port = site.port;
    for host in [
        "127.0.0.1",
        "127.1",
        "127.000.000.001",
        "0x7f.1",
        "0x7f000001",
        "2130706433",
        "0177.0.0.1",
        "0",
        "localhost",
        "LOCALHOST",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[64:ff9b::127.0.0.1]",
        "%31%32%37.0.0.1",
        "１２７.0.0.1",
        "169.254.169.254",
        "10.0.0.1",
        "[fd00:ec2::254]",
        "[fe80::1]",
        "[2002:7f00:1::1]",
        "[2001:0:4136:e378:8000:63bf:3fff:fdd2]",
        "[2001:db8::1]",
        "[::127.0.0.1]",
        "0300.0250.1.1",
        "192.0.0.192",
        "168.63.129.16",
        "198.18.0.1",
        "224.0.0.1",
        "240.0.0.1",
        "100.100.100.200",
    ] {
        let error = client.refused(&format!("http://{host}:{port}/")).await;
        assert!(error.ends_with("which is not a public address"), "{host}: {error}");
    }
    assert_eq!(site.requests(), 0);
}

#[tokio::test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs 127.0.0.2")]
async fn a_redirect_leads_to_no_private_address() {
    let inner = Site::start_on("127.0.0.2", |_| ok("text/plain", "secret")).await;
    let port = inner.port;
    let outer = Site::start(move |path| match path {
        "/name" => moved(&format!("http://localhost:{port}/")),
        "/long" => moved(&format!("http://0x7f000002:{port}/")),
        "/itself" => moved("/end"),
        "/end" => ok("text/plain", "reached"),
        _ => moved(&format!("http://127.0.0.2:{port}/")),
    })
    .await;
    // The site that redirects is on loopback too.
    let client = Client::with(|options| options.allowed_addresses = vec!["127.0.0.1".parse().unwrap()]).await;
    assert!(client.shown(&outer.url("/itself")).await.ends_with("\n\nreached"));
    for path in ["/", "/long"] {
        let error = client.refused(&outer.url(path)).await;
        let from = outer.url(path);
        let expected = "`127.0.0.2` is 127.0.0.2, which is not a public address";
        assert_eq!(error, format!("{expected} (redirected from {from})"));
    }
    assert_eq!(inner.requests(), 0);
    // The same URL is fetched when private addresses are allowed.
    let client = Client::new().await;
    assert!(client.shown(&outer.url("/long")).await.ends_with("\n\nsecret"));
}

#[tokio::test]
async fn only_http_and_https_urls_without_credentials_are_fetched() {
    let client = Client::new().await;
    for (url, error) in [
        ("file:///etc/passwd", "the scheme `file` is not fetched: only http and https are"),
        ("ftp://example.com/", "the scheme `ftp` is not fetched: only http and https are"),
        ("data:text/plain,x", "the scheme `data` is not fetched: only http and https are"),
        ("http://me:secret@example.com/", "a URL with a user name or a password is not fetched"),
        ("example.com", "`example.com` is not a URL: give one with its scheme, such as https://example.com/"),
        ("http://", "`http://` is not a URL: give one with its scheme, such as https://example.com/"),
    ] {
        assert_eq!(client.refused(url).await, error);
    }
}
