//! Merges the sandbox option into the settings; the option takes precedence.

use agentwire_protocol::sandbox::SandboxSettings;
use serde_json::{Map, Value, json};

use super::launch_plan::refuse;
use crate::Error;

/// Merges the option into the settings.
///
/// As in the reference: a value of the option replaces the value in the settings, lists of restrictions are
/// concatenated, and settings that would disable the option's restrictions are dropped.
/// An enabled sandbox is required (`failIfUnavailable`), unless either side sets this otherwise.
pub(super) fn merge(own: &SandboxSettings, settings: &mut Map<String, Value>) -> Result<(), Error> {
    let Ok(Value::Object(own)) = serde_json::to_value(own) else {
        return refuse("sandbox", "it can't be written as JSON");
    };
    let mut merged = match settings.remove("sandbox") {
        Some(Value::Object(theirs)) => theirs,
        _ => Map::new(),
    };
    drop_conflicting(&own, &mut merged);
    let enabled = own.get("enabled") == Some(&Value::Bool(true));
    join("", own, &mut merged);
    if enabled && !merged.contains_key(FAIL) {
        merged.insert(FAIL.to_owned(), Value::Bool(true));
    }
    settings.insert("sandbox".to_owned(), Value::Object(merged));
    Ok(())
}

fn drop_conflicting(own: &Map<String, Value>, theirs: &mut Map<String, Value>) {
    let own = Value::Object(own.clone());
    let has_any =
        |path: &str| own.pointer(path).and_then(Value::as_array).is_some_and(|list| !list.is_empty());
    let denies = |file: &Value| file["mode"] == "deny";
    let files = own.pointer("/credentials/files").and_then(Value::as_array);
    if own.get("filesystem").is_some() || files.is_some_and(|files| files.iter().any(denies)) {
        remove_where(theirs, "filesystem", "disabled", |value| value == &Value::Bool(true));
    }
    let restricts = own.pointer("/network/allowedDomains").is_some()
        || has_any("/network/deniedDomains")
        || own.pointer("/network/strictAllowlist") == Some(&json!(true));
    if restricts {
        for port in ["httpProxyPort", "socksProxyPort"] {
            remove_where(theirs, "network", port, |_| true);
        }
    }
}

fn remove_where(of: &mut Map<String, Value>, part: &str, key: &str, is: impl Fn(&Value) -> bool) {
    if let Some(Value::Object(part)) = of.get_mut(part)
        && part.get(key).is_some_and(is)
    {
        part.remove(key);
    }
}

fn join(at: &str, own: Map<String, Value>, theirs: &mut Map<String, Value>) {
    for (key, value) in own {
        let path = if at.is_empty() { key.clone() } else { format!("{at}.{key}") };
        match (value, theirs.get_mut(&key)) {
            (Value::Object(own), Some(Value::Object(theirs))) if !WHOLE.contains(&&*path) => {
                join(&path, own, theirs);
            }
            (Value::Array(own), Some(Value::Array(theirs))) if JOINED.contains(&&*path) => {
                join_lists(own, theirs);
            }
            (value, _) => {
                theirs.insert(key, value);
            }
        }
    }
}

/// Keeps one entry per path or variable; `deny` wins.
fn join_lists(own: Vec<Value>, theirs: &mut Vec<Value>) {
    for entry in own {
        let key = |value: &Value| value.get("path").or_else(|| value.get("name")).cloned();
        match theirs
            .iter_mut()
            .find(|other| **other == entry || key(other).is_some() && key(other) == key(&entry))
        {
            Some(same) if same["mode"] == "deny" => {}
            Some(same) => *same = entry,
            None => theirs.push(entry),
        }
    }
}

const FAIL: &str = "failIfUnavailable";
/// Objects that are replaced as a whole.
const WHOLE: &[&str] = &["ripgrep", "network.tlsTerminate"];
/// Lists of restrictions, which are concatenated.
const JOINED: &[&str] = &[
    "filesystem.denyRead",
    "filesystem.denyWrite",
    "network.deniedDomains",
    "credentials.files",
    "credentials.envVars",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(own: Value, theirs: Value, merged: Value) {
        let mut settings = Map::from_iter([("sandbox".to_owned(), theirs)]);
        merge(&serde_json::from_value(own).unwrap(), &mut settings).unwrap();
        assert_eq!(settings["sandbox"], merged);
    }

    #[test]
    fn an_enabled_sandbox_is_required() {
        check(json!({"enabled": true}), json!({}), json!({"enabled": true, "failIfUnavailable": true}));
        let soft = json!({"enabled": true, "failIfUnavailable": false});
        check(soft.clone(), json!({}), soft.clone());
        check(json!({"enabled": true}), json!({"failIfUnavailable": false}), soft);
        check(json!({"enabled": false}), json!({}), json!({"enabled": false}));
    }

    #[test]
    fn restrictions_are_merged() {
        check(
            json!({"network": {"deniedDomains": ["a"], "allowLocalBinding": true}}),
            json!({"network": {"deniedDomains": ["b"], "allowLocalBinding": false, "httpProxyPort": 1}}),
            json!({"network": {"deniedDomains": ["b", "a"], "allowLocalBinding": true}}),
        );
        check(
            json!({"filesystem": {"denyRead": ["/a"], "allowWrite": ["/c"]}}),
            json!({"filesystem": {"denyRead": ["/a", "/b"], "allowWrite": ["/d"], "disabled": true}}),
            json!({"filesystem": {"denyRead": ["/a", "/b"], "allowWrite": ["/c"]}}),
        );
        check(
            json!({"credentials": {"files": [{"path": "/k", "mode": "mask"}, {"path": "/l", "mode": "deny"}]}}),
            json!({"credentials": {"files": [{"path": "/k", "mode": "deny"}, {"path": "/l", "mode": "mask"}]}}),
            json!({"credentials": {"files": [{"path": "/k", "mode": "deny"}, {"path": "/l", "mode": "deny"}]}}),
        );
    }

    #[test]
    fn settings_weaken_no_restriction_of_the_option() {
        for own in [
            json!({"network": {"allowedDomains": ["a"]}}),
            json!({"network": {"deniedDomains": ["a"]}}),
            json!({"network": {"strictAllowlist": true}}),
        ] {
            check(own.clone(), json!({"network": {"httpProxyPort": 1, "socksProxyPort": 2}}), own);
        }
        let denied = json!({"files": [{"path": "/k", "mode": "deny"}]});
        check(
            json!({"credentials": denied}),
            json!({"filesystem": {"disabled": true}}),
            json!({"credentials": denied, "filesystem": {}}),
        );
    }

    #[test]
    fn option_weakens_no_restriction_of_the_settings() {
        let denied = json!({"envVars": [{"name": "A", "mode": "deny"}]});
        let masked = json!({"envVars": [{"name": "A", "mode": "mask"}]});
        check(
            json!({"filesystem": {"denyWrite": ["/a"]}, "credentials": masked}),
            json!({"filesystem": {"denyWrite": ["/b"]}, "credentials": denied}),
            json!({"filesystem": {"denyWrite": ["/b", "/a"]}, "credentials": denied}),
        );
    }

    #[test]
    fn some_parts_are_replaced_whole() {
        check(
            json!({"ripgrep": {"command": "rg"}}),
            json!({"ripgrep": {"command": "grep", "args": ["-r"]}, "enabled": true}),
            json!({"ripgrep": {"command": "rg"}, "enabled": true}),
        );
    }
}
