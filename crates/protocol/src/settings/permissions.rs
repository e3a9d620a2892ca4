//! What the settings permit.

use serde::{Deserialize, Serialize};

use crate::{PermissionMode, open_enum::open_enum};

/// What is permitted (`permissions`); rules are written as `Tool` or `Tool(what)`.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PermissionSettings {
    /// Tool uses that pass (`allow`).
    pub allow: Option<Vec<String>>,
    /// Tool uses that are refused, which counts first (`deny`).
    pub deny: Option<Vec<String>>,
    /// Tool uses that are asked about (`ask`).
    pub ask: Option<Vec<String>>,
    /// The mode to begin in (`defaultMode`).
    pub default_mode: Option<PermissionMode>,
    /// Whether the mode `bypassPermissions` can't be had (`disableBypassPermissionsMode`).
    pub disable_bypass_permissions_mode: Option<DisabledMark>,
    /// Whether the mode `auto` can't be had (`disableAutoMode`).
    pub disable_auto_mode: Option<DisabledMark>,
    /// Whether what would be asked about is refused (`denyInsteadOfPrompting`).
    pub deny_instead_of_prompting: Option<bool>,
    /// Directories to work in besides (`additionalDirectories`).
    pub additional_directories: Option<Vec<String>>,
    /// Whether reading outside of the working directories is refused (`blockReadsOutsideWorkingDirectories`).
    pub block_reads_outside_working_directories: Option<bool>,
    /// Whether writing outside of them is refused (`blockWritesOutsideWorkingDirectories`).
    pub block_writes_outside_working_directories: Option<bool>,
    /// Paths outside of them that can be read all the same (`blockReadsExemptPaths`).
    pub block_reads_exempt_paths: Option<Vec<String>>,
    /// Working directories that are taken as they are written (`workingDirectoriesAsGiven`).
    pub working_directories_as_given: Option<Vec<String>>,
    /// Directories that are none to work in (`workingDirectoriesExclude`).
    pub working_directories_exclude: Option<Vec<String>>,
}

open_enum! {
    /// The mark that something can't be had.
    pub enum DisabledMark {
        /// It can't.
        Disable = "disable",
    }
}
