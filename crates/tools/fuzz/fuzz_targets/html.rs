//! A page is converted without a panic, in time, to a text of bounded size.
//!
//! The first byte determines the limit, the rest is the page.

#![no_main]

use agentwire_fetch_mcp::fuzzing::convert;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let [limit, page @ ..] = data else { return };
    let page = String::from_utf8_lossy(page);
    let limit = if limit % 2 == 0 { usize::from(*limit) * 8 } else { 1 << 20 };
    for is_markdown in [true, false] {
        let text = convert(&page, is_markdown, limit).expect("no page of this size takes a minute");
        // The limit counts the text, not the markers that are closed after it.
        assert!(text.len() <= limit.min(6 * page.len()) + 20_000, "{} bytes", text.len());
    }
});
