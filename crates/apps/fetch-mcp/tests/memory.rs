//! Measures the memory of a call over the whole process, so it is the only test of its program.

#![expect(clippy::unwrap_used, dead_code, reason = "a test that uses parts of another")]

#[path = "it/client.rs"]
mod client;
#[path = "it/site.rs"]
mod site;

use peak_alloc::PeakAlloc;
use rmcp::object;

#[global_allocator]
static ALLOCATED: PeakAlloc = PeakAlloc;

/// A page of the maximum size takes memory for a few copies of it.
#[tokio::test]
async fn memory_is_bounded_by_the_limit_of_the_body() {
    let pages: &[(&str, String)] = &[
        ("plain", filled("", "<p>word</p>")),
        ("code", filled(&("<ol start=18446744073709551615><li>".repeat(12) + "<pre>"), "x\n")),
        ("breaks", filled(&"<ol start=18446744073709551615><li>".repeat(12), "<br>x")),
        ("quotes", filled("", "<blockquote>")),
        ("lists", filled("", "<ul>")),
        ("items", filled("", "<ul><li>")),
        ("tables", filled("", "<table>")),
        ("cells", filled("<table>", "<td>")),
        (
            "links",
            filled(&format!("<base href='http://a.example/{}/'>", "y".repeat(1_900)), "<a href=x>z</a>"),
        ),
        ("attributes", filled("<a", &(0..MAX_BYTES / 8).map(|n| format!(" a{n}")).collect::<String>())),
        ("entities", filled("", "&nGt;")),
        ("alt", filled("<img alt='", "a ")),
        ("backticks", filled("<pre>", "`")),
        ("errors", filled("", "</>")),
        ("bytes", filled("", "\u{1}")),
    ];
    let answers = pages.to_vec();
    let site = site::Site::start(move |path| {
        let page = answers.iter().find(|(name, _)| *name == path.trim_start_matches('/'));
        site::ok("text/html", page.map(|(_, page)| page.as_bytes()).unwrap_or_default())
    })
    .await;
    let client = client::Client::on_loopback(|options| options.max_bytes = MAX_BYTES).await;
    for (name, _) in pages {
        ALLOCATED.reset_peak_usage();
        let before = ALLOCATED.current_usage();
        let shown = client.call(object!({ "url": site.url(&format!("/{name}")), "max_length": 10 })).await;
        assert_ne!(shown.is_error, Some(true), "{name}: {}", client::text(&shown));
        let used = ALLOCATED.peak_usage() - before;
        assert!(used < 16 * MAX_BYTES, "{name}: {} bytes for each byte of the page", used / MAX_BYTES);
    }
}

fn filled(start: &str, piece: &str) -> String {
    let count = (MAX_BYTES - start.len()) / piece.len().max(1);
    let mut page = start.to_owned() + &piece.repeat(count);
    page.truncate(MAX_BYTES);
    page
}

const MAX_BYTES: usize = 256 * 1024;
