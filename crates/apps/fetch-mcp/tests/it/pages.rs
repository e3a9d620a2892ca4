//! Tests of the shown text: format, charset, parts, and redirects.

use rmcp::object;

use crate::client::{Client, text};
use crate::site::{Site, moved, ok, with};

#[tokio::test]
async fn a_page_is_markdown_or_text() {
    let page = "<title>Home</title><h1>Hello</h1><p>See <a href=/more>more</a>.</p>";
    let site = Site::start(move |_| ok("text/html; charset=utf-8", page)).await;
    let client = Client::new().await;
    let url = site.url("/");
    assert_eq!(
        client.shown(&url).await,
        format!("URL: {url}\nType: text/html\nTitle: Home\n\n# Hello\n\nSee [more]({}).", site.url("/more"))
    );
    let result = client.call(object!({ "url": url.clone(), "format": "text" })).await;
    assert_eq!(text(&result), format!("URL: {url}\nType: text/html\nTitle: Home\n\nHello\n\nSee more."));
}

#[tokio::test]
async fn other_text_is_shown_as_it_is() {
    let site = Site::start(|path| match path {
        "/json" => ok("application/json", "{\"a\": [1, <2>]}"),
        "/unnamed" => with("200 OK", "", "plain *text*"),
        "/unnamed-page" => with("200 OK", "", "<!doctype html><b>x</b>"),
        _ => ok("text/markdown", "# As *is*"),
    })
    .await;
    let client = Client::new().await;
    assert!(client.shown(&site.url("/md")).await.ends_with("\n\n# As *is*"));
    assert!(client.shown(&site.url("/json")).await.ends_with("\n\n{\"a\": [1, <2>]}"));
    assert!(client.shown(&site.url("/unnamed")).await.ends_with("\n\nplain *text*"));
    assert!(client.shown(&site.url("/unnamed-page")).await.ends_with("\n\n**x**"));
}

#[tokio::test]
async fn xhtml_keeps_its_cdata_sections() {
    let page =
        "<script>//<![CDATA[\na<b;\n//]]></script><p>x</p><pre><![CDATA[a <b> &amp; <![CDATA[ c]]></pre>";
    let site = Site::start(move |_| ok("application/xhtml+xml", page)).await;
    let shown = Client::new().await.shown(&site.url("/")).await;
    assert!(shown.ends_with("\n\nx\n\n```\na <b> &amp; <![CDATA[ c\n```"), "{shown}");
}

#[tokio::test]
async fn charsets_are_read_from_the_header_and_from_the_page() {
    let site = Site::start(|path| match path {
        "/header" => ok("text/html; charset=ISO-8859-1", b"<p>caf\xe9"),
        "/page" => ok("text/html", b"<meta charset='windows-1252'><p>\x80 5"),
        "/strange" => ok("text/plain; charset=x-none", "caf\u{e9}"),
        _ => ok("text/plain", "caf\u{e9}"),
    })
    .await;
    let client = Client::new().await;
    assert!(client.shown(&site.url("/")).await.ends_with("café"));
    assert!(client.shown(&site.url("/header")).await.ends_with("café"));
    assert!(client.shown(&site.url("/page")).await.ends_with("€ 5"));
    let strange = client.shown(&site.url("/strange")).await;
    assert!(strange.contains("\nNote: the charset `x-none` is unknown; read as UTF-8.\n"), "{strange}");
}

#[tokio::test]
async fn a_long_page_comes_in_parts() {
    let site = Site::start(|_| ok("text/plain", "añb".repeat(1_000))).await;
    let client = Client::new().await;
    let part = async |start: usize, length: usize| {
        let call = object!({ "url": site.url("/"), "start_index": start, "max_length": length });
        text(&client.call(call).await)
    };
    assert!(part(0, 4).await.ends_with("\n\nañba\n\n[Characters 0 to 4 of 3000. Go on with start_index 4.]"));
    assert!(part(2_998, 4).await.ends_with("\n\nñb\n\n[Characters 2998 to 3000 of 3000.]"));
    assert!(part(3_000, 4).await.ends_with("\n\n[No characters from 3000 on: there are 3000.]"));
}

#[tokio::test]
async fn redirects_are_followed_and_reported() {
    let site = Site::start(|path| match path {
        "/a" => moved("/b"),
        "/b" => moved("c?d"),
        "/c?d" => ok("text/plain", "there"),
        "/nowhere" => moved("http://[bad"),
        "/file" => moved("file:///etc/passwd"),
        _ => moved("/loop"),
    })
    .await;
    let client = Client::new().await;
    assert_eq!(
        client.shown(&site.url("/a")).await,
        format!("URL: {} (redirected from {})\nType: text/plain\n\nthere", site.url("/c?d"), site.url("/a"))
    );
    let shown = client.shown(&site.url("/c?d#part")).await;
    assert!(!shown.contains("redirected"), "{shown}");
    assert_eq!(client.refused(&site.url("/loop")).await, "more than 5 redirects");
    assert_eq!(client.refused(&site.url("/nowhere")).await, "the redirect to `http://[bad` leads to no URL");
    let refused = client.refused(&site.url("/file")).await;
    let from = site.url("/file");
    assert_eq!(
        refused,
        format!("the scheme `file` is not fetched: only http and https are (redirected from {from})")
    );
}

