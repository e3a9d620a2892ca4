//! Tests of endless bodies, silent sites, compression bombs, and cancelled calls.

use std::time::Duration;

use agentwire_testkit::eventually;
use rmcp::model::{CallToolRequestParams, ClientRequest, Request};
use rmcp::object;
use rmcp::service::PeerRequestOptions;

use crate::client::Client;
use crate::site::{Reply, Site, ok, with};

#[tokio::test]
async fn a_body_is_read_up_to_its_limit() {
    let endless = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n";
    let site = Site::start(move |path| match path {
        "/endless" => Reply::Endless(endless, &[b'x'; 4096]),
        "/announced" => Reply::Endless("HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n", b""),
        "/above" => ok("text/plain", [b'y'; 10_001]),
        _ => ok("text/plain", [b'y'; 10_000]),
    })
    .await;
    let client = Client::on_loopback(|options| options.max_bytes = 10_000).await;
    assert!(client.shown(&site.url("/")).await.ends_with(&"y".repeat(10_000)));
    for path in ["/endless", "/announced", "/above"] {
        assert_eq!(client.refused(&site.url(path)).await, "the body is larger than 10000 bytes", "{path}");
    }
}

#[tokio::test]
async fn the_limit_applies_to_decompressed_bytes() {
    // 1 MB of zeros, and a short text, compressed with gzip.
    let site = Site::start(|path| {
        let bytes: &[u8] = if path == "/bomb" {
            include_bytes!("limits/zeros.gz")
        } else {
            include_bytes!("limits/text.gz")
        };
        with("200 OK", "Content-Type: text/plain\r\nContent-Encoding: gzip\r\n", bytes)
    })
    .await;
    let client = Client::on_loopback(|options| options.max_bytes = 500_000).await;
    assert!(client.shown(&site.url("/")).await.ends_with("\n\nwas compressed"));
    assert_eq!(client.refused(&site.url("/bomb")).await, "the body is larger than 500000 bytes");
}

#[tokio::test]
async fn binary_and_undecodable_bodies_are_refused() {
    let site = Site::start(|path| match path {
        "/brotli" => with("200 OK", "Content-Type: text/plain\r\nContent-Encoding: br\r\n", "?"),
        "/unnamed" => with("200 OK", "", [0, 1, 2, 3]),
        "/pdf" => Reply::Endless("HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n", b"%PDF"),
        _ => ok("image/png", b"\x89PNG"),
    })
    .await;
    let client = Client::new().await;
    let binary = |kind: &str| format!("the content is `{kind}`, which is neither text nor HTML");
    assert_eq!(client.refused(&site.url("/")).await, binary("image/png"));
    assert_eq!(client.refused(&site.url("/pdf")).await, binary("application/pdf"));
    assert_eq!(client.refused(&site.url("/unnamed")).await, binary("unknown"));
    let brotli = client.refused(&site.url("/brotli")).await;
    assert_eq!(brotli, "the body is encoded as `br`, which was not asked for and can't be read");
}

#[tokio::test]
async fn the_time_limit_covers_all_of_a_call() {
    let endless = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n";
    let site =
        Site::start(move |path| if path == "/half" { Reply::Endless(endless, b"") } else { Reply::Silence })
            .await;
    let client = Client::on_loopback(|options| options.time_limit = Duration::from_millis(300)).await;
    for path in ["/silent", "/half"] {
        assert_eq!(client.refused(&site.url(path)).await, "not finished within 0.3 s", "{path}");
    }
}

#[tokio::test]
async fn error_status_is_reported_although_its_body_never_ends() {
    let endless = "HTTP/1.1 410 Gone\r\nContent-Type: text/plain\r\n\r\n";
    let site = Site::start(move |_| Reply::Endless(endless, b"")).await;
    let client = Client::on_loopback(|options| options.time_limit = Duration::from_secs(2)).await;
    let url = site.url("/");
    assert_eq!(client.refused(&url).await, format!("HTTP 410 Gone from {url}"));
}

/// The clock is paused, so it advances whenever nothing else happens.
#[tokio::test(start_paused = true)]
async fn the_time_limit_includes_the_wait_for_other_calls() {
    let site = Site::start(|_| Reply::Silence).await;
    let client = Client::new().await;
    let (url, started) = (site.url("/"), tokio::time::Instant::now());
    let refused = (0..9).map(|_| client.refused(&url));
    for error in futures_util::future::join_all(refused).await {
        assert_eq!(error, "not finished within 30 s");
    }
    let elapsed = started.elapsed();
    assert!(elapsed < Duration::from_secs(31), "{elapsed:?}");
}

#[test]
fn pages_are_converted_off_the_threads_of_the_runtime() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(1).build();
    let runtime = runtime.unwrap();
    let (release, held) = std::sync::mpsc::channel::<()>();
    // The only thread for blocking work is busy, so the conversion has to wait.
    let holding = runtime.spawn_blocking(move || held.recv().is_err());
    runtime.block_on(async {
        let site = Site::start(|_| ok("text/html", "<p>page")).await;
        let client = Client::on_loopback(|options| options.time_limit = Duration::from_millis(300)).await;
        assert_eq!(client.refused(&site.url("/")).await, "not finished within 0.3 s");
        drop(release);
        assert!(holding.await.unwrap());
    });
}

#[tokio::test]
async fn a_long_page_is_refused_at_the_time_limit() {
    let page = "<p>word ".repeat(4 * 1024 * 1024);
    let site = Site::start(move |_| ok("text/html", &page)).await;
    let client = Client::on_loopback(|options| {
        options.max_bytes = usize::MAX;
        options.time_limit = Duration::from_millis(500);
    })
    .await;
    assert_eq!(client.refused(&site.url("/")).await, "not finished within 0.5 s");
}

#[tokio::test]
async fn a_cancelled_call_closes_its_connection() {
    let site = Site::start(|_| Reply::Silence).await;
    let client = Client::new().await;
    let call = CallToolRequestParams::new("fetch").with_arguments(object!({ "url": site.url("/") }));
    let request = ClientRequest::CallToolRequest(Request::new(call));
    let pending =
        client.service.send_cancellable_request(request, PeerRequestOptions::no_options()).await.unwrap();
    eventually(|| site.open() == 1).await;
    pending.cancel(None).await.unwrap();
    eventually(|| site.open() == 0).await;
}
