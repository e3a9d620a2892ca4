//! Finds what is meant by a name that a model has spelled.

/// The item of that name; where there is none, the only one whose name differs in nothing but `-` and `_`.
pub(crate) fn find<'a, T>(items: &'a [T], name: impl Fn(&T) -> &str, wanted: &str) -> Option<&'a T> {
    if let Some(exact) = items.iter().find(|item| name(item) == wanted) {
        return Some(exact);
    }
    let mut alike = items.iter().filter(|item| is_alike(name(item), wanted));
    let only = alike.next()?;
    alike.next().is_none().then_some(only)
}

/// The name that is most like another one, where one is like it at all.
pub(crate) fn closest<'a>(names: impl Iterator<Item = &'a str>, wanted: &str) -> Option<&'a str> {
    let wanted: Vec<char> = wanted.chars().take(MAX_COMPARED).flat_map(char::to_lowercase).collect();
    let far = (wanted.len() / 3).max(1);
    names
        // Most are out of the question, and there may be thousands.
        .filter(|name| name.chars().take(MAX_COMPARED).count().abs_diff(wanted.len()) <= far)
        .map(|name| (distance(name, &wanted), name))
        .filter(|(distance, _)| *distance <= far)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

fn is_alike(one: &str, other: &str) -> bool {
    let same =
        |(one, other): (u8, u8)| one == other || (matches!(one, b'-' | b'_') && matches!(other, b'-' | b'_'));
    one.len() == other.len() && one.bytes().zip(other.bytes()).all(same)
}

/// How many characters must be put in, taken out or changed to make the one of the other.
fn distance(name: &str, wanted: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=wanted.len()).collect();
    for (index, c) in name.chars().take(MAX_COMPARED).flat_map(char::to_lowercase).enumerate() {
        let mut diagonal = index;
        let mut left = index + 1;
        for (at, other) in wanted.iter().enumerate() {
            let changed = diagonal + usize::from(c != *other);
            diagonal = row[at + 1];
            row[at] = left;
            left = changed.min(left + 1).min(diagonal + 1);
        }
        row[wanted.len()] = left;
    }
    row[wanted.len()]
}

/// The work grows with the square of it.
const MAX_COMPARED: usize = 128;

#[cfg(test)]
mod tests {
    use super::{closest, distance, find};

    #[test]
    fn dashes_and_underscores_are_alike_where_that_is_clear() {
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
    fn a_name_that_is_nearly_right_is_known() {
        let names = ["echo", "get-sum", "get-env"];
        let closest = |wanted| closest(names.into_iter(), wanted);
        assert_eq!(closest("Echo"), Some("echo"));
        assert_eq!(closest("get_summ"), Some("get-sum"));
        assert_eq!(closest("get-envs"), Some("get-env"));
        assert_eq!(closest("delete"), None);
        assert_eq!(closest(""), None);
    }

    #[test]
    fn a_distance_is_the_fewest_changes() {
        for (one, other, expected) in
            [("", "", 0), ("", "ab", 2), ("kitten", "sitting", 3), ("abc", "abc", 0), ("ab", "ba", 2)]
        {
            let chars: Vec<_> = other.chars().collect();
            assert_eq!(distance(one, &chars), expected, "{one} {other}");
        }
    }
}