#[tokio::test]
async fn long_headers_are_cut() {
    let long = "x".repeat(100_000);
    let site = Site::start(move |path| match path {
        "/type" => ok(&format!("text/{long}"), "text"),
        "/charset" => ok(&format!("text/plain; charset={long}"), "text"),
        "/binary" => ok(&format!("image/{long}"), "text"),
        "/coding" => with("200 OK", &format!("Content-Encoding: {long}\r\n"), "text"),
        "/nowhere" => moved(&format!("http://[{long}")),
        _ => moved(&format!("/{long}")),
    })
    .await;
    let client = Client::new().await;
    for path in ["/type", "/charset", "/binary", "/coding", "/nowhere", "/far"] {
        let shown = text(&client.call(object!({ "url": site.url(path) })).await);
        assert!(shown.len() < 1_000, "{path}: {} bytes", shown.len());
    }
    let far = client.refused(&site.url("/far")).await;
    let length = site.url("/").len() + 100_000;
    assert_eq!(far, format!("the redirect leads to a URL of {length} bytes; the limit is 8000"));
}

#[tokio::test]
async fn a_page_without_text_has_a_note() {
    let site = Site::start(|_| ok("text/html", "<title>App</title><script src=app.js></script>")).await;
    let shown = Client::new().await.shown(&site.url("/")).await;
    assert!(shown.contains("\nTitle: App\nNote: the page has no text; it may need scripts."), "{shown}");
}

/// As Documenter.jl writes it.
#[tokio::test]
async fn a_page_that_only_redirects_names_the_target() {
    let page = "<!--This file is automatically generated by Documenter.jl-->\n\
                <meta http-equiv=\"refresh\" content=\"0; url=./stable/\"/>\n";
    let site = Site::start(move |_| ok("text/html", page)).await;
    let shown = Client::new().await.shown(&site.url("/")).await;
    let note = format!("it redirects to `{}`.", site.url("/stable/"));
    assert!(shown.contains(&note), "{shown}");
}

#[tokio::test]
async fn a_page_that_only_redirects_by_its_header_names_the_target() {
    let site = Site::start(|path| {
        let text = if path == "/text" { "There is text." } else { "" };
        with("200 OK", "Content-Type: text/plain\r\nRefresh: 0; url=/next\r\n", text)
    })
    .await;
    let client = Client::new().await;
    let shown = client.shown(&site.url("/")).await;
    let note = format!("\nNote: the header `Refresh` redirects to `{}`.", site.url("/next"));
    assert!(shown.contains(&note), "{shown}");
    let shown = client.shown(&site.url("/text")).await;
    assert!(!shown.contains("Note:"), "{shown}");
}

#[tokio::test]
async fn a_page_without_text_that_reloads_itself_may_need_scripts() {
    let page = "<meta http-equiv=\"refresh\" content=\"60; url=/status\"><script src=app.js></script>";
    let site = Site::start(move |_| ok("text/html", page)).await;
    let shown = Client::new().await.shown(&site.url("/status")).await;
    let note = "\nNote: the page has no text; it may need scripts, and it redirects to `";
    assert!(shown.contains(note), "{shown}");
}

#[tokio::test]
async fn an_error_status_is_reported_with_its_page() {
    let site = Site::start(|path| match path {
        "/gone" => with("410 Gone", "Content-Type: text/html\r\n", "<h1>Gone</h1>"),
        _ => with("500 Oops", "Content-Type: image/png\r\n", "\u{0}"),
    })
    .await;
    let client = Client::new().await;
    assert_eq!(
        client.refused(&site.url("/gone")).await,
        format!("HTTP 410 Gone from {}\n\n# Gone", site.url("/gone"))
    );
    assert_eq!(
        client.refused(&site.url("/")).await,
        format!("HTTP 500 Internal Server Error from {}", site.url("/"))
    );
}

#[tokio::test]
async fn error_names_the_time_of_the_next_attempt() {
    let headers = "Content-Type: text/plain\r\nRetry-After: 120\r\n";
    let site = Site::start(move |_| with("429 Slow Down", headers, "Later.")).await;
    let url = site.url("/");
    let error = Client::new().await.refused(&url).await;
    assert_eq!(error, format!("HTTP 429 Too Many Requests from {url} (Retry-After: 120)\n\nLater."));
}

#[tokio::test]
async fn a_long_error_page_comes_in_parts() {
    let site = Site::start(|_| with("410 Gone", "Content-Type: text/plain\r\n", "añb".repeat(1_000))).await;
    let client = Client::new().await;
    let call = object!({ "url": site.url("/"), "start_index": 2_000 });
    let rest = text(&client.call(call).await);
    assert!(rest.ends_with("añb\n\n[Characters 2000 to 3000 of 3000.]"), "{rest}");
    let call = object!({ "url": site.url("/"), "max_length": 2 });
    let start = text(&client.call(call).await);
    assert!(start.ends_with("\n\nañ\n\n[Characters 0 to 2 of 3000. Go on with start_index 2.]"), "{start}");
    // The reason of an error is shown, however far into the page the call wanted to read on.
    let call = object!({ "url": site.url("/"), "start_index": 3_000, "max_length": 2 });
    assert_eq!(text(&client.call(call).await), start);
}

#[tokio::test]
async fn the_tool_schema_describes_the_input() {
    let client = Client::new().await;
    let tools = client.service.list_all_tools().await.unwrap();
    assert_eq!(tools.len(), 1);
    let schema = tools[0].schema_as_json_value();
    assert_eq!(schema["required"].to_string(), r#"["url"]"#);
    assert_eq!(schema["properties"]["max_length"]["maximum"], 1_000_000);
    let wrong = client.call(object!({ "url": "http://a/", "lenght": 1 })).await;
    assert_eq!(wrong.is_error, Some(true));
    assert!(text(&wrong).contains("lenght"), "{}", text(&wrong));
}
