//! The login: whether there is a sign of one. No credential is read.

use std::env;
use std::path::Path;

use super::{Finding, settings};

/// Looks for a key, a token, another provider or a stored login.
pub(super) fn check(folder: Option<&Path>) -> Finding {
    let check = "login";
    let is_set = |name: &&str| env::var_os(name).is_some_and(|value| !value.is_empty());
    if let Some(name) = VARIABLES.iter().find(|name| is_set(name)) {
        return Finding::good(check, format!("by {name}"));
    }
    let stored = folder.map(|folder| folder.join(".credentials.json")).filter(|file| file.exists());
    if let Some(file) = stored {
        return Finding::good(check, format!("by {}", file.display()));
    }
    for settings in settings::files(folder).iter().filter_map(|file| settings::read(file).ok()) {
        let is_set = |name: &&&str| settings["env"].get(**name).is_some_and(|value| value != "");
        if let Some(name) = VARIABLES.iter().find(is_set) {
            return Finding::good(check, format!("by {name} in `env` of the settings"));
        }
        if settings.get("apiKeyHelper").is_some() {
            return Finding::good(check, "by the apiKeyHelper of the settings");
        }
    }
    if cfg!(target_os = "macos") {
        return Finding::good(check, "perhaps in the keychain, which is not read");
    }
    Finding::bad(check, "no key and no login was found", "run `claude` and log in, or set ANTHROPIC_API_KEY")
}

const VARIABLES: &[&str] = &[
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_VERTEX",
    "CLAUDE_CODE_USE_FOUNDRY",
];
