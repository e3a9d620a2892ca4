//! No crate promises an older Rust than its dependencies need.

use std::collections::HashMap;

use super::Report;
use super::order::is_ours;
use super::tree;
use crate::failure::Failure;
use crate::workspace::{Metadata, Package};

/// Compares each crate of ours with all that it uses outside tests, with all features.
pub(super) fn check(metadata: &Metadata, report: &mut Report) -> Result<(), Failure> {
    let by_id: HashMap<(&str, &str), &Package> = metadata
        .packages
        .iter()
        .map(|package| ((package.name.as_str(), package.version.as_str()), package))
        .collect();
    for package in metadata.members() {
        let tree = tree::of(&package.name, "normal,build", &["--all-features"])?;
        let used = tree.iter().filter_map(|(name, version)| by_id.get(&(name.as_str(), version.as_str())));
        let used: Vec<&Package> = used.copied().filter(|package| !is_ours(&package.name)).collect();
        let Some(own) = &package.rust_version else {
            report.findings.push(format!("{}: no rust-version", package.name));
            continue;
        };
        report.findings.extend(too_new(&package.name, own, &used));
        if let Some(newest) = used.iter().max_by_key(|package| version(package.rust_version.as_deref())) {
            let (name, needs) = (&newest.name, newest.rust_version.as_deref().unwrap_or("any"));
            report.figures.push(format!("{}: Rust {own}; most is asked by {name}: {needs}", package.name));
        }
    }
    Ok(())
}

fn too_new(package: &str, own: &str, used: &[&Package]) -> Vec<String> {
    let newer = used.iter().filter(|used| version(used.rust_version.as_deref()) > version(Some(own)));
    newer
        .map(|used| {
            let (name, needs) = (&used.name, used.rust_version.as_deref().unwrap_or_default());
            format!("{package}: says Rust {own}, but uses {name} {}, which needs {needs}", used.version)
        })
        .collect()
}

/// `1.88` and `1.88.0` are the same; no version at all is the oldest.
fn version(text: Option<&str>) -> [u32; 3] {
    let mut parts = text.unwrap_or_default().split('.').map(|part| part.parse().unwrap_or(0));
    [(); 3].map(|()| parts.next().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::{too_new, version};
    use crate::workspace::Package;

    fn package(rust_version: Option<&str>) -> Package {
        serde_json::from_value(serde_json::json!({
            "id": "x", "name": "x", "version": "1.0.0", "manifest_path": "Cargo.toml", "rust_version": rust_version,
            "dependencies": [], "features": {}, "publish": null
        }))
        .unwrap()
    }

    #[test]
    fn versions_compare_as_numbers() {
        assert!(version(Some("1.9")) < version(Some("1.88")));
        assert_eq!(version(Some("1.88")), version(Some("1.88.0")));
        assert!(version(None) < version(Some("1.0")));
    }

    #[test]
    fn a_newer_dependency_is_found() {
        let (old, new, any) = (package(Some("1.85")), package(Some("1.89.0")), package(None));
        assert!(too_new("ours", "1.88", &[&old, &any]).is_empty());
        let found = too_new("ours", "1.88", &[&old, &new, &any]);
        assert!(found.len() == 1 && found[0].contains("needs 1.89.0"), "{found:?}");
    }
}
