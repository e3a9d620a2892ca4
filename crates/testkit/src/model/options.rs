//! How the CLI is started against a scripted model.

use std::{collections::BTreeMap, path::Path};

use agentwire::Options;

use super::ScriptedModel;

impl ScriptedModel {
    /// Returns options that run the CLI against this model: without an account, and with `home` as its home folder.
    ///
    /// The CLI inherits nothing of your environment but `PATH`, so your settings, login and sessions are neither read
    /// nor changed.
    /// Add to the options what your program needs, such as the working directory.
    /// Run the CLI where nothing can leave the machine if your test depends on that: only the model's address is set.
    pub fn options(&self, home: impl AsRef<Path>) -> Options {
        let mut options = Options::new();
        options.env_clear = true;
        options.env.extend(environment(&self.base_url, home.as_ref()));
        options
    }
}

/// The environment of a CLI with this home that talks to the model at this address.
pub(crate) fn environment(model: &str, home: &Path) -> BTreeMap<String, String> {
    let own = [
        ("PATH", std::env::var("PATH").unwrap_or_default()),
        ("HOME", home.display().to_string()),
        ("CLAUDE_CONFIG_DIR", home.join(".claude").display().to_string()),
        ("ANTHROPIC_BASE_URL", model.to_owned()),
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
