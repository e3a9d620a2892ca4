//! Each crate sits only on lower ones.

use super::rules::{BENCHES, BESIDE, CLUSTER, COMMAND, JUDGE, ORDER, TESTKIT, VIEWER, XTASK};
use crate::metadata::{Dependency, Package};

/// Checks the edges of this crate.
pub(super) fn findings(package: &Package) -> Vec<String> {
    let name = package.name.as_str();
    if !is_ours(name) {
        return vec![format!("{name}: a crate of the workspace that layers/rules.rs does not name")];
    }
    let ours = package.dependencies.iter().filter(|dependency| is_ours(&dependency.name));
    ours.flat_map(|dependency| {
        let wrong = if dependency.kind.as_deref() == Some("dev") {
            wrong_in_tests(name, dependency)
        } else {
            wrong_edge(name, dependency)
        };
        let defaults = dependency.uses_default_features.then_some("must say `default-features = false`");
        let to = &dependency.name;
        wrong.into_iter().chain(defaults).map(move |why| format!("{name} -> {to}: {why}"))
    })
    .collect()
}

/// Whether this is a crate of the workspace.
pub(super) fn is_ours(name: &str) -> bool {
    rank(name).is_some() || [JUDGE, COMMAND, CLUSTER, BENCHES, XTASK].contains(&name)
}

/// The place of a layer, counted from the bottom.
pub(super) fn rank(name: &str) -> Option<usize> {
    ORDER.iter().position(|layer| *layer == name)
}

fn wrong_edge(from: &str, dependency: &Dependency) -> Option<&'static str> {
    let to = dependency.name.as_str();
    match (from, to) {
        (XTASK | CLUSTER | BENCHES, _) => None,
        (_, XTASK | CLUSTER | BENCHES) => Some("nothing may use the chores"),
        (JUDGE | COMMAND, _) => None,
        (_, COMMAND) => Some("only the chores use the command"),
        (_, JUDGE) => Some("the judge is for tests only"),
        (from, TESTKIT) if from != VIEWER => Some("the testkit is for tests only"),
        _ if rank(to) >= rank(from) => Some("leads upwards"),
        _ if BESIDE.iter().any(|(beside, below)| *beside == from && !below.contains(&to)) => {
            Some("leads into the stack")
        }
        _ => None,
    }
}

fn wrong_in_tests(from: &str, dependency: &Dependency) -> Option<&'static str> {
    let to = dependency.name.as_str();
    match (from, to) {
        (XTASK | CLUSTER | BENCHES | JUDGE, _) => None,
        (_, XTASK | CLUSTER | BENCHES) => Some("nothing may use the chores, not even in tests"),
        // The judge is not published: with a version, `cargo package` would search for it in the registry.
        (_, JUDGE) if dependency.req != "*" => {
            Some("needs an entry without a version in [workspace.dependencies], or no crate can be packed")
        }
        (_, JUDGE) => None,
        _ if rank(to) < rank(from) => None,
        _ => Some("leads upwards through a dev-dependency"),
    }
}

#[cfg(test)]
mod tests {
    use super::findings;
    use crate::metadata::Package;

    /// A crate with one dependency, as cargo would describe it.
    fn edge(from: &str, to: &str, change: &str) -> Vec<String> {
        let mut dependency = serde_json::json!({
            "name": to, "kind": null, "req": "*", "optional": false, "uses_default_features": false, "features": []
        });
        let change: serde_json::Map<String, serde_json::Value> = serde_json::from_str(change).unwrap();
        dependency.as_object_mut().unwrap().extend(change);
        let package: Package = serde_json::from_value(serde_json::json!({
            "id": from, "name": from, "version": "0.1.0", "manifest_path": "Cargo.toml", "rust_version": null,
            "dependencies": [dependency], "features": {}, "publish": null
        }))
        .unwrap();
        findings(&package)
    }

    #[test]
    fn every_other_way_is_found() {
        for (from, to, change, why) in [
            ("agentwire-protocol", "agentwire-codec", "{}", "upwards"),
            ("agentwire-codec", "agentwire-codec", "{}", "upwards"),
            ("agentwire-codec", "agentwire-control", r#"{"kind": "build"}"#, "upwards"),
            ("agentwire-codec", "agentwire-control", r#"{"optional": true}"#, "upwards"),
            ("agentwire-codec", "agentwire-control", r#"{"kind": "dev"}"#, "dev-dependency"),
            ("agentwire", "agentwire-testkit", "{}", "tests only"),
            ("agentwire", "agentwire-judge", "{}", "tests only"),
            ("agentwire", "agentwire-judge", r#"{"kind": "dev", "req": "^0.1"}"#, "without a version"),
            ("agentwire-testkit", "agentwire", "{}", "upwards"),
            ("agentwire-testkit", "agentwire", r#"{"kind": "dev"}"#, "dev-dependency"),
            ("agentwire-sessions", "agentwire-codec", "{}", "into the stack"),
            ("agentwire-store-redis", "agentwire", "{}", "into the stack"),
            ("agentwire", "agentwire-store-redis", "{}", "upwards"),
            ("agentwire", "xtask", "{}", "chores"),
            ("agentwire", "xtask", r#"{"kind": "dev"}"#, "chores"),
            ("agentwire", "agentwire-mcp", r#"{"uses_default_features": true}"#, "default-features"),
            ("agentwire-new", "serde", "{}", "rules.rs"),
        ] {
            let found = edge(from, to, change);
            assert!(found.len() == 1 && found[0].contains(why), "{from} -> {to} {change}: {found:?}");
        }
    }
}
