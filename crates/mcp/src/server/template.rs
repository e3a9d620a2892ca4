//! Matches URIs against templates.

/// Returns whether `uri` matches `template`, where `{name}` matches text without a `/`, and `{+name}` any text.
///
/// Neither matches an empty text.
pub(super) fn fits(template: &str, uri: &str) -> bool {
    let Some((literal, rest)) = template.split_once('{') else { return template == uri };
    let Some(uri) = uri.strip_prefix(literal) else { return false };
    let Some((name, rest)) = rest.split_once('}') else { return false };
    let next = rest.split('{').next().unwrap_or_default();
    let reaches_on = name.starts_with('+');
    let ends = uri.char_indices().map(|(start, found)| start + found.len_utf8());
    ends.take_while(|end| reaches_on || !uri[..*end].ends_with('/'))
        .filter(|end| uri[*end..].starts_with(next))
        .any(|end| fits(rest, &uri[end..]))
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
            ("note://{open", "note://{open", false),
        ] {
            assert_eq!(fits(template, uri), expected, "{template} {uri}");
        }
    }
}
