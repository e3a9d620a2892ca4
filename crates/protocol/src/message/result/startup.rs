//! Startup failures.

/// An unreadable configuration file (`invalid_config_file`).
#[wire(tolerant)]
pub struct InvalidConfigFile {
    /// The path.
    #[required]
    pub path: String,
    /// Whether it is the CLI's global file; only that file has backups.
    pub is_global: bool,
    /// Whether the CLI searched for a backup.
    pub backup_searched: bool,
    /// The path of the backup, which may be unreadable too.
    pub backup_path: Option<String>,
}

/// The reason why the CLI did not start (`startup_failure_reason`).
///
/// Most reasons are only sent if the host sets `CLAUDE_CODE_STARTUP_FAILURE_RESULTS`.
#[wire]
pub enum StartupFailureReason {
    /// An API key is configured, but managed settings require a login.
    OrgPinApiKeyConflict = "org_pin_api_key_conflict",
    /// Managed settings do not allow the provider.
    ProviderNotAllowed = "provider_not_allowed",
    /// The login's organisation could not be verified.
    OrgVerifyFailed = "org_verify_failed",
    /// The login belongs to an organisation that is not allowed.
    OrgPinMismatch = "org_pin_mismatch",
    /// Managed settings are invalid.
    ManagedSettingsInvalid = "managed_settings_invalid",
    /// Required managed settings could not be loaded.
    RemoteSettingsRequiredUnavailable = "remote_settings_required_unavailable",
    /// The gateway requires a new login.
    GatewaySigninRequired = "gateway_signin_required",
    /// The gateway denied managed settings for the account.
    GatewayAccessDenied = "gateway_access_denied",
    /// A proxy is not a whole URL.
    ProxyInvalid = "proxy_invalid",
    /// The directory for temporary files is unsafe or can't be created.
    TempDirUnusable = "temp_dir_unusable",
    /// The working directory does not exist or is unreadable.
    CwdUnavailable = "cwd_unavailable",
    /// Windows has no usable shell.
    ShellToolMissing = "shell_tool_missing",
    /// A background process holds the session.
    SessionHeldByBackground = "session_held_by_background",
    /// It is not safe to continue in the session's worktree.
    WorktreeResumeRefused = "worktree_resume_refused",
    /// The session's worktree can't be verified now.
    WorktreeUnverified = "worktree_unverified",
    /// This CLI is too old.
    CliVersionTooOld = "cli_version_too_old",
    /// The mode `bypassPermissions` is not allowed for root.
    BypassRoot = "bypass_root",
    /// Required organisation settings could not be loaded; a retry may help.
    OrgConfigRequiredUnavailable = "org_config_required_unavailable",
    /// The required organisation settings were refused for this login.
    OrgConfigRefused = "org_config_refused",
    /// A sandbox is required, but not available.
    SandboxRequiredUnavailable = "sandbox_required_unavailable",
    /// The first line was not `initialize`, though `--await-initialize` was given.
    InitializeNotFirst = "initialize_not_first",
    /// A configuration file is not valid JSON.
    ConfigFileInvalid = "config_file_invalid",
    /// `initialize` lacked the announced managed settings.
    ManagedSettingsNotDelivered = "managed_settings_not_delivered",
    /// `initialize` lacked the announced fields.
    InitializeFieldsNotDelivered = "initialize_fields_not_delivered",
    /// Managed settings allow no plugins, agents and MCP servers from the command line.
    SideloadFlagsDisabled = "sideload_flags_disabled",
}
