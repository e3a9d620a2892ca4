//! Which known name somebody may have meant.

/// The known name nearest to this one, where one is near: case, dashes and underscores do not count.
pub(super) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = plain(name);
    let near = known.into_iter().map(|candidate| (distance(&name, &plain(candidate)), candidate)).min()?;
    // A third of the letters may differ: `modle` is `model`, and `zz` is nothing.
    (near.0 * 3 <= name.len()).then_some(near.1)
}

fn plain(name: &str) -> Vec<char> {
    name.chars().filter(|c| !matches!(c, '_' | '-')).flat_map(char::to_lowercase).collect()
}

/// How many letters to put in, take out, change or swap with their neighbour.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let mut least = (last[j] + usize::from(x != y)).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                least = least.min(before_last[j - 1] + 1);
            }
            row.push(least);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        let of = |a: &str, b: &str| distance(&plain(a), &plain(b));
        for (a, b, expected) in [
            ("", "", 0),
            ("", "abc", 3),
            ("abc", "", 3),
            ("abc", "abd", 1),
            ("ab", "ba", 1),
            ("ac", "abc", 1),
        ] {
            assert_eq!((of(a, b), of(b, a)), (expected, expected), "{a} {b}");
        }
    }

    #[test]
    fn what_is_near_is_found_and_what_is_far_is_not() {
        let known = ["model", "maxTurns", "allowedTools"];
        for (name, meant) in [
            ("modle", Some("model")),
            ("MODEL", Some("model")),
            ("allowed_tools", Some("allowedTools")),
            ("max-turn", Some("maxTurns")),
            ("temperature", None),
            ("zz", None),
            ("", None),
        ] {
            assert_eq!(nearest(name, known), meant, "{name}");
        }
    }
}
