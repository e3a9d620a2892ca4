//! The sets of strings that our types know: the open enums, and the kinds of the unions, as the sources declare them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::failure::Failure;
use crate::workspace;

/// A set by the name of its type.
pub(super) type Set = (String, BTreeSet<String>);

/// Every set that the crates declare.
pub(super) fn known(root: &Path) -> Result<Vec<Set>, Failure> {
    let mut sets = Vec::new();
    for folder in ["crates/protocol/src", "crates/agentwire/src"] {
        for path in workspace::files(&root.join(folder), &["rs"])? {
            sets.extend(parse(&fs::read_to_string(&path)?));
        }
    }
    Ok(sets)
}

/// Returns the enums with variants such as `Name = "text",` or `Name(Type) = "text",`.
fn parse(source: &str) -> Vec<Set> {
    let mut sets: Vec<Set> = Vec::new();
    for line in source.lines().map(str::trim) {
        if let Some(rest) = line.strip_prefix("pub enum ").or_else(|| line.strip_prefix("pub(crate) enum ")) {
            let name: String = rest.chars().take_while(char::is_ascii_alphanumeric).collect();
            sets.push((name, BTreeSet::new()));
        } else if let (Some((_, set)), Some((name, text))) = (sets.last_mut(), line.split_once(" = \""))
            && name.starts_with(|c: char| c.is_ascii_uppercase())
            && let Some((text, _)) = text.split_once('"')
        {
            set.insert(text.to_owned());
        }
    }
    sets.retain(|(_, set)| !set.is_empty());
    sets
}

/// Returns the closest known set and the strings that it lacks; `None` if a known set has all strings.
pub(super) fn lacking<'a>(set: &BTreeSet<String>, known: &'a [Set]) -> Option<(&'a str, Vec<String>)> {
    let best = known
        .iter()
        .max_by_key(|(_, strings)| (strings.intersection(set).count(), usize::MAX - strings.len()));
    let (name, strings) = best?;
    let lacking: Vec<String> = set.difference(strings).cloned().collect();
    let name = if lacking.len() == set.len() { "no set" } else { name };
    (!lacking.is_empty()).then_some((name, lacking))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{lacking, parse};

    #[test]
    fn sets_are_read_from_sources_and_compared() {
        let source = "/// A.\n#[wire]\npub enum A {\n    /// X.\n    X = \"x\",\n    Y = \"y-z\",\n}\n\
            #[wire(tag = \"type\")]\npub enum B {\n    Q(Box<Q>) = \"q\",\n}\npub enum C { D }\nconst E: &str = \"e\";\n";
        let known = parse(source);
        assert_eq!(
            known.iter().map(|(name, set)| (name.as_str(), set.len())).collect::<Vec<_>>(),
            [("A", 2), ("B", 1)]
        );
        let set = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<BTreeSet<_>>();
        assert_eq!(lacking(&set(&["x", "y-z"]), &known), None);
        assert_eq!(lacking(&set(&["x", "n"]), &known), Some(("A", vec!["n".to_owned()])));
        assert_eq!(lacking(&set(&["n"]), &known), Some(("no set", vec!["n".to_owned()])));
    }
}
