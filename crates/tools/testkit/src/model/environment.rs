//! The environment of a CLI that talks to a scripted model.

use std::{collections::BTreeMap, path::Path};

use super::ScriptedModel;

impl ScriptedModel {
    /// Returns the environment of a CLI that runs against this model: without an account, and with `home` as its home
    /// folder.
    ///
    /// Start the CLI with these variables and no others (`Options::env_clear`), so that it neither reads nor changes
    /// your settings, login and sessions. Of your environment it gets `PATH` alone.
    /// Only the model's address is set: run the CLI in a network namespace if nothing may leave the machine.
    pub fn environment(&self, home: impl AsRef<Path>) -> BTreeMap<String, String> {
        environment(self.base_url(), home.as_ref())
    }
}

/// Returns the variables for a model at this URL, which may run in another process.
pub fn environment(base_url: &str, home: &Path) -> BTreeMap<String, String> {
    let own = [
        ("PATH", std::env::var("PATH").unwrap_or_default()),
        ("HOME", home.display().to_string()),
        ("CLAUDE_CONFIG_DIR", home.join(".claude").display().to_string()),
        ("ANTHROPIC_BASE_URL", base_url.to_owned()),
    ];
    let fixed = FIXED.iter().map(|(name, value)| (*name, (*value).to_owned()));
    own.into_iter().chain(fixed).map(|(name, value)| (name.to_owned(), value)).collect()
}

const FIXED: &[(&str, &str)] = &[
    ("ANTHROPIC_API_KEY", "sk-fake"),
    ("DISABLE_TELEMETRY", "1"),
    ("DISABLE_AUTOUPDATER", "1"),
    ("DISABLE_ERROR_REPORTING", "1"),
    ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    ("TERM", "dumb"),
    ("LANG", "C.UTF-8"),
    ("TZ", "UTC"),
];
