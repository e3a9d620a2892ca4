//! Tests of the conversion.

use reqwest::Url;

use std::time::Duration;

use super::{Converted, Format, convert};
use crate::deadline::Deadline;

#[cfg(unix)]
mod growth;

fn page(html: &str, format: Format) -> Converted {
    limited(html, format, 1 << 20)
}

fn limited(html: &str, format: Format, limit: usize) -> Converted {
    let (_caller, deadline) = Deadline::after(Duration::MAX);
    convert(html, &Url::parse("https://example.com/a/b").unwrap(), format, limit, deadline).unwrap()
}

fn markdown(html: &str) -> String {
    page(html, Format::Markdown).text
}

fn text(html: &str) -> String {
    page(html, Format::Text).text
}

#[test]
fn headings_paragraphs_and_emphasis() {
    let html = "<h1>A <b>bold</b> title</h1><p>One\n  two.</p><p>With<i> space </i>inside, <b></b>and<br>a break.</p><hr><h3></h3>end";
    assert_eq!(
        markdown(html),
        "# A **bold** title\n\nOne two.\n\nWith *space* inside, and\na break.\n\n---\n\nend"
    );
    assert_eq!(text(html), "A bold title\n\nOne two.\n\nWith space inside, and\na break.\n\nend");
}

#[test]
fn links_and_pictures_are_absolute() {
    let html = "<a href='/x?a=1&amp;b=2'> here</a>, <a href=#top>top</a>, <a href='javascript:alert(1)'>js</a>, \
                <a href=c(1)>d</a> <a href=e><div>card</div><h2>head</h2></a><img src=p.png alt='a [b]'> <img src='data:x' alt=dot>";
    assert_eq!(
        markdown(html),
        "[here](https://example.com/x?a=1&b=2), top, js, [d](https://example.com/a/c%281%29) \
         [card head](https://example.com/a/e) ![a \\[b\\]](https://example.com/a/p.png) dot"
    );
    assert_eq!(text(html), "here, top, js, d\ncard\n\nhead\n\na [b] dot");
    let two = "<base><base href=//cdn.example/><base href=//later.example/><a href=x>y</a>";
    assert_eq!(markdown(two), "[y](https://cdn.example/x)");
    let none = "<base href='data:,'><a href=x>y</a>";
    assert_eq!(markdown(none), "[y](https://example.com/a/x)");
}

#[test]
fn redirects_of_a_page_are_found() {
    let refresh = |tag: &str| page(tag, Format::Markdown).refresh;
    for content in ["0; url=c", "0;URL='c'", "5, url = \"c\" x", " 0 c", "0;c"] {
        let tag = format!("<meta http-equiv=Refresh content='{}'>", content.replace('\'', "&#39;"));
        assert_eq!(refresh(&tag).as_deref(), Some("https://example.com/a/c"), "{content}");
    }
    for content in ["300", "", "0; url=", "0; url=javascript:x()"] {
        assert_eq!(refresh(&format!("<meta http-equiv=refresh content='{content}'>")), None, "{content}");
    }
    let two = "<meta name=refresh content='0; url=c'><meta http-equiv=refresh content='0; url=?d'><meta http-equiv=refresh content='0; url=e'>";
    assert_eq!(refresh(two).as_deref(), Some("https://example.com/a/b?d"));
    assert_eq!(refresh("<noscript><meta http-equiv=refresh content='0; url=c'></noscript>"), None);
}

#[test]
fn lists_nest_and_count() {
    let html =
        "<ul><li>one<li><p>two</p><p>more</p><ol start=9><li>nine</li><li>ten</ol></li><li>three</ul>after";
    assert_eq!(markdown(html), "- one\n- two\n\n  more\n\n  9. nine\n  10. ten\n- three\n\nafter");
}

#[test]
fn items_have_the_numbers_of_the_page() {
    let html = "<ol><li>a<li value=7>b<li>c<li value=x>d</ol><ul><li value=3>e</ul>";
    assert_eq!(text(html), "1. a\n7. b\n8. c\n9. d\n\n- e");
}

#[test]
fn raised_lowered_and_quoted_text_keeps_its_meaning() {
    let html = "<p>10<sup>6</sup> m of H<sub>2</sub>O,<sup></sup> <q>so to <q>say</q></q>, 2<sup>2<sup>n</sup></sup></p>";
    for format in [Format::Markdown, Format::Text] {
        assert_eq!(page(html, format).text, "10^6^ m of H~2~O, \"so to \"say\"\", 2^2^n^^");
    }
}

#[test]
fn quotes_and_code_are_marked() {
    let html = "<blockquote><p>a</p><p>b <code>x  `y`</code></p><ul><li>c</ul></blockquote>\
                <pre class=x><code class='hl language-rust'>\nfn main() {\n    \"&lt;\"\n}\n</code></pre>d";
    assert_eq!(
        markdown(html),
        "> a\n>\n> b `` x `y` ``\n>\n> - c\n\n```rust\nfn main() {\n    \"<\"\n}\n```\n\nd"
    );
    assert_eq!(markdown("<pre>a ``` b\n c</pre>"), "````\na ``` b\n c\n````");
    assert_eq!(text("<pre>\n  a\n b</pre>"), "  a\n b");
    assert_eq!(markdown("use<code> a </code>now"), "use `a` now");
}

