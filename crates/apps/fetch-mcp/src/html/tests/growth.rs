//! Expensive pages: a page of four times the size takes about four times as long, not sixteen times.

use rustix::time::{ClockId, clock_gettime};

use super::{Format, limited};

/// Returns a message if the time of a conversion grows faster than linearly. Only the CPU time of this thread counts,
/// so other load on the machine has no effect.
fn grows_too_fast(name: &str, make: &dyn Fn(usize) -> String) -> Option<String> {
    let mut worst = f64::MAX;
    for _ in 0..4 {
        let growth = processor_time(&make(4 * SIZE)) / processor_time(&make(SIZE));
        worst = worst.min(growth);
        if worst < LARGEST_GROWTH {
            return None;
        }
    }
    Some(format!("{name}: {worst:.1} times"))
}

fn processor_time(html: &str) -> f64 {
    let now = || {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
    };
    let started = now();
    let converted = limited(html, Format::Markdown, 2 * html.len());
    let most = 6 * html.len() + 20_000;
    assert!(converted.text.len() <= most, "{} bytes of {}", converted.text.len(), html.len());
    now() - started
}

/// Repeats a piece up to a size.
fn filled(piece: &str, size: usize) -> String {
    piece.repeat(size / piece.len() + 1)
}

#[test]
fn every_order_of_tags_takes_linear_time() {
    let mut slow = Vec::new();
    for first in TAGS {
        for second in TAGS {
            let orders: [&dyn Fn(usize) -> String; 2] = [
                &|size| {
                    filled(&format!("<{first}>"), size / 2) + &filled(&format!("</{second}>"), size / 2) + "x"
                },
                &|size| filled(&format!("<{first}>x<{second}>"), size),
            ];
            for (number, order) in orders.into_iter().enumerate() {
                slow.extend(grows_too_fast(&format!("{first} {second} {number}"), order));
            }
        }
    }
    assert!(slow.is_empty(), "{slow:?}");
}

#[test]
fn other_pages_take_linear_time() {
    let deep = |tag: &str| tag.repeat(12);
    let margin = || deep("<ol start=18446744073709551615><li>");
    let quotes = || deep("<blockquote>");
    let pages: &[(&str, &dyn Fn(usize) -> String)] = &[
        ("lines of code behind a margin", &|size| margin() + "<pre>" + &filled("x\n", size)),
        ("empty lines of code behind quotes", &|size| quotes() + "<pre>x" + &filled("\n", size) + "x</pre>"),
        ("lines behind a margin", &|size| margin() + &filled("<br>x", size)),
        ("paragraphs behind quotes", &|size| quotes() + &filled("<p>x", size)),
        ("links", &|size| filled("<a href=x>a", size)),
        ("empty links", &|size| filled("<a href=x></a>", size)),
        ("links below a base", &|size| {
            format!("<base href='http://a/{}/'>", "y".repeat(1_900)) + &filled("<a href=x>a", size)
        }),
        ("links below a long base", &|size| {
            format!("<base href='http://a/{}/'>", filled("y", size / 2)) + &filled("<a href=x>a", size / 2)
        }),
        ("pictures below a long base", &|size| {
            format!("<base href='http://a/{}'>", filled("y/", size / 2)) + &filled("<img src=x>", size / 2)
        }),
        ("bases that grow", &|size| filled("<base href='x/'>", size)),
        ("attributes", &|size| {
            (0..size / 8).fold("<a".to_owned(), |page, number| page + &format!(" a{number}=1")) + ">x"
        }),
        ("the same attribute", &|size| format!("<a {}>x", filled("href=a ", size))),
        ("attributes of an end tag", &|size| format!("<a></a {}>x", filled("href=a ", size))),
        ("pictures with long texts", &|size| format!("<img alt='{}'>", filled("a [b] ", size))),
        ("entities", &|size| filled("&NotEqualTilde;&nGt;&amp", size)),
        ("half entities", &|size| filled("&CounterClockwiseContourIntegra", size)),
        ("ampersands", &|size| filled("&", size)),
        ("numbers of characters", &|size| format!("&#{};x", filled("9", size))),
        ("comments", &|size| filled("<!-- - -->", size)),
        ("an open comment", &|size| filled("<!--", size)),
        ("dashes in a comment", &|size| format!("<!--{}", filled("-", size))),
        ("bogus comments", &|size| filled("<?x>", size)),
        ("doctypes", &|size| filled("<!doctype x>", size)),
        ("a long tag", &|size| format!("<{}>x", filled("t", size))),
        ("less-than signs", &|size| filled("<", size)),
        ("end tags of scripts", &|size| format!("<script>{}", filled("</script", size))),
        ("escaped scripts", &|size| format!("<script><!--{}", filled("<script>", size))),
        ("an open title", &|size| format!("<title>{}", filled("</titl", size))),
        ("titles", &|size| filled("<title>x</title>", size)),
        ("a long word", &|size| filled("a", size)),
        ("words", &|size| filled("a ", size)),
        ("marks", &|size| filled("*_[]<`\\", size)),
        ("numbers at the start", &|size| format!("<p>{}.", filled("1", size))),
        ("spaces", &|size| filled(" ", size) + "x"),
        ("backticks in code", &|size| format!("<code>{}</code>", filled("`", size))),
        ("backticks in a block", &|size| format!("<pre>{}</pre>", filled("`\n", size))),
        ("spaces in code", &|size| format!("<pre>{}x</pre>", filled(" \n", size))),
        ("code and breaks", &|size| format!("<pre>{}", filled("x<br>", size))),
        ("classes of code", &|size| format!("<pre class='{}'>x", filled("a ", size))),
        ("cells", &|size| format!("<table><tr>{}", filled("<td>a", size))),
        ("headed cells", &|size| format!("<table>{}", filled("<tr><th>|<th>b", size))),
        ("cells that span many", &|size| {
            format!("<table><tr><th>{}", filled("<tr><td rowspan=1000 colspan=1000>", size))
        }),
        ("rows below cells that span many", &|size| {
            format!("<table><tr><th rowspan=1000 colspan=1000>a{}", filled("<tr><td>", size))
        }),
        ("rows below covered columns", &|size| {
            format!("<table><tr>{}", filled("<td rowspan=2>a", size / 2)) + &filled("<tr><td>", size / 2)
        }),
        ("tables in cells", &|size| filled("<table><tr><td>a<td>b", size)),
        ("tables one behind the other", &|size| filled("<table><tr><td>a<td>b</table>", size)),
        ("nested lists of items", &|size| filled("<ul><li>a<li>b", size)),
        ("quotes and items", &|size| {
            filled("<blockquote><li>", size / 2) + &filled("</li></blockquote>", size / 2)
        }),
        ("emphasis", &|size| filled("<b><i><s>x</b></i></s>", size)),
        ("emphasis without text", &|size| filled("<b><i></b></i>", size)),
        ("skipped elements", &|size| filled("<svg>", size) + "x"),
    ];
    let slow: Vec<_> = pages.iter().filter_map(|(name, make)| grows_too_fast(name, *make)).collect();
    assert!(slow.is_empty(), "{slow:?}");
}

/// One tag of each kind that the conversion supports.
const TAGS: [&str; 10] = ["a", "b", "blockquote", "code", "li", "ol", "p", "pre", "table", "td"];

/// The smaller of the two pages.
const SIZE: usize = 4 * 1024;
const LARGEST_GROWTH: f64 = 8.0;
