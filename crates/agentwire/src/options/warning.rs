//! Warnings about options and hooks.

use std::{fmt, path::PathBuf};

use agentwire_hooks::HookWarning;

/// A warning about an option or a hook that works nevertheless.
///
/// Warnings are returned and never printed: [`LaunchPlan::warnings`](crate::LaunchPlan::warnings) before the start,
/// [`Session::warnings`](crate::Session::warnings) after it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// An option has no effect because another one takes precedence.
    Overridden {
        /// The option without effect.
        option: &'static str,
        /// The option that takes precedence.
        by: &'static str,
    },
    /// An option has no effect under the current conditions.
    NoEffect {
        /// The option.
        option: &'static str,
        /// The reason.
        why: &'static str,
    },
    /// A possible secret is on the command line, where other users of the machine can read it.
    Visible {
        /// The option.
        option: &'static str,
    },
    /// The CLI does not accept an option in the handshake, so it was passed as a flag.
    DeliveredByArgv {
        /// The option.
        option: &'static str,
    },
    /// The CLI ignored an option in the handshake, and the transport offers no other way.
    NotDelivered {
        /// The option.
        option: &'static str,
    },
    /// The permission callback is not called: never, or not for some tools.
    ///
    /// Only sessions with a callback ([`SessionBuilder::permissions`](crate::SessionBuilder::permissions)) have this
    /// warning. It covers the options and the initial permission mode, also if a settings file sets the mode.
    /// It does not cover rules in settings files: `Control::list_permission_rules` returns them.
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
    /// The warning appears only with hooks or a permission callback, because the file may circumvent them.
    /// For folders that you don't trust, use [`Options::untrusted_folder`](crate::Options::untrusted_folder).
    FolderHeeded {
        /// The file.
        file: PathBuf,
    },
    /// The CLI is older than the oldest supported version.
    CliTooOld {
        /// The version found.
        found: String,
        /// The oldest version known to work.
        needed: &'static str,
    },
    /// The CLI is older than an option and ignores it.
    OptionTooNew {
        /// The option.
        option: &'static str,
        /// The CLI's version; `None` if it does not report it in the handshake, as 2.1.197.
        found: Option<String>,
        /// A version that supports the option.
        needed: &'static str,
    },
    /// A hook is called more or less often than its registration suggests.
    Hook(HookWarning),
}

impl Warning {
    /// Returns the name of the option in JSON; `None` for warnings about the CLI, a hook or a folder.
    pub fn option(&self) -> Option<&'static str> {
        match self {
            Self::Overridden { option, .. }
            | Self::NoEffect { option, .. }
            | Self::Visible { option }
            | Self::DeliveredByArgv { option }
            | Self::NotDelivered { option }
            | Self::NotAsked { option, .. }
            | Self::OptionTooNew { option, .. } => Some(option),
            Self::FolderHeeded { .. } | Self::CliTooOld { .. } | Self::Hook(_) => None,
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Overridden { option, by } => {
                write!(f, "the option `{option}` has no effect: `{by}` counts before it")
            }
            Self::NoEffect { option, why } => write!(f, "the option `{option}` has no effect: {why}"),
            Self::Visible { option } => write!(
                f,
                "the option `{option}` is on the command line, where other users of the machine can read it"
            ),
            Self::DeliveredByArgv { option } => write!(
                f,
                "the CLI is too old to take the option `{option}` in the handshake: it was started again, with flags"
            ),
            Self::NotDelivered { option } => write!(
                f,
                "the CLI did not take the option `{option}` in the handshake: it needs `--await-initialize`"
            ),
            Self::NotAsked { option, value, instead } => {
                write!(f, "`{option}` ({value}) keeps the permission callback from being asked: {instead}")
            }
            Self::FolderHeeded { file } => write!(
                f,
                "the CLI heeds `{}`, which can run commands, allow tools and redirect requests: use `Options::untrusted_folder` where nobody vouches for the folder",
                file.display()
            ),
            Self::CliTooOld { found, needed } => {
                write!(f, "the CLI is version {found}, and {needed} is the oldest that is known to work")
            }
            Self::Hook(warning) => warning.fmt(f),
            Self::OptionTooNew { option, found, needed } => match found {
                Some(found) => write!(f, "the option `{option}` needs CLI {needed}, and this is {found}"),
                None => write!(f, "the option `{option}` needs CLI {needed}, and this is an older one"),
            },
        }
    }
}
