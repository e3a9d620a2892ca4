//! No upward edge hides in the features of the testkit.
//!
//! A layer may use the testkit in its tests, and the testkit has features that pull in higher layers.
//! The tests of a layer ask for none of those.

use super::order::rank;
use super::rules::TESTKIT;
use crate::workspace::{Metadata, Package};

/// Which layers above this crate its tests pull in through the testkit.
pub(super) fn findings(package: &Package, metadata: &Metadata) -> Vec<String> {
    let Some(testkit) = metadata.members().find(|member| member.name == TESTKIT) else { return Vec::new() };
    above(package, testkit)
        .into_iter()
        .map(|layer| format!("{} -> {TESTKIT}: its features pull in {layer}, which is higher", package.name))
        .collect()
}

fn above(package: &Package, testkit: &Package) -> Vec<String> {
    let Some(own) = rank(&package.name) else { return Vec::new() };
    let mut reached = Vec::new();
    for dependency in package.dependencies.iter().filter(|dependency| dependency.name == TESTKIT) {
        for feature in &dependency.features {
            expand(feature, testkit, &mut reached);
        }
    }
    let layer = |item: &String| item.trim_start_matches("dep:").split(['/', '?']).next().map(str::to_owned);
    let mut layers: Vec<String> = reached.iter().filter_map(layer).collect();
    layers.retain(|layer| rank(layer).is_some_and(|rank| rank > own));
    layers.dedup();
    layers
}

/// Everything that a feature turns on, itself included.
fn expand(feature: &str, package: &Package, reached: &mut Vec<String>) {
    if reached.iter().any(|item| item == feature) {
        return;
    }
    reached.push(feature.to_owned());
    for item in package.features.get(feature).into_iter().flatten() {
        expand(item, package, reached);
    }
}

#[cfg(test)]
mod tests {
    use super::above;
    use crate::workspace::Package;

    fn package(name: &str, features: serde_json::Value, asks_for: &[&str]) -> Package {
        serde_json::from_value(serde_json::json!({
            "id": name, "name": name, "version": "0.1.0", "manifest_path": "Cargo.toml", "rust_version": null,
            "features": features, "publish": null,
            "dependencies": [{
                "name": "agentwire-testkit", "kind": "dev", "req": "*", "optional": false,
                "uses_default_features": false, "features": asks_for
            }]
        }))
        .unwrap()
    }

    #[test]
    fn a_higher_layer_behind_a_feature_is_found() {
        let features = serde_json::json!({
            "host": ["conformance", "dep:agentwire"], "conformance": ["dep:agentwire-control"], "model": []
        });
        let testkit = package("agentwire-testkit", features, &[]);
        let none = serde_json::json!({});
        assert!(above(&package("agentwire-codec", none.clone(), &["model"]), &testkit).is_empty());
        assert!(above(&package("agentwire-control", none.clone(), &["conformance"]), &testkit).is_empty());
        assert_eq!(
            above(&package("agentwire-codec", none.clone(), &["host"]), &testkit),
            ["agentwire-control", "agentwire"]
        );
        assert_eq!(above(&package("agentwire-mcp", none, &["host"]), &testkit), ["agentwire"]);
    }
}
