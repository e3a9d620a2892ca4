//! Permission settings.

use crate::PermissionMode;

/// The permission settings (`permissions`); rules are texts such as `Tool` or `Tool(content)`.
#[wire(Default, camelCase)]
pub struct PermissionSettings {
    /// Allowed tool uses (`allow`).
    pub allow: Option<Vec<String>>,
    /// Denied tool uses; these rules have priority (`deny`).
    pub deny: Option<Vec<String>>,
    /// Tool uses to ask about (`ask`).
    pub ask: Option<Vec<String>>,
    /// The initial mode (`defaultMode`).
    pub default_mode: Option<PermissionMode>,
    /// Disables the mode `bypassPermissions` (`disableBypassPermissionsMode`).
    pub disable_bypass_permissions_mode: Option<DisabledMark>,
    /// Disables the mode `auto` (`disableAutoMode`).
    pub disable_auto_mode: Option<DisabledMark>,
    /// Whether to deny tool uses instead of asking (`denyInsteadOfPrompting`).
    pub deny_instead_of_prompting: Option<bool>,
    /// Additional working directories (`additionalDirectories`).
    pub additional_directories: Option<Vec<String>>,
    /// Whether to deny reads outside of the working directories (`blockReadsOutsideWorkingDirectories`).
    pub block_reads_outside_working_directories: Option<bool>,
    /// Whether to deny writes outside of the working directories (`blockWritesOutsideWorkingDirectories`).
    pub block_writes_outside_working_directories: Option<bool>,
    /// Paths outside of the working directories that are still readable (`blockReadsExemptPaths`).
    pub block_reads_exempt_paths: Option<Vec<String>>,
    /// Working directories that are used exactly as written (`workingDirectoriesAsGiven`).
    pub working_directories_as_given: Option<Vec<String>>,
    /// Directories that are excluded from the working directories (`workingDirectoriesExclude`).
    pub working_directories_exclude: Option<Vec<String>>,
}

/// The value of a setting that disables a feature.
#[wire]
pub enum DisabledMark {
    /// The feature is disabled.
    Disable = "disable",
}
