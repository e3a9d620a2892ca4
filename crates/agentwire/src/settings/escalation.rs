//! Whether a permission mode may come from where it comes from.

use std::collections::BTreeMap;

use agentwire_protocol::{PermissionMode, RawJson, settings::RawSettings};

use super::resolve::{ResolvedSettings, ResolvedSource, SettingsTier};

/// The effective settings without a permission mode that its source may not set, as the CLI has it.
///
/// `permissions.defaultMode` of `bypassPermissions`, `auto` or `acceptEdits` goes where the project's settings set it,
/// which come with a repository.
/// From the project's local settings `bypassPermissions` and `auto` go.
/// No weaker source's mode takes its place.
pub fn filter_escalating_default_mode(resolved: &ResolvedSettings) -> RawSettings {
    let deciding =
        resolved.sources.iter().filter_map(|source| Some((source.tier, mode(source)?))).next_back();
    match deciding {
        Some((tier, mode)) if escalates(tier, &mode) => without_mode(&resolved.effective),
        _ => resolved.effective.clone(),
    }
}

fn escalates(tier: SettingsTier, mode: &PermissionMode) -> bool {
    match mode {
        PermissionMode::BypassPermissions | PermissionMode::Auto => {
            matches!(tier, SettingsTier::Project | SettingsTier::Local)
        }
        PermissionMode::AcceptEdits => tier == SettingsTier::Project,
        _ => false,
    }
}

fn mode(source: &ResolvedSource) -> Option<PermissionMode> {
    let permissions: Keys = source.settings.field(PERMISSIONS).ok()??;
    permissions.get(MODE)?.decode().ok()
}

fn without_mode(settings: &RawSettings) -> RawSettings {
    let filtered = || {
        let mut keys: Keys = settings.as_raw().decode().ok()?;
        let mut permissions: Keys = keys.get(PERMISSIONS)?.decode().ok()?;
        permissions.remove(MODE);
        keys.insert(PERMISSIONS.into(), RawJson::encode(&permissions).ok()?);
        RawJson::encode(&keys).ok()
    };
    // Without an answer nothing may be left that escalates.
    filtered().unwrap_or_else(RawJson::empty_object).into()
}

type Keys = BTreeMap<Box<str>, RawJson>;

const PERMISSIONS: &str = "permissions";
const MODE: &str = "defaultMode";
