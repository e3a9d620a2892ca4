//! The host's own settings, and the sources of settings.

use std::path::PathBuf;

use agentwire_protocol::{
    RawJson,
    sandbox::SandboxSettings,
    settings::{RawSettings, Settings},
};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use serde_json::{Map, Value};

use super::{
    Options, Warning,
    argv::Argv,
    launch_plan::{LaunchPlan, ToCli, refuse},
    output::LONGEST_ARGUMENT,
    sandbox, secrets,
    setters::setters,
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
/// The CLI silently ignores all of them if one value has the wrong type.
#[derive(Clone, Debug, PartialEq, Eq)]
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

pub(super) struct Group<'a>(pub(super) &'a Options);

setters! {
    some settings: FlagSettings;
    some managed_settings: RawSettings;
    some sandbox: SandboxSettings;
}

impl Options {
    /// Sets the sources of settings.
    #[must_use]
    pub fn setting_sources(mut self, sources: impl IntoIterator<Item = SettingSource>) -> Self {
        self.setting_sources = Some(sources.into_iter().collect());
        self
    }
}

impl ToCli for Group<'_> {
    fn to_cli(&self, to: &mut LaunchPlan) -> Result<(), Error> {
        let options = self.0;
        if let Some(sources) = &options.setting_sources {
            let names: Vec<_> = sources.iter().map(|source| source.as_str()).collect();
            to.flag("setting-sources", Some(names.join(",")));
        }
        if let Some(settings) = &options.managed_settings {
            let settings = object("managedSettings", settings)?;
            // The CLI does not accept a path here.
            if secrets::in_settings(&settings) {
                to.warn(Warning::Visible { option: "managedSettings" });
            }
            to.flag("managed-settings", Some(Value::Object(settings)));
        }
        let mut settings = match &options.settings {
            None if options.sandbox.is_none() => return Ok(()),
            None => Map::new(),
            Some(FlagSettings::Inline(settings)) => object("settings", settings)?,
            Some(FlagSettings::Path(_)) if options.sandbox.is_some() => {
                return refuse("sandbox", "it can't be merged into a file of `settings`; write it there");
            }
            Some(FlagSettings::Path(file)) => {
                to.flag(SETTINGS, Some(file.display()));
                return Ok(());
            }
        };
        if let Some(own) = &options.sandbox {
            sandbox::merge(own, &mut settings)?;
        }
        let secret = secrets::in_settings(&settings);
        let text = Value::Object(settings).to_string();
        if secret || text.len() > LONGEST_ARGUMENT {
            to.private_file(SETTINGS, "settings.json", text);
        } else {
            to.flag(SETTINGS, Some(text));
        }
        Ok(())
    }
}

pub(super) fn object(option: &'static str, settings: &RawSettings) -> Result<Map<String, Value>, Error> {
    match settings.as_raw().decode() {
        Ok(settings) => Ok(settings),
        // The error does not contain the text, which may contain a key.
        Err(_) => refuse(option, "settings are a JSON object"),
    }
}

impl SettingSource {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
            Self::Local => "local",
        }
    }
}

impl Serialize for FlagSettings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Path(file) => file.serialize(serializer),
            Self::Inline(settings) => settings.serialize(serializer),
        }
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
