//! Finds and reads the settings files.

use std::{
    collections::BTreeMap,
    env, fs, io,
    path::{Path, PathBuf},
};

use agentwire_protocol::{RawJson, settings::RawSettings};

use super::{
    merge::merge,
    resolve::{ResolveSettings, ResolvedSettings, SettingsFault, SettingsTier},
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
    /// Reads a file; returns `None` if it does not exist or has a fault.
    pub(super) fn read(&mut self, tier: SettingsTier, path: &Path) -> Option<RawSettings> {
        read(path).unwrap_or_else(|why| {
            self.faults.push(SettingsFault { tier, path: path.to_owned(), why });
            None
        })
    }

    /// Returns the managed settings file merged with its drop-in files, in the order of their names.
    pub(super) fn managed_files(&mut self, places: &Places) -> Option<RawSettings> {
        let folder = places.managed.join(MANAGED_FOLDER);
        let mut files = Vec::new();
        let listed = fs::read_dir(&folder).and_then(|mut entries| {
            entries.try_for_each(|entry| entry.map(|entry| files.push(entry.path())))
        });
        if let Err(error) = listed
            && error.kind() != io::ErrorKind::NotFound
        {
            let (tier, why) = (SettingsTier::Managed, error.to_string());
            self.faults.push(SettingsFault { tier, path: folder, why });
        }
        files.retain(|path| is_added(path));
        files.sort();
        files.insert(0, places.managed.join(MANAGED_FILE));
        let held = files.iter().filter_map(|path| self.read(SettingsTier::Managed, path));
        let all = held.fold(None, |all: Option<RawJson>, more| {
            Some(all.map_or_else(|| more.as_raw().clone(), |all| merge(&all, more.as_raw())))
        });
        all.map(RawSettings::new)
    }
}

fn read(path: &Path) -> Result<Option<RawSettings>, String> {
    let text = match regular_file(path).and_then(fs::read_to_string) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let raw = RawJson::parse(text).map_err(|error| error.to_string())?;
    check(&raw)?;
    Ok(Some(raw.into()))
}

/// Checks that the settings are an object with values of the types that the CLI expects.
fn check(raw: &RawJson) -> Result<(), String> {
    let mut keys: BTreeMap<Box<str>, RawJson> = raw.decode().map_err(|error| error.to_string())?;
    // The CLI accepts numbers and other scalars as text there.
    keys.remove("env");
    let rest = RawJson::encode(&keys).map_err(|error| error.to_string())?;
    RawSettings::new(rest).typed().map(drop).map_err(|error| error.to_string())
}

fn is_added(path: &Path) -> bool {
    let hidden = path.file_name().and_then(|name| name.to_str()).is_none_or(|name| name.starts_with('.'));
    !hidden && path.extension().is_some_and(|extension| extension == "json")
}

const FOLDER: &str = ".claude";
const FILE: &str = "settings.json";
const LOCAL_FILE: &str = "settings.local.json";
const MANAGED_FILE: &str = "managed-settings.json";
const MANAGED_FOLDER: &str = "managed-settings.d";
const MANAGED_DIR: &str =
    if cfg!(target_os = "macos") { "/Library/Application Support/ClaudeCode" } else { "/etc/claude-code" };
