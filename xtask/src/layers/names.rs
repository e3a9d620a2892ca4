//! The names of public types at the root of the published libraries.
//!
//! One word for one thing: a type name at the root of a crate stands for the same type in every other crate.
//! Types in public modules are written with the module.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::failure::{Failure, While as _};

/// Returns a finding for each name that stands for types of several crates, by the baselines of the public API.
pub(super) fn check(baselines: &Path) -> Result<Vec<String>, Failure> {
    let mut text = String::new();
    for file in fs::read_dir(baselines).while_doing(|| format!("reading {}", baselines.display()))? {
        let path = file?.path();
        text += &fs::read_to_string(&path).while_doing(|| format!("reading {}", path.display()))?;
    }
    Ok(repeated(&text))
}

fn repeated(api: &str) -> Vec<String> {
    let mut crates: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (library, name) in api.lines().filter_map(root_type) {
        crates.entry(name).or_default().insert(library);
    }
    let repeated = crates.into_iter().filter(|(_, crates)| crates.len() > 1);
    let finding = |(name, crates)| {
        format!("`{name}` is a type of {}: rename all but one", Vec::from_iter(crates).join(", "))
    };
    repeated.map(finding).collect()
}

/// Returns the library and the name of the type that a line of a baseline declares at the root.
fn root_type(line: &str) -> Option<(&str, &str)> {
    let item = line.strip_prefix("#[non_exhaustive] ").unwrap_or(line).strip_prefix("pub ")?;
    let (kind, path) = item.split_once(' ')?;
    if !["struct", "enum", "trait", "type", "union"].contains(&kind) {
        return None;
    }
    let end = path.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).unwrap_or(path.len());
    let (library, name) = path[..end].trim_end_matches(':').split_once("::")?;
    (!name.contains("::")).then_some((library, name))
}

#[cfg(test)]
mod tests {
    use super::repeated;

    #[test]
    fn name_at_the_root_of_two_crates_is_found() {
        let api = "#[non_exhaustive] pub struct a::Frame\npub enum b::Frame<'a>\npub type b::Frame::Item = u8\n\
                   pub type c::Reader::Item = u8\npub trait a::Read: core::marker::Send\npub struct b::io::Read\n\
                   pub trait c::Read<T>\n";
        let found = repeated(api);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("`Frame` is a type of a, b:"), "{found:?}");
        assert!(found[1].starts_with("`Read` is a type of a, c:"), "{found:?}");
    }
}
