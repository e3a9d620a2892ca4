//! Why the CLI does not start.

use serde::{Deserialize, Serialize};

use crate::open_enum::open_enum;

/// A configuration file that can't be read (`invalid_config_file`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct InvalidConfigFile {
    /// The file.
    pub path: String,
    /// Whether it is the CLI's global one, which alone has backups.
    #[serde(default)]
    pub is_global: bool,
    /// Whether it is known if there is a backup.
    #[serde(default)]
    pub backup_searched: bool,
    /// The backup; it may not be readable either.
    pub backup_path: Option<String>,
}

open_enum! {
    /// Why the CLI does not start (`startup_failure_reason`).
    ///
    /// Most of them are told only where the host sets `CLAUDE_CODE_STARTUP_FAILURE_RESULTS`.
    pub enum StartupFailureReason {
        /// A key is configured where managed settings want a login.
        OrgPinApiKeyConflict = "org_pin_api_key_conflict",
        /// Managed settings do not allow the provider.
        ProviderNotAllowed = "provider_not_allowed",
        /// The login's organisation could not be verified.
        OrgVerifyFailed = "org_verify_failed",
        /// The login belongs to an organisation that is not allowed.
        OrgPinMismatch = "org_pin_mismatch",
        /// Managed settings can't be used.
        ManagedSettingsInvalid = "managed_settings_invalid",
        /// Managed settings that are required could not be loaded.
        RemoteSettingsRequiredUnavailable = "remote_settings_required_unavailable",
        /// The gateway ended the login.
        GatewaySigninRequired = "gateway_signin_required",
        /// The gateway refused managed settings for the account.
        GatewayAccessDenied = "gateway_access_denied",
        /// A proxy is not given as a whole URL.
        ProxyInvalid = "proxy_invalid",
        /// The folder for temporary files is unsafe, or can't be made.
        TempDirUnusable = "temp_dir_unusable",
        /// The working directory is gone, or can't be read.
        CwdUnavailable = "cwd_unavailable",
        /// Windows has no shell that can be used.
        ShellToolMissing = "shell_tool_missing",
        /// The session runs in the background.
        SessionHeldByBackground = "session_held_by_background",
        /// The session's worktree is not safe to go on in.
        WorktreeResumeRefused = "worktree_resume_refused",
        /// The session's worktree can't be checked now.
        WorktreeUnverified = "worktree_unverified",
        /// This CLI is too old.
        CliVersionTooOld = "cli_version_too_old",
        /// Nothing may pass without a question for root.
        BypassRoot = "bypass_root",
        /// What the organisation requires could not be loaded; another attempt may do.
        OrgConfigRequiredUnavailable = "org_config_required_unavailable",
        /// What the organisation requires was refused for this login.
        OrgConfigRefused = "org_config_refused",
        /// A sandbox is required, and can't run here.
        SandboxRequiredUnavailable = "sandbox_required_unavailable",
        /// The first line was not `initialize`, though `--await-initialize` was given.
        InitializeNotFirst = "initialize_not_first",
        /// A configuration file is not valid JSON.
        ConfigFileInvalid = "config_file_invalid",
        /// `initialize` did not bring the managed settings that were announced.
        ManagedSettingsNotDelivered = "managed_settings_not_delivered",
        /// `initialize` did not bring the fields that were announced.
        InitializeFieldsNotDelivered = "initialize_fields_not_delivered",
    }
}
