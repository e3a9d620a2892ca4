//! Limits of the dependencies of a crate.

use std::collections::BTreeSet;

use super::Report;
use super::order::is_ours;
use super::rules::{BUDGETS, DIRECT, FACADE, HEAVY_IN_TESTS, NO_RUNTIME};
use super::tree::{self, Id};
use crate::failure::Failure;
use crate::metadata::{Metadata, Package};

/// Measures every budget.
pub(super) fn check(metadata: &Metadata, report: &mut Report) -> Result<(), Failure> {
    for &(package, without, most) in BUDGETS {
        let lacking = metadata.members().filter_map(|member| lacks_feature(package, without, member));
        report.findings.extend(lacking);
        let args = feature_args(package, without, metadata);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let tree = tree::of(package, "normal,build", &args)?;
        let count = foreign(&tree).count();
        let features =
            without.map_or_else(|| "default features".to_owned(), |name| format!("without `{name}`"));
        let figure = format!("{package}, {features}: {count} crates, at most {most}");
        report.findings.extend((count > most).then(|| figure.clone()));
        report.figures.push(figure);
    }
    for (package, allowed) in DIRECT {
        let direct = tree::of(package, "normal", &["--depth", "1"])?;
        let all = tree::of(package, "normal,build", &[])?;
        let names: Vec<&str> = foreign(&direct).collect();
        report.figures.push(format!("{package}, directly: {}", names.join(", ")));
        report.findings.extend(not_allowed(package, &direct, allowed));
        report.findings.extend(forbidden(package, &all, NO_RUNTIME));
    }
    let tests = tree::of(FACADE, "normal,build,dev", &[])?;
    report
        .figures
        .push(format!("{FACADE}, with what its tests and examples need: {}", foreign(&tests).count()));
    report.findings.extend(forbidden(FACADE, &tests, HEAVY_IN_TESTS));
    Ok(())
}

/// The features that cargo is to turn on.
fn feature_args(package: &str, without: Option<&str>, metadata: &Metadata) -> Vec<String> {
    let Some(left_out) = without else { return Vec::new() };
    let member = metadata.members().find(|member| member.name == package);
    let on = member.into_iter().flat_map(|member| member.default_features()).filter(|name| *name != left_out);
    let on: Vec<&str> = on.map(String::as_str).collect();
    vec!["--no-default-features".to_owned(), "--features".to_owned(), on.join(",")]
}

/// A limit without a feature is meaningless if the feature is not on by default.
fn lacks_feature(package: &str, without: Option<&str>, member: &Package) -> Option<String> {
    let name = without?;
    let has = member.default_features().iter().any(|feature| feature == name);
    (member.name == package && !has).then(|| format!("{package}: `{name}` is none of its default features"))
}

/// The crates that are not ours.
fn foreign(tree: &BTreeSet<Id>) -> impl Iterator<Item = &str> {
    tree.iter().map(|(name, _)| name.as_str()).filter(|name| !is_ours(name))
}

fn not_allowed(package: &str, direct: &BTreeSet<Id>, allowed: &[&str]) -> Vec<String> {
    let extra = foreign(direct).filter(|name| !allowed.contains(name));
    extra.map(|name| format!("{package} uses {name} directly, with default features")).collect()
}

fn forbidden(package: &str, tree: &BTreeSet<Id>, names: &[&str]) -> Vec<String> {
    let bad = foreign(tree).filter(|name| names.contains(name));
    bad.map(|name| format!("{package} pulls in {name} without a feature that asks for it")).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{forbidden, lacks_feature, not_allowed};
    use crate::metadata::Package;

    fn tree(names: &[&str]) -> BTreeSet<(String, String)> {
        names.iter().map(|name| ((*name).to_owned(), "1.0.0".to_owned())).collect()
    }

    #[test]
    fn dependencies_that_are_not_allowed_are_found() {
        let tree = tree(&["agentwire-protocol", "serde", "tokio"]);
        assert_eq!(not_allowed("x", &tree, &["serde"]).len(), 1);
        assert!(not_allowed("x", &tree, &["serde", "tokio"]).is_empty());
        assert_eq!(forbidden("x", &tree, &["tokio"]).len(), 1);
        assert!(forbidden("x", &tree, &["axum"]).is_empty());
    }

    #[test]
    fn a_limit_without_a_feature_needs_that_feature() {
        let package = |default: &[&str]| -> Package {
            serde_json::from_value(serde_json::json!({
                "id": "x", "name": "x", "version": "1.0.0", "manifest_path": "Cargo.toml", "rust_version": null,
                "features": {"default": default}, "publish": null, "dependencies": []
            }))
            .unwrap()
        };
        assert_eq!(lacks_feature("x", Some("mcp"), &package(&["mcp"])), None);
        assert!(lacks_feature("x", Some("mcp"), &package(&["hooks"])).is_some());
        assert_eq!(lacks_feature("y", Some("mcp"), &package(&[])), None);
    }
}
