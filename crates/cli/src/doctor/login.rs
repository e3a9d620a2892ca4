//! The login: whether there is a sign of one. No credential is used.

use std::collections::BTreeMap;
use std::path::Path;
use std::{env, fs};

use agentwire_protocol::settings::RawSettings;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::Finding;

/// Looks for a key, a token, another provider or a stored login.
pub(super) fn check(folder: Option<&Path>, settings: &RawSettings) -> Finding {
    let check = "login";
    let is_set = |name: &&str| env::var_os(name).is_some_and(|value| is_on(name, &value.to_string_lossy()));
    if let Some(name) = VARIABLES.iter().find(|name| is_set(name)) {
        return Finding::good(check, format!("by {name}"));
    }
    let stored = folder.map(|folder| folder.join(".credentials.json")).filter(|file| file.exists());
    if let Some(file) = stored {
        return Finding::good(check, format!("by {}", file.display()));
    }
    if folder.is_some_and(has_key) {
        return Finding::good(check, "by the key of a login, in .claude.json");
    }
    let variables: BTreeMap<String, Value> = settings.field("env").ok().flatten().unwrap_or_default();
    let is_set = |name: &&&str| {
        let value = variables.get(**name);
        value.is_some_and(|value| is_on(name, value.as_str().unwrap_or(&value.to_string())))
    };
    if let Some(name) = VARIABLES.iter().find(is_set) {
        return Finding::good(check, format!("by {name} in `env` of the settings"));
    }
    let helper = settings.field::<String>("apiKeyHelper").ok().flatten();
    if helper.is_some_and(|command| !command.is_empty()) {
        return Finding::good(check, "by the apiKeyHelper of the settings");
    }
    if cfg!(target_os = "macos") {
        return Finding::good(check, "perhaps in the keychain, which is not read");
    }
    Finding::bad(check, "no key and no login was found", "run `claude` and log in, or set ANTHROPIC_API_KEY")
}

/// Returns whether the variable has an effect with this value.
fn is_on(name: &str, value: &str) -> bool {
    let is_switch = name.starts_with("CLAUDE_CODE_USE_");
    !value.is_empty() && (!is_switch || !matches!(value, "0" | "false"))
}

/// Returns whether `.claude.json` has the key that a login on the console has created. The file is beside the default
/// configuration folder, and in any other.
fn has_key(folder: &Path) -> bool {
    #[derive(Deserialize)]
    struct State {
        #[serde(rename = "primaryApiKey")]
        key: Option<IgnoredAny>,
    }
    let is_default = env::var_os("CLAUDE_CONFIG_DIR").is_none_or(|folder| folder.is_empty());
    let file = if is_default { folder.with_file_name(".claude.json") } else { folder.join(".claude.json") };
    fs::read(file)
        .is_ok_and(|text| serde_json::from_slice(&text).is_ok_and(|state: State| state.key.is_some()))
}

const VARIABLES: &[&str] = &[
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CODE_USE_ANTHROPIC_AWS",
    "CLAUDE_CODE_USE_ANTHROPIC_GOOGLE_CLOUD",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_FOUNDRY",
    "CLAUDE_CODE_USE_MANTLE",
    "CLAUDE_CODE_USE_VERTEX",
];
