//! The known name that a misspelt one probably stands for.

/// Returns the known name nearest to `name`, if one is near; case, dashes and underscores do not count.
pub(super) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = plain(name);
    let near = known
        .into_iter()
        .map(|candidate| (strsim::osa_distance(&name, &plain(candidate)), candidate))
        .min()?;
    // A third of the letters may differ: `modle` is near `model`, `zz` is near nothing.
    (near.0 * 3 <= name.chars().count()).then_some(near.1)
}

fn plain(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-')).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_near_name_is_suggested() {
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
