//! Resolves the settings of a session and the source of each.

use std::{collections::BTreeMap, path::PathBuf};

use agentwire_protocol::{RawJson, settings::RawSettings};

use super::{escalation::replace_alias, files::Places, merge::merge};
use crate::SettingSource;

/// The locations of the settings files.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ResolveSettings {
    /// The project's directory; `None` for this program's working directory.
    pub cwd: Option<PathBuf>,
    /// The files to read besides the managed ones; `None` for all.
    pub setting_sources: Option<Vec<SettingSource>>,
    /// Settings provided by a server, which replace the managed files unless they are empty.
    pub server_managed_settings: Option<RawSettings>,
    /// The CLI's configuration directory; `None` for `CLAUDE_CONFIG_DIR`, or `.claude` in the home directory.
    pub config_dir: Option<PathBuf>,
    /// The directory of `managed-settings.json`; `None` for the platform's.
    pub managed_dir: Option<PathBuf>,
}

/// Returns the settings that a session would have, without starting the CLI.
///
/// The tiers are user, project, local and managed, the strongest last.
/// Objects are merged key by key, lists are concatenated without repeating texts and numbers, and other values,
/// `fallbackModel` and `modelPicker` are replaced. Managed `availableModels` replace those of the other tiers, and keys
/// that only managed settings may have, such as `deniedModels`, are ignored elsewhere.
///
/// The permission mode `manual` is returned as `default`, whose alias it is.
///
/// Like the CLI, it leaves out a whole file that can't be read, is not an object, or has a value that the CLI refuses:
/// one of an unexpected type, or one such as an unknown `permissions.defaultMode`. A managed file loses only the keys with a value
/// of an unexpected type.
/// Each is reported in [`faults`](ResolvedSettings::faults).
/// Only the keys of [`Settings`](agentwire_protocol::settings::Settings) are checked. The CLI checks more keys, and
/// keeps valid rules, hooks and list entries beside malformed ones.
/// If one of these values has an unexpected type, the CLI drops only this value, and this function the whole file:
/// `effortLevel`, `allowedMcpServers`, `deniedMcpServers`, `extraKnownMarketplaces`, `hooks` without `PreToolUse` and
/// `PermissionRequest`, and `blockReadsExemptPaths`, `workingDirectoriesAsGiven` and `workingDirectoriesExclude` in
/// `permissions`. A text as `enabledMcpjsonServers` or `disabledMcpjsonServers` is a list for the CLI.
///
/// The result merges the files and makes no decision: `permissions.defaultMode` needs
/// [`filter_escalating_default_mode`](crate::filter_escalating_default_mode), and malformed permission rules, which the
/// CLI drops one by one, are still included.
/// Not read are: macOS profiles, the Windows registry, a `policyHelper`, the CLI's own copy of server settings, and
/// managed settings from a host, which the CLI filters key by key.
/// For the settings of a running session use [`Control::settings`](crate::Control::settings).
///
/// The function reads a few small files and blocks meanwhile.
pub fn resolve_settings(options: &ResolveSettings) -> ResolvedSettings {
    let mut resolved = ResolvedSettings::default();
    let places = Places::of(options);
    for (tier, path) in places.files(options.setting_sources.as_deref()) {
        if let Some(settings) = resolved.read(tier, &path) {
            resolved.sources.push(ResolvedSource { tier, settings, path: Some(path), policy_origin: None });
        }
    }
    let managed = match &options.server_managed_settings {
        Some(settings) if !is_empty(settings) => Some((settings.clone(), PolicyOrigin::Remote)),
        _ => resolved.managed_files(&places).map(|settings| (settings, PolicyOrigin::File)),
    };
    if let Some((settings, origin)) = managed {
        let (tier, policy_origin) = (SettingsTier::Managed, Some(origin));
        resolved.sources.push(ResolvedSource { tier, settings, path: None, policy_origin });
    }
    resolved.sources.iter_mut().for_each(replace_alias);
    resolved.merge_sources();
    resolved
}

/// The settings of a session, and their sources.
///
/// `Debug` does not show the values of settings.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ResolvedSettings {
    /// All settings, merged.
    pub effective: RawSettings,
    /// For each key of the first level, the strongest source that has it.
    pub provenance: BTreeMap<Box<str>, Provenance>,
    /// The settings of each source, the weakest first.
    pub sources: Vec<ResolvedSource>,
    /// Files that exist but were left out, keys that were left out of managed files, and the folder
    /// `managed-settings.d` if it can't be read.
    ///
    /// If you rely on managed settings, check this first.
    pub faults: Vec<SettingsFault>,
}

/// The source of a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Provenance {
    /// The tier.
    pub tier: SettingsTier,
    /// The file, if the source is one.
    pub path: Option<PathBuf>,
    /// The origin of managed settings.
    pub policy_origin: Option<PolicyOrigin>,
}

/// The settings of one source.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResolvedSource {
    /// The tier.
    pub tier: SettingsTier,
    /// Its settings.
    pub settings: RawSettings,
    /// The file, if the source is one.
    pub path: Option<PathBuf>,
    /// The origin of managed settings.
    pub policy_origin: Option<PolicyOrigin>,
}

/// A tier of settings, the weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum SettingsTier {
    /// The settings of the user.
    User,
    /// The settings of the project, controlled by everyone with write access to the repository.
    Project,
    /// The settings of the project that are not shared.
    Local,
    /// The settings of the organisation.
    Managed,
}

/// The origin of managed settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PolicyOrigin {
    /// A server.
    Remote,
    /// Files on this machine.
    File,
}

/// A settings file that was left out, or a key of a managed one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SettingsFault {
    /// The tier of the file.
    pub tier: SettingsTier,
    /// The file.
    pub path: PathBuf,
    /// The reason.
    pub why: String,
}

impl ResolvedSettings {
    /// Returns the models that managed settings deny (`deniedModels`), for
    /// [`match_denied_models`](crate::match_denied_models).
    ///
    /// As in the CLI, lists of other tiers do not count. Entries that are not text are skipped, and so is a value that
    /// is not a list.
    pub fn denied_models(&self) -> Vec<String> {
        let list = self.effective.field::<Vec<RawJson>>("deniedModels").ok().flatten();
        list.iter().flatten().filter_map(|entry| entry.decode().ok()).collect()
    }

    /// Merges the sources.
    fn merge_sources(&mut self) {
        let mut effective = RawJson::empty_object();
        for ResolvedSource { tier, settings, path, policy_origin } in &self.sources {
            effective = merge(&effective, settings.as_raw(), *tier == SettingsTier::Managed);
            let keys: Keys = settings.as_raw().decode().unwrap_or_default();
            let provenance = Provenance { tier: *tier, path: path.clone(), policy_origin: *policy_origin };
            self.provenance.extend(keys.into_keys().map(|key| (key, provenance.clone())));
        }
        self.effective = effective.into();
    }
}

fn is_empty(settings: &RawSettings) -> bool {
    settings.as_raw().decode::<Keys>().is_ok_and(|keys| keys.is_empty())
}

/// The keys of an object.
pub(super) type Keys = BTreeMap<Box<str>, RawJson>;
