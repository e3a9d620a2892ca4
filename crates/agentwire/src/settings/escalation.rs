//! Removes permission modes that their source may not set, and replaces the alias of one.

use agentwire_protocol::{PermissionMode, RawJson, settings::RawSettings};

use super::resolve::{Keys, ResolvedSettings, ResolvedSource, SettingsTier};

/// Returns the effective settings without a permission mode that its source may not set, with the CLI's rules.
///
/// `permissions.defaultMode` is removed if it is `bypassPermissions`, `auto` or `acceptEdits` and the project's
/// settings set it, because they come with a repository.
/// In the project's local settings, `bypassPermissions` and `auto` are removed.
/// The mode of a weaker source does not replace it.
pub fn filter_escalating_default_mode(resolved: &ResolvedSettings) -> RawSettings {
    let deciding =
        resolved.sources.iter().filter_map(|source| Some((source.tier, mode(source)?))).next_back();
    match deciding {
        Some((tier, mode)) if escalates(tier, &mode) => with_mode(&resolved.effective, None),
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

/// Replaces the permission mode `manual` by `default`, as the CLI does with this alias.
pub(super) fn replace_alias(source: &mut ResolvedSource) {
    if mode(source).is_some_and(|mode| mode.as_str() == "manual") {
        source.settings = with_mode(&source.settings, Some(&PermissionMode::Default));
    }
}

/// Returns the settings, which have a mode, with this one or without any.
fn with_mode(settings: &RawSettings, mode: Option<&PermissionMode>) -> RawSettings {
    let changed = || {
        let mut keys: Keys = settings.as_raw().decode().ok()?;
        let mut permissions: Keys = keys.get(PERMISSIONS)?.decode().ok()?;
        match mode {
            Some(mode) => permissions.insert(MODE.into(), RawJson::encode(mode).ok()?),
            None => permissions.remove(MODE),
        };
        keys.insert(PERMISSIONS.into(), RawJson::encode(&permissions).ok()?);
        RawJson::encode(&keys).ok()
    };
    // Fail closed: if the mode can't be changed, return no settings.
    changed().unwrap_or_else(RawJson::empty_object).into()
}

const PERMISSIONS: &str = "permissions";
const MODE: &str = "defaultMode";
