//! What is worth knowing of options and hooks that work all the same.

use std::{fmt, path::PathBuf};

use agentwire_hooks::HookWarning;

/// What is worth knowing of options and hooks that work all the same.
///
/// Warnings are given and never printed: [`LaunchPlan::warnings`](crate::LaunchPlan::warnings) before the start,
/// [`Session::warnings`](crate::Session::warnings) after it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// An option has no effect, since another one counts before it.
    Overridden {
        /// The option without an effect.
        option: &'static str,
        /// The one that counts.
        by: &'static str,
    },
    /// An option has no effect as things are.
    NoEffect {
        /// The option.
        option: &'static str,
        /// Why it has none.
        why: &'static str,
    },
    /// What may be secret is on the command line, where other users of the machine can read it.
    Visible {
        /// The option.
        option: &'static str,
    },
    /// The CLI can't take an option in the handshake, so it got it in another way.
    DeliveredByArgv {
        /// The option.
        option: &'static str,
    },
    /// The CLI did not take an option in the handshake, and the transport leaves no other way.
    NotDelivered {
        /// The option.
        option: &'static str,
    },
    /// The permission callback is not asked: about nothing, or not about some tools.
    ///
    /// It is told where there is a callback ([`SessionBuilder::permissions`](crate::SessionBuilder::permissions)), of
    /// the options and of the mode that the session starts in, also where a settings file has set that.
    /// Rules in settings files are not among it: `Control::list_permission_rules` tells them.
    NotAsked {
        /// The option that has it so.
        option: &'static str,
        /// Its value, or the tools that it is about.
        value: String,
        /// What happens in place of a question.
        instead: &'static str,
    },
    /// The CLI heeds a file of the working directory that can run commands, allow tools without a question, or change
    /// where requests go.
    ///
    /// It is a warning where there are hooks or a permission callback, since the file may undo what they are for.
    /// Where nobody vouches for the folder, use [`Options::untrusted_folder`](crate::Options::untrusted_folder).
    FolderHeeded {
        /// The file.
        file: PathBuf,
    },
    /// The CLI is older than any that this crate was made for.
    CliTooOld {
        /// Its version.
        found: String,
        /// The oldest that is known to work.
        needed: &'static str,
    },
    /// The CLI is older than an option, and does not heed it.
    OptionTooNew {
        /// The option.
        option: &'static str,
        /// The CLI's version; none where it does not tell it in the handshake, as 2.1.197 does not.
        found: Option<String>,
        /// A version that heeds it.
        needed: &'static str,
    },
    /// A hook is called more often or less often than its registration says.
    Hook(HookWarning),
}

impl Warning {
    /// The option that it is about, by its name in JSON; `None` where it is about the CLI, a hook or a folder.
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
