//! Finds items by names that a model may have misspelled.

/// Returns the item of that name, or else the only item with that name if `-` and `_` are equal.
pub(crate) fn find<'a, T>(items: &'a [T], name: impl Fn(&T) -> &str, wanted: &str) -> Option<&'a T> {
    if let Some(exact) = items.iter().find(|item| name(item) == wanted) {
        return Some(exact);
    }
    // Once: it may be as long as a message.
    let wanted = dashed(wanted);
    let mut alike = items.iter().filter(|item| dashed(name(item)) == wanted);
    let only = alike.next()?;
    alike.next().is_none().then_some(only)
}

/// Returns a name with `-` for `_`.
pub(crate) fn dashed(name: &str) -> String {
    name.replace('_', "-")
}

/// Returns the most similar name, if one is similar enough.
pub(crate) fn closest<'a>(names: impl Iterator<Item = &'a str>, wanted: &str) -> Option<&'a str> {
    let wanted = folded(wanted);
    let length = wanted.chars().count();
    let far = (length / 3).max(1);
    names
        // Exclude most of possibly thousands of names cheaply.
        .filter(|name| name.chars().take(MAX_COMPARED).count().abs_diff(length) <= far)
        .map(|name| (strsim::levenshtein(&folded(name), &wanted), name))
        .filter(|(distance, _)| *distance <= far)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

fn folded(name: &str) -> String {
    name.chars().take(MAX_COMPARED).flat_map(char::to_lowercase).collect()
}

/// The number of compared characters. The work grows with its square.
const MAX_COMPARED: usize = 128;

#[cfg(test)]
mod tests {
    use super::{closest, find};

    #[test]
    fn dashes_and_underscores_are_interchangeable_if_the_name_stays_unique() {
        let tools = ["read-file", "read_all", "read-all", "x"];
        let find = |wanted| find(&tools, |tool| tool, wanted).copied();
        assert_eq!(find("read_file"), Some("read-file"));
        assert_eq!(find("read_all"), Some("read_all"));
        assert_eq!(find("read-all"), Some("read-all"));
        assert_eq!(find("readfile"), None);
        let unclear = ["a_b-c", "a-b_c"];
        assert_eq!(super::find(&unclear, |tool| tool, "a_b_c"), None);
    }

    #[test]
    fn similar_name_is_suggested() {
        let names = ["echo", "get-sum", "get-env"];
        let closest = |wanted| closest(names.into_iter(), wanted);
        assert_eq!(closest("Echo"), Some("echo"));
        assert_eq!(closest("get_summ"), Some("get-sum"));
        assert_eq!(closest("get-envs"), Some("get-env"));
        assert_eq!(closest("delete"), None);
        assert_eq!(closest(""), None);
    }
}
