//! Which settings a session would have, and where each comes from.

use std::{collections::BTreeMap, path::PathBuf};

use agentwire_protocol::{RawJson, settings::RawSettings};

use super::{files::Places, merge::merge};
use crate::SettingSource;

/// Where settings are looked for.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ResolveSettings {
    /// The project's directory; `None` for this program's.
    pub cwd: Option<PathBuf>,
    /// Which files are read beside the managed ones; `None` for all.
    pub setting_sources: Option<Vec<SettingSource>>,
    /// Settings that a server hands out, which take the place of the managed files; an empty object does not.
    pub server_managed_settings: Option<RawSettings>,
    /// The user's directory of the CLI; `None` for `CLAUDE_CONFIG_DIR`, or `.claude` in the home directory.
    pub config_dir: Option<PathBuf>,
    /// The directory of `managed-settings.json`; `None` for the platform's.
    pub managed_dir: Option<PathBuf>,
}

/// Which settings a session would have, without starting the CLI.
///
/// The tiers are the user's, the project's, the project's local ones, and the managed ones, the strongest last.
/// Objects are merged key by key, lists are joined without repeating texts and numbers, and anything else is replaced.
/// A file that can't be read, is no object, or has a value of another type than the CLI expects is left out as a whole,
/// as the CLI does, and told among the [`faults`](ResolvedSettings::faults).
///
/// It is the cascade as it stands in the files, and no decision: `permissions.defaultMode` needs
/// [`filter_escalating_default_mode`](crate::filter_escalating_default_mode), and permission rules that are malformed,
/// which the CLI leaves out one by one, are still there.
/// What is not read: macOS profiles, the Windows registry, a `policyHelper`, the CLI's own copy of settings that a server
/// handed out, and those that a host hands to the CLI as managed, which that filters key by key.
/// To know what a session has, ask it: [`Control::settings`](crate::Control::settings).
///
/// It reads a few small files, and blocks for as long.
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
    resolved.settle();
    resolved
}

/// The settings of a session, and where they come from.
///
/// `Debug` does not show the values of settings.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ResolvedSettings {
    /// All of them, merged.
    pub effective: RawSettings,
    /// For each key of the first level, the strongest source that has it.
    pub provenance: BTreeMap<Box<str>, Provenance>,
    /// Each source by itself, the weakest first.
    pub sources: Vec<ResolvedSource>,
    /// Files that are there and were left out.
    ///
    /// Whoever relies on managed settings looks here first: a managed file that was left out is among them.
    pub faults: Vec<SettingsFault>,
}

/// Where a setting comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Provenance {
    /// The tier.
    pub tier: SettingsTier,
    /// The file, where it is one.
    pub path: Option<PathBuf>,
    /// Where managed settings come from.
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
    /// The file, where it is one.
    pub path: Option<PathBuf>,
    /// Where managed settings come from.
    pub policy_origin: Option<PolicyOrigin>,
}

/// A tier of settings, the weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum SettingsTier {
    /// The user's own.
    User,
    /// The project's, which whoever can write to the repository decides.
    Project,
    /// The project's that are not shared.
    Local,
    /// The organisation's.
    Managed,
}

/// Where managed settings come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PolicyOrigin {
    /// From a server.
    Remote,
    /// From files of this machine.
    File,
}

/// A settings file that was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SettingsFault {
    /// The tier that it belongs to.
    pub tier: SettingsTier,
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub why: String,
}

impl ResolvedSettings {
    /// The models that managed settings deny (`deniedModels`), for
    /// [`match_denied_models`](crate::match_denied_models).
    ///
    /// What is no text among them is passed over, as the CLI does, and so is anything but a list.
    pub fn denied_models(&self) -> Vec<String> {
        let list: Vec<RawJson> = self.effective.field("deniedModels").ok().flatten().unwrap_or_default();
        list.iter().filter_map(|entry| entry.decode().ok()).collect()
    }

    /// Merges the sources.
    fn settle(&mut self) {
        let mut effective = RawJson::empty_object();
        for source in &self.sources {
            effective = merge(&effective, source.settings.as_raw());
            let keys: BTreeMap<Box<str>, RawJson> = source.settings.as_raw().decode().unwrap_or_default();
            let provenance = || Provenance {
                tier: source.tier,
                path: source.path.clone(),
                policy_origin: source.policy_origin,
            };
            self.provenance.extend(keys.into_keys().map(|key| (key, provenance())));
        }
        self.effective = effective.into();
    }
}

impl Default for ResolvedSettings {
    fn default() -> Self {
        Self {
            effective: RawJson::empty_object().into(),
            provenance: BTreeMap::new(),
            sources: Vec::new(),
            faults: Vec::new(),
        }
    }
}

fn is_empty(settings: &RawSettings) -> bool {
    settings.as_raw().decode::<BTreeMap<Box<str>, RawJson>>().is_ok_and(|keys| keys.is_empty())
}
