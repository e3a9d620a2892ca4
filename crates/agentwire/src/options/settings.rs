//! The host's own settings, and the sources of settings.

use std::path::PathBuf;

use agentwire_protocol::{
    RawJson,
    control::{GetSettingsReply, SettingsError},
    settings::{RawSettings, Settings},
};
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use serde_json::{Map, Value};

use super::{
    Options, Warning,
    launch_plan::{LaunchPlan, refuse, word},
    sandbox, secrets,
};
use crate::Error;

/// A source of settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum SettingSource {
    /// The settings of the user.
    User,
    /// The settings of the project.
    Project,
    /// The settings of the project that are not shared.
    Local,
}

/// The host's own settings, which override the user's.
///
/// In JSON a file's path or an object; an object as text is also accepted.
/// The CLI ignores all of them if one value has the wrong type; of some keys it drops only the value, or the entries
/// that it can't parse. To detect this, the session requests the active settings after the handshake; it then fails to
/// start with [`Error::Options`] if all are ignored, or if an inline `permissions.deny`, `permissions.ask`,
/// `deniedMcpServers` or `allowedMcpServers` lacks an entry. Hooks are not compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum FlagSettings {
    /// A settings file.
    Path(PathBuf),
    /// Inline settings.
    ///
    /// If they may contain a secret, they are passed in a file that only the CLI may read, and that is removed with the
    /// session.
    Inline(RawSettings),
}

impl FlagSettings {
    /// Converts typed settings.
    ///
    /// # Errors
    ///
    /// If a number can't be represented in JSON.
    pub fn encode(settings: &Settings) -> Result<Self, serde_json::Error> {
        RawSettings::encode(settings).map(Self::Inline)
    }
}

impl From<RawSettings> for FlagSettings {
    fn from(settings: RawSettings) -> Self {
        Self::Inline(settings)
    }
}

impl From<PathBuf> for FlagSettings {
    fn from(file: PathBuf) -> Self {
        Self::Path(file)
    }
}

impl Options {
    /// Sets the sources of settings.
    #[must_use]
    pub fn setting_sources(mut self, sources: impl IntoIterator<Item = SettingSource>) -> Self {
        self.setting_sources = Some(sources.into_iter().collect());
        self
    }

    /// Returns whether the program gives the CLI settings or a sandbox. An object without a setting does not count,
    /// because the CLI reports no source for it.
    pub(crate) fn has_own_settings(&self) -> bool {
        match &self.settings {
            _ if self.sandbox.is_some() => true,
            Some(FlagSettings::Inline(own)) => !object(SETTINGS, own).unwrap_or_default().is_empty(),
            Some(FlagSettings::Path(_)) => true,
            None => self.extra_args.contains_key(SETTINGS),
        }
    }

    /// Adds the settings, and merges the sandbox into them.
    pub(super) fn settings_to_cli(&self, plan: &mut LaunchPlan) -> Result<(), Error> {
        if let Some(sources) = &self.setting_sources {
            let names: Vec<_> = sources.iter().map(word).collect();
            plan.flag("setting-sources", Some(names.join(",")));
        }
        if let Some(settings) = &self.managed_settings {
            let settings = object("managedSettings", settings)?;
            // The CLI does not accept a path here.
            if secrets::in_settings(&settings) {
                plan.warn(Warning::Visible { option: "managedSettings" });
            }
            plan.flag("managed-settings", Some(Value::Object(settings)));
        }
        let mut settings = match &self.settings {
            None if self.sandbox.is_none() => return Ok(()),
            None => Map::new(),
            Some(FlagSettings::Inline(settings)) => object("settings", settings)?,
            Some(FlagSettings::Path(_)) if self.sandbox.is_some() => {
                return refuse("sandbox", "it can't be merged into a file of `settings`; write it there");
            }
            Some(FlagSettings::Path(file)) => {
                plan.flag(SETTINGS, Some(file.display()));
                return Ok(());
            }
        };
        if let Some(own) = &self.sandbox {
            sandbox::merge(own, &mut settings)?;
        }
        let is_secret = secrets::in_settings(&settings);
        plan.json(SETTINGS, "settings.json", Value::Object(settings).to_string(), is_secret);
        Ok(())
    }
}

/// Checks that the CLI applies the program's own settings, and each of their deny and ask rules and of their rules for
/// MCP servers.
/// The CLI gives reasons for settings that it ignores, but reports no error for an entry that it drops.
pub(crate) fn check_applied(options: &Options, reply: &GetSettingsReply) -> Result<(), Error> {
    let option = if options.settings.is_none() && options.sandbox.is_some() { "sandbox" } else { SETTINGS };
    let Some(applied) = reply.sources.iter().find(|source| &*source.source == "flagSettings") else {
        let reason = |SettingsError { file, path, message, .. }: &SettingsError| {
            let parts = [file.as_deref().unwrap_or_default(), path, message];
            parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ")
        };
        let is_inline = matches!(options.settings, Some(FlagSettings::Inline(_)));
        let reasons = match &*reply.errors {
            // A file may be empty, and then is no source.
            [] if option == SETTINGS && !is_inline => return Ok(()),
            [] => "it gives no reason".to_owned(),
            errors => errors.iter().map(reason).collect::<Vec<_>>().join("; "),
        };
        return refuse(option, format!("the CLI ignores all settings of this program: {reasons}"));
    };
    let Some(FlagSettings::Inline(own)) = &options.settings else { return Ok(()) };
    for list in ["/permissions/deny", "/permissions/ask", "/deniedMcpServers", "/allowedMcpServers"] {
        let entries = |all: &RawSettings| {
            match all.as_raw().decode::<Value>().ok()?.pointer_mut(list)?.take() {
                Value::Null => None,
                Value::Array(entries) => Some(entries),
                // The CLI drops a value that is no list like an entry that it can't parse (2.1.332).
                value => Some(vec![value]),
            }
        };
        let own = entries(own).unwrap_or_default();
        let applied = entries(&applied.settings).unwrap_or_default();
        // Another version may write the same rules in another way.
        let dropped = own.iter().find(|rule| !applied.contains(rule)).filter(|_| applied.len() < own.len());
        if let Some(rule) = dropped {
            let list = list[1..].replace('/', ".");
            return refuse(SETTINGS, format!("the CLI can't parse {rule} in `{list}`, and ignores it"));
        }
    }
    Ok(())
}

pub(super) fn object(option: &'static str, settings: &RawSettings) -> Result<Map<String, Value>, Error> {
    match settings.as_raw().decode() {
        Ok(settings) => Ok(settings),
        // The error does not contain the text, which may contain a key.
        Err(_) => refuse(option, "it must be a JSON object"),
    }
}

impl<'de> Deserialize<'de> for FlagSettings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = RawJson::deserialize(deserializer)?;
        if raw.as_str().starts_with('{') {
            return Ok(Self::Inline(raw.into()));
        }
        let wrong = |_| D::Error::custom("settings are a file's path or an object");
        let text: String = raw.decode().map_err(wrong)?;
        if text.trim_start().starts_with('{') {
            let wrong = |_| D::Error::custom("settings that start with a brace are a JSON object");
            return RawJson::parse(text).map(|raw| Self::Inline(raw.into())).map_err(wrong);
        }
        Ok(Self::Path(text.into()))
    }
}

pub(super) const SETTINGS: &str = "settings";
