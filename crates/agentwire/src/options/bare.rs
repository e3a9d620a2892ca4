//! The CLI's bare mode, which calls no hook: a session with hooks does not start in it.
//!
//! The CLI is in it by the flag `--bare`, or by the variable `CLAUDE_CODE_SIMPLE`, which it also takes from `env` of
//! settings: the user's, with CLI 2.1.197 the project's too, and those of `--settings`, which count before all others.

use agentwire_protocol::{RawJson, cli, settings::RawSettings};
use serde_json::{Map, Value};

use super::{
    FlagSettings, Options,
    lower::refuse,
    settings::{SETTINGS, object},
};
use crate::Error;

impl Options {
    /// The options for a session with hooks, in which nothing that is inherited or set elsewhere switches them off.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] where these options switch them off.
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

    /// Whether the settings of `--settings` are in a place where nothing can be added to them.
    pub(crate) fn has_settings_elsewhere(&self) -> bool {
        matches!(self.settings, Some(FlagSettings::Path(_))) || self.extra_args.contains_key(SETTINGS)
    }

    fn settings_without_bare_mode(&self) -> Result<FlagSettings, Error> {
        let mut settings = match &self.settings {
            Some(FlagSettings::Inline(settings)) => object("settings", settings)?,
            _ => Map::new(),
        };
        let env = settings.entry("env").or_insert_with(|| Value::Object(Map::new()));
        // Anything else the CLI does not take for settings.
        if let Value::Object(env) = env {
            match env.get(cli::env::BARE) {
                Some(value) if is_on(&text(value)) => return refuse("settings", by_variable()),
                _ => _ = env.insert(cli::env::BARE.to_owned(), "0".into()),
            }
        }
        match RawJson::encode(&settings) {
            Ok(settings) => Ok(FlagSettings::Inline(settings.into())),
            Err(_) => refuse("settings", "settings are a JSON object"),
        }
    }
}

/// Checks that settings in force do not switch hooks off.
///
/// # Errors
///
/// [`Error::Options`] where they do.
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

/// Whether the CLI may treat the variable as set; a value that is not known to be off counts as on.
fn is_on(value: &str) -> bool {
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