#[test]
fn tables_of_data_are_tables() {
    let html = "<table><thead><tr><th>A<th>B|C</thead><tr><td>1<td><p>x</p><p>y</p></tr><tr><td></td><td><code>a|b</code></table>z";
    assert_eq!(markdown(html), "| A | B\\|C |\n|---|---|\n| 1 | x y |\n| | `a\\|b` |\n\nz");
    assert_eq!(text(html), "| A | B|C |\n| 1 | x y |\n| | a|b |\n\nz");
}

#[test]
fn cells_that_span_rows_and_columns_keep_their_table_aligned() {
    let html = "<table><tr><th>Year<th>Film<th>Role<tr><td rowspan=2>2019<td>A<td>x<tr><td>B<td>y</table>";
    assert_eq!(markdown(html), "| Year | Film | Role |\n|---|---|---|\n| 2019 | A | x |\n| | B | y |");
    let html = "<table><tr><th colspan=2>a<th>b</tr><tr><td>c<td colspan=2 rowspan=2>d</tr><tr><td>e</tr><tr><td>f</table>";
    assert_eq!(markdown(html), "| a | | b |\n|---|---|---|\n| c | d | |\n| e | | |\n| f |");
    let html = "<table><tr><td rowspan=2>a<td rowspan=2>b</tr><tr></tr><tr><td>c<td>d</table>";
    assert_eq!(text(html), "| a | b |\n| | |\n| c | d |");
    let html = "<table><thead><tr><th rowspan=2>A<th>B</tr></thead><tbody><tr><td>1<td>2</table>";
    assert_eq!(text(html), "| A | B |\n| 1 | 2 |");
    assert_eq!(text("<table><tr><td>a<td colspan=x>b<td rowspan=-1>c</table>"), "| a | b | c |");
}

#[test]
fn tables_of_layout_are_flattened() {
    let html =
        "<table><tr><td><h1>T</h1><p>a</p></td></tr><tr><td><table><tr><td>1<td>2</table></td></tr></table>";
    assert_eq!(markdown(html), "# T\n\na\n\n| 1 | 2 |\n|---|---|");
}

#[test]
fn markdown_in_the_text_is_escaped() {
    assert_eq!(
        markdown("<p># no</p><p>1. no</p><p>- no</p><p>a*b_c _d_ [e] `f` &lt;g> 3.5 - 4</p>"),
        "\\# no\n\n1\\. no\n\n\\- no\n\na\\*b_c \\_d\\_ \\[e\\] \\`f\\` \\<g> 3.5 - 4"
    );
}

#[test]
fn scripts_and_styles_are_left_out() {
    let html = "<title> My &amp;\n page </title><style>p{}</style><script>if (a</b) '<p>'</script><noscript><p>n</noscript>\
                <svg><svg><text>s</text></svg><title>inner</title></svg><svg/>a<!-- b --><iframe>c</iframe><template>d</template>";
    let converted = page(html, Format::Markdown);
    assert_eq!(converted.text, "a");
    assert_eq!(converted.title.as_deref(), Some("My & page"));
}

#[test]
fn text_for_browsers_without_frames_and_suggestions_of_a_field_are_left_out() {
    let html = "<frameset></frameset><noframes><p>n</noframes>a<datalist><option>b<option>c</datalist>d";
    assert_eq!(markdown(html), "ad");
}

#[test]
fn formula_is_shown_as_its_text() {
    let html = "<p>The area is <math alttext='r^2'><mi>r</mi></math> exactly.";
    assert_eq!(page(html, Format::Text).text, "The area is r^2 exactly.");
}

#[test]
fn formula_is_shown_once_and_as_its_tex() {
    let elements = "<mrow><msup><mn>10</mn><mn>6</mn></msup></mrow>";
    let tex = "<annotation encoding='application/x-tex'>10^{6}</annotation>";
    let math = |attribute: &str| format!("<math {attribute}><semantics>{elements}{tex}</semantics></math>");
    assert_eq!(text(&format!("<p>has {} cells", math("alttext='10^6'"))), "has 10^6 cells");
    // As KaTeX writes it.
    let katex = |mathml: &str| {
        let glyphs = "<span class=katex-html aria-hidden=true><span>10</span><span>6</span></span>";
        format!("<p>has <span class=katex>{mathml}{glyphs}</span> cells")
    };
    let with_mathml = katex(&format!("<span class=katex-mathml>{}</span>", math("")));
    for format in [Format::Markdown, Format::Text] {
        assert_eq!(page(&with_mathml, format).text, "has 10^{6} cells");
    }
    assert_eq!(text(&katex("")), "has 106 cells");
}

