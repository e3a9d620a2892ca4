//! Finds and reads the settings files.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

use agentwire_protocol::{PermissionMode, RawJson, settings::RawSettings};
use serde_json::{Value, json};

use super::{
    merge::merge,
    resolve::{Keys, ResolveSettings, ResolvedSettings, SettingsFault, SettingsTier},
};
use crate::{SettingSource, regular_file::regular_file};

/// The directories that contain settings files.
pub(super) struct Places {
    user: Option<PathBuf>,
    project: PathBuf,
    managed: PathBuf,
}

impl Places {
    pub(super) fn of(options: &ResolveSettings) -> Self {
        let user = options.config_dir.clone().or_else(|| {
            let named = env::var_os("CLAUDE_CONFIG_DIR").filter(|dir| !dir.is_empty());
            named.map(PathBuf::from).or_else(|| env::home_dir().map(|home| home.join(FOLDER)))
        });
        let cwd = options.cwd.clone().or_else(|| env::current_dir().ok()).unwrap_or_default();
        let managed = options.managed_dir.clone().unwrap_or_else(|| MANAGED_DIR.into());
        Self { user, project: cwd.join(FOLDER), managed }
    }

    /// Returns the files of these sources, the weakest first.
    pub(super) fn files(&self, sources: Option<&[SettingSource]>) -> Vec<(SettingsTier, PathBuf)> {
        let user = self.user.as_ref().map(|dir| (SettingSource::User, SettingsTier::User, dir.join(FILE)));
        let project = (SettingSource::Project, SettingsTier::Project, self.project.join(FILE));
        let local = (SettingSource::Local, SettingsTier::Local, self.project.join(LOCAL_FILE));
        let wanted = |source: &SettingSource| sources.is_none_or(|sources| sources.contains(source));
        let all = user.into_iter().chain([project, local]);
        all.filter(|(source, ..)| wanted(source)).map(|(_, tier, path)| (tier, path)).collect()
    }
}

impl ResolvedSettings {
    /// Reads a file; returns `None` if it does not exist or is left out.
    pub(super) fn read(&mut self, tier: SettingsTier, path: &Path) -> Option<RawSettings> {
        let mut report =
            |why: Why| self.faults.push(SettingsFault { tier, path: path.to_owned(), why: why.to_string() });
        let mut keys = read(path).map_err(&mut report).ok()??;
        let is_managed = tier == SettingsTier::Managed;
        keys.retain(|key, _| is_managed || !ONLY_MANAGED.contains(&&**key));
        let all = keys.len();
        keys.retain(|key, value| check(key, value, is_managed).map_err(&mut report).is_ok());
        // As in the CLI, a managed file loses only the faulty keys.
        if is_managed || keys.len() == all { RawJson::encode(&keys).ok().map(RawSettings::new) } else { None }
    }

    /// Returns the managed settings file merged with its drop-in files, in the order of their names.
    pub(super) fn managed_files(&mut self, places: &Places) -> Option<RawSettings> {
        let folder = places.managed.join(MANAGED_FOLDER);
        let mut files = Vec::new();
        let listed = fs::read_dir(&folder).and_then(|mut entries| {
            entries.try_for_each(|entry| entry.map(|entry| files.push(entry.path())))
        });
        let failed = listed.err().filter(|error| error.kind() != io::ErrorKind::NotFound);
        let (tier, why) = (SettingsTier::Managed, failed.map(|error| error.to_string()));
        self.faults.extend(why.map(|why| SettingsFault { tier, path: folder, why }));
        files.retain(|path| is_added(path));
        files.sort();
        files.insert(0, places.managed.join(MANAGED_FILE));
        let held = files.iter().filter_map(|path| self.read(tier, path));
        held.reduce(|low, high| merge(low.as_raw(), high.as_raw(), false).into())
    }
}

fn read(path: &Path) -> Result<Option<Keys>, Why> {
    let text = match regular_file(path).and_then(fs::read_to_string) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let text = text.trim_start_matches('\u{feff}');
    // The CLI reads an empty file as one without settings.
    Ok(Some(RawJson::parse(if text.trim().is_empty() { "{}" } else { text })?.decode()?))
}

/// Checks that the value is one that the CLI accepts.
fn check(key: &str, value: &RawJson, is_managed: bool) -> Result<(), Why> {
    let value: Value = value.decode()?;
    // The CLI accepts numbers and other scalars as text in `env`.
    let mut value = if key == "env" && value.is_object() { json!({}) } else { value };
    let raw = |value: &Value| RawJson::encode(&json!({ key: value })).map(RawSettings::new);
    // The position of an error is not one in the file.
    raw(&value)?.typed().map_err(|error| format!("{} (in {})", error.reason(), error.path()))?;
    replace_nulls(&mut value);
    raw(&value)?.typed().map_err(|error| format!("invalid type: null (in {})", error.path()))?;
    // In a managed file the CLI corrects or drops such a value, and keeps those beside it.
    let settings = if is_managed { json!({}) } else { json!({ key: value }) };
    let refused = REFUSED.iter().find(|(path, refuses)| settings.pointer(path).is_some_and(*refuses));
    let why = |path: &str| format!("invalid value (in {})", path[1..].replace('/', "."));
    refused.map_or(Ok(()), |(path, _)| Err(why(path).into()))
}

/// Replaces each null by a number: the CLI accepts null for no typed key, but `Settings` reads it as a missing value.
fn replace_nulls(value: &mut Value) {
    match value {
        Value::Null => *value = json!(0.5),
        Value::Array(items) => items.iter_mut().for_each(replace_nulls),
        Value::Object(fields) => fields.values_mut().for_each(replace_nulls),
        _ => {}
    }
}

fn is_added(path: &Path) -> bool {
    let hidden = path.file_name().and_then(|name| name.to_str()).is_none_or(|name| name.starts_with('.'));
    !hidden && path.extension().is_some_and(|extension| extension == "json")
}

type Why = Box<dyn std::error::Error>;
type Test = fn(&Value) -> bool;

/// Values that `Settings` accepts and the CLI does not.
const REFUSED: [(&str, Test); 5] = [
    ("/cleanupPeriodDays", |days| *days == 0),
    ("/permissions/defaultMode", |mode| {
        *mode != "manual" && PermissionMode::KNOWN.iter().all(|known| mode != known)
    }),
    ("/permissions/disableAutoMode", |mark| *mark != "disable"),
    ("/permissions/disableBypassPermissionsMode", |mark| *mark != "disable"),
    ("/statusLine/type", |kind| *kind != "command"),
];
/// Keys that the CLI ignores outside of managed settings.
const ONLY_MANAGED: [&str; 5] =
    ["attributionProjectPolicy", "availableModelsMatch", "deniedModels", "isolation", "managedMcpServers"];
const FOLDER: &str = ".claude";
const FILE: &str = "settings.json";
const LOCAL_FILE: &str = "settings.local.json";
const MANAGED_FILE: &str = "managed-settings.json";
const MANAGED_FOLDER: &str = "managed-settings.d";
const MANAGED_DIR: &str =
    if cfg!(target_os = "macos") { "/Library/Application Support/ClaudeCode" } else { "/etc/claude-code" };
