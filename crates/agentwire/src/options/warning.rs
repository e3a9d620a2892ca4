//! Warnings about options and hooks.

use std::path::PathBuf;

use agentwire_hooks::HookWarning;

/// A warning about an option or a hook that works nevertheless.
///
/// Warnings are returned and never printed: [`LaunchPlan::warnings`](crate::LaunchPlan::warnings) before the start,
/// [`Session::warnings`](crate::Session::warnings) after it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Warning {
    /// An option has no effect because another one takes precedence.
    #[error("the option `{option}` has no effect: `{by}` takes precedence")]
    Overridden {
        /// The option without effect.
        option: &'static str,
        /// The option that takes precedence.
        by: &'static str,
    },
    /// An option has no effect under the current conditions.
    #[error("the option `{option}` has no effect: {why}")]
    NoEffect {
        /// The option.
        option: &'static str,
        /// The reason.
        why: &'static str,
    },
    /// A possible secret is on the command line, where other users of the machine can read it.
    #[error("the option `{option}` is on the command line, where other users of the machine can read it")]
    Visible {
        /// The option.
        option: &'static str,
    },
    /// The CLI does not accept an option in the handshake, so it was passed as a flag.
    #[error(
        "the CLI is too old to take the option `{option}` in the handshake: it was started again, with flags"
    )]
    DeliveredByArgv {
        /// The option.
        option: &'static str,
    },
    /// The CLI ignored an option in the handshake, and the transport offers no other way.
    #[error("the CLI did not take the option `{option}` in the handshake: it needs `--await-initialize`")]
    NotDelivered {
        /// The option.
        option: &'static str,
    },
    /// The permission handler is not called: never, or not for some tools.
    ///
    /// Only sessions with a handler ([`SessionBuilder::permissions`](crate::SessionBuilder::permissions)) have this
    /// warning. It covers the options and the initial permission mode, even if a settings file or a claim sets it.
    /// It does not cover rules in settings files: `Control::list_permission_rules` returns them.
    #[error("`{option}` ({value}) keeps the permission handler from being asked: {instead}")]
    NotAsked {
        /// The option that causes it.
        option: &'static str,
        /// The value of the option, or the tools affected.
        value: String,
        /// What happens instead of a question.
        instead: &'static str,
    },
    /// The CLI applies a file in the working directory that can run commands, allow tools without a question, or
    /// redirect requests.
    ///
    /// The warning appears only with hooks or a permission handler, because the file may circumvent them.
    /// For folders that you don't trust, use [`Options::untrusted_folder`](crate::Options::untrusted_folder).
    #[error("the CLI applies `{}`, which can run commands, allow tools and redirect requests; use `Options::untrusted_folder` if you don't trust the folder", file.display())]
    FolderHeeded {
        /// The file.
        file: PathBuf,
    },
    /// The CLI is older than the oldest supported version.
    #[error("the CLI is version {found}, and {needed} is the oldest that is known to work")]
    CliTooOld {
        /// The version found.
        found: String,
        /// The oldest version known to work.
        needed: &'static str,
    },
    /// The CLI is older than an option and ignores it.
    #[error("the option `{option}` needs CLI {needed}, and this is {}", found.as_deref().unwrap_or("an older one"))]
    OptionTooNew {
        /// The option.
        option: &'static str,
        /// The CLI's version; `None` if it does not report it in the handshake, as 2.1.197.
        found: Option<String>,
        /// A version that supports the option.
        needed: &'static str,
    },
    /// The CLI could not load a plugin of [`Options::plugins`](crate::Options::plugins), or a part of it: its hooks may
    /// be missing.
    ///
    /// It is added when the first `system/init` that reports it is read, at the start of a turn.
    #[error("the CLI did not load all of the plugin `{plugin}`: {why}")]
    Plugin {
        /// The plugin, as `name@marketplace`, or its path if it has no name yet.
        plugin: String,
        /// The CLI's reason.
        why: String,
    },
    /// A warning about a hook.
    #[error("{0}")]
    Hook(HookWarning),
}

impl Warning {
    /// Returns the name of the option in JSON; `None` for warnings about the CLI, a plugin, a hook or a folder.
    pub fn option(&self) -> Option<&'static str> {
        match self {
            Self::Overridden { option, .. }
            | Self::NoEffect { option, .. }
            | Self::Visible { option }
            | Self::DeliveredByArgv { option }
            | Self::NotDelivered { option }
            | Self::NotAsked { option, .. }
            | Self::OptionTooNew { option, .. } => Some(option),
            Self::FolderHeeded { .. } | Self::CliTooOld { .. } | Self::Plugin { .. } | Self::Hook(_) => None,
        }
    }
}
