//! The CLI's bare mode, which calls no hooks: the options of a session with hooks can't turn it on.
//!
//! The flag `--bare` turns it on, and so does the variable `CLAUDE_CODE_SIMPLE`. The CLI also reads the variable from
//! `env` in settings; each of these takes precedence over those before it: the user's, the project's (CLI 2.1.197),
//! those of `--settings`, an administrator's managed settings. Managed settings that turn it on are detected only in a
//! session with `settings` or `sandbox`, which queries the effective settings.

use agentwire_protocol::{RawJson, cli, settings::RawSettings};
use serde_json::{Map, Value};

use super::{
    FlagSettings, Options,
    launch_plan::refuse,
    settings::{SETTINGS, object},
};
use crate::Error;

impl Options {
    /// Returns options for a session with hooks, in which no inherited variable or other setting disables them.
    /// Fails if these options disable hooks.
    pub(crate) fn with_hooks(&self) -> Result<Self, Error> {
        if self.env.get(cli::env::BARE).is_some_and(|value| is_on(value)) {
            return refuse("env", by_variable());
        }
        if self.extra_args.contains_key(BARE) {
            return refuse("extraArgs", by_flag());
        }
        if self.executable_args.iter().any(|arg| arg.strip_prefix("--") == Some(BARE)) {
            return refuse("executableArgs", by_flag());
        }
        let mut options = self.clone();
        options.env_remove.insert(cli::env::BARE.to_owned());
        if !self.has_settings_elsewhere() {
            options.settings = Some(self.settings_without_bare_mode()?);
        }
        Ok(options)
    }

    /// Returns whether the settings of `--settings` are in a file, to which nothing can be added.
    fn has_settings_elsewhere(&self) -> bool {
        matches!(self.settings, Some(FlagSettings::Path(_))) || self.extra_args.contains_key(SETTINGS)
    }

    fn settings_without_bare_mode(&self) -> Result<FlagSettings, Error> {
        let mut settings = match &self.settings {
            Some(FlagSettings::Inline(settings)) => object("settings", settings)?,
            _ => Map::new(),
        };
        let env = settings.entry("env").or_insert_with(|| Value::Object(Map::new()));
        // The CLI does not accept any other type as settings.
        if let Value::Object(env) = env {
            match env.get(cli::env::BARE) {
                Some(value) if is_on(&text(value)) => return refuse("settings", by_variable()),
                _ => _ = env.insert(cli::env::BARE.to_owned(), "0".into()),
            }
        }
        match RawJson::encode(&settings) {
            Ok(settings) => Ok(FlagSettings::Inline(settings.into())),
            Err(_) => refuse("settings", "it must be a JSON object"),
        }
    }
}

/// Checks that the effective settings do not disable hooks.
pub(crate) fn check_in_force(settings: &RawSettings) -> Result<(), Error> {
    let env: Option<Map<String, Value>> = settings.field("env").ok().flatten();
    match env.as_ref().and_then(|env| env.get(cli::env::BARE)) {
        Some(value) if is_on(&text(value)) => {
            refuse("settings", format!("{}; set it to 0 in `env` of these settings", by_variable()))
        }
        _ => Ok(()),
    }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Returns whether the CLI may treat the variable as set; a value not known to mean off counts as on.
pub(crate) fn is_on(value: &str) -> bool {
    let value = value.trim().to_lowercase();
    !["", "0", "false", "no", "off"].contains(&&*value)
}

fn by_variable() -> String {
    format!("`{}` switches all hooks off, and hooks are registered", cli::env::BARE)
}

fn by_flag() -> String {
    format!("`--{BARE}` switches all hooks off, and hooks are registered")
}

const BARE: &str = "bare";