#[test]
fn formula_without_tex_is_not_shown_as_another_one() {
    // As MathJax writes it.
    let power = "<math><msup><mn>10</mn><mrow><mn>6</mn></mrow></msup></math>";
    assert_eq!(text(&format!("<p>has {power} cells")), "has (formula) cells");
    let other =
        "<math><semantics><mi>x</mi><annotation encoding='MathML-Content'>y</annotation></semantics></math>";
    assert_eq!(text(&format!("<p>a {other} b")), "a (formula) b");
    assert_eq!(text("<p>a <math alttext=x><mi>x</mi>"), "a x");
    assert_eq!(text("<p>a <math><mn>1</mn><p>b"), "a (formula)\n\nb");
}

#[test]
fn self_closing_elements_leave_out_nothing_after_them() {
    assert_eq!(markdown("<p>a</p><svg><title/><path d=''/></svg><p>b</p>"), "a\n\nb");
    let html = "<title/><title>t</title><script src='x.js'/><style/><iframe/><textarea/><p>b</p>";
    let converted = page(html, Format::Markdown);
    assert_eq!((converted.text.as_str(), converted.title.as_deref()), ("b", Some("t")));
}

#[test]
fn blocks_in_code_are_lines() {
    let html = "<pre><code><div class=line>a = 1</div><div class=line>b = 2</div></code></pre>";
    assert_eq!(text(html), "a = 1\nb = 2");
    assert_eq!(text("<pre><div>a\n</div><div>b</div></pre>"), "a\nb");
}

#[test]
fn items_that_start_with_a_quote_or_a_list_keep_their_mark() {
    assert_eq!(markdown("<ul><li>a</li><li><blockquote>q</blockquote>r</li></ul>"), "- a\n- > q\n\n  r");
    assert_eq!(markdown("<ul><li>a</li><li><ul><li>x<li>y</ul></li><li>b</ul>"), "- a\n- - x\n  - y\n- b");
    assert_eq!(markdown("<p>p</p><ul><li><blockquote>q</blockquote></ul>"), "p\n\n- > q");
    assert_eq!(markdown("<ul><li><blockquote></blockquote>a<li><ul></ul><li>b</ul>"), "- a\n- b");
}

#[test]
fn unclosed_elements_are_harmless() {
    assert_eq!(markdown("<b>a<p>b</i></p></ul></li></table></blockquote></td>c"), "**a**\n\nb\n\nc");
    assert_eq!(markdown("<li>a<li>b"), "- a\n- b");
    assert_eq!(markdown("<code>a<p>b"), "`a`\n\nb");
    assert_eq!(markdown("<a href=x>a"), "[a](https://example.com/a/x)");
    assert_eq!(markdown("<td>a<tr>b"), "ab");
}

#[test]
fn the_text_ends_at_its_limit() {
    let converted = limited(&"<p>word</p>".repeat(1_000), Format::Text, 100);
    assert!(converted.cut);
    assert!((100..120).contains(&converted.text.len()), "{}", converted.text.len());
    let words = limited(&"word ".repeat(1_000), Format::Text, 100);
    assert!((100..120).contains(&words.text.len()), "{}", words.text.len());
}

#[test]
fn code_that_is_cut_keeps_its_closing_fence() {
    let margin = "<ol start=18446744073709551615><li>".repeat(12);
    let converted =
        limited(&format!("{margin}<pre>{}</pre>", "x\n".repeat(10_000)), Format::Markdown, 10_000);
    assert!(converted.cut);
    assert!(converted.text.ends_with("\n```") || converted.text.ends_with(" ```"), "{}", converted.text);
    assert!(converted.text.len() < 11_000, "{}", converted.text.len());
}

#[test]
fn a_conversion_stops_at_its_deadline_and_without_its_caller() {
    let base = Url::parse("https://example.com/").unwrap();
    let html = "<p>word</p>".repeat(1_000);
    let (_caller, deadline) = Deadline::after(Duration::ZERO);
    assert!(convert(&html, &base, Format::Text, 1 << 20, deadline).is_none());
    let (caller, deadline) = Deadline::after(Duration::MAX);
    drop(caller);
    assert!(convert(&html, &base, Format::Text, 1 << 20, deadline).is_none());
}

#[test]
fn text_after_deep_lists_is_in_the_right_place() {
    let html = format!("<ul><li>a{}b{}<li>c</ul><p>d", "<ul><li>".repeat(100), "</li></ul>".repeat(100));
    let converted = markdown(&html);
    assert!(converted.starts_with("- a\n") && converted.ends_with("b\n- c\n\nd"), "{converted}");
}

#[test]
fn a_table_that_is_skipped_changes_no_other() {
    let html = "<noscript><table><tr><td>x<td>y</table></noscript><table><tr><td>a</table><table><tr><th>b<th>c</table>";
    assert_eq!(markdown(html), "a\n\n| b | c |\n|---|---|");
}

#[test]
fn a_long_title_is_cut() {
    let converted = page(&format!("<title>{}</title>x", "t".repeat(10_000)), Format::Text);
    assert_eq!(converted.title.map(|title| title.len()), Some(500));
}
