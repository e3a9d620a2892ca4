//! Matches URIs against templates.

use std::collections::HashSet;

/// Returns whether `uri` matches `template`, where `{name}` matches text without a `/`, and `{+name}` any text.
///
/// Neither matches an empty text.
pub(super) fn fits(template: &str, uri: &str) -> bool {
    let mut parts = template.split('{');
    let literal = parts.next().unwrap_or_default();
    // The ends of the text that the template matches so far. Backtracking would take cubic time and more.
    let mut ends: HashSet<usize> = uri.starts_with(literal).then_some(literal.len()).into_iter().collect();
    for part in parts {
        let Some((name, literal)) = part.split_once('}') else { return false };
        let mut is_open = false;
        let next = uri.char_indices().filter_map(|(start, found)| {
            is_open = (is_open || ends.contains(&start)) && (name.starts_with('+') || found != '/');
            let end = start + found.len_utf8();
            (is_open && uri[end..].starts_with(literal)).then_some(end + literal.len())
        });
        ends = next.collect();
    }
    ends.contains(&uri.len())
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn a_name_matches_one_part_of_the_path() {
        for (template, uri, expected) in [
            ("note://all", "note://all", true),
            ("note://all", "note://al", false),
            ("note://{id}", "note://7", true),
            ("note://{id}", "note://", false),
            ("note://{id}", "note://7/8", false),
            ("note://{+path}", "note://7/8", true),
            ("note://{day}/{id}.md", "note://monday/7.md", true),
            ("note://{day}/{id}.md", "note://monday/7.txt", false),
            ("note://{day}/{id}.md", "note://mon/day/7.md", false),
            ("note://{a}-{b}", "note://x-y-z", true),
            ("note://{ä}/é", "note://ü/é", true),
            ("note://{+a}.{b}", "note://x/y.md", true),
            ("note://{b}.{+a}", "note://x/y.md", false),
            ("{a}{b}", "x", false),
            ("{a}{b}", "xy", true),
            ("note://{open", "note://{open", false),
        ] {
            assert_eq!(fits(template, uri), expected, "{template} {uri}");
        }
    }

    #[test]
    fn a_long_uri_takes_one_pass_for_each_name() {
        // Backtracking would take more than 10^18 steps.
        let uri = format!("x://{}", "-".repeat(10_000));
        assert!(!fits("x://{a}-{b}-{c}-{d}-{e}.md", &uri));
        assert!(fits("x://{a}-{b}-{c}-{d}-{e}", &uri));
    }
}
