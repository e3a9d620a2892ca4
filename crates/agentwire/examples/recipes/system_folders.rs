//! Recipe `system-folders`: denies changes to system files and notifies the user of attempts.

use std::{
    fs,
    future::ready,
    io,
    path::{Path, PathBuf},
};

use agentwire::{
    hooks::{Hooks, Matcher},
    protocol::hook::{HookReply, PreToolUse, PreToolUseInput},
};

use super::paths::{Target, WRITERS};

/// Denies the CLI's own writing tools access to these folders, and shows the user a notice.
///
/// `..`, relative paths and links into the folders are resolved. A folder that does not exist is an error: the guard
/// would have no effect.
/// Not covered: `Bash` and `Monitor`, and tools of MCP servers.
pub(crate) fn protect<I>(hooks: Hooks, folders: I) -> io::Result<Hooks>
where
    I: IntoIterator,
    I::Item: AsRef<Path>,
{
    let folders = folders.into_iter().map(fs::canonicalize).collect::<io::Result<Vec<_>>>()?;
    Ok(hooks
        .on_matching(PreToolUse, Matcher::tools(WRITERS), move |input, _cx| ready(judge(&input, &folders))))
}

/// An error denies the call too.
pub(super) fn judge(input: &PreToolUseInput, folders: &[PathBuf]) -> Result<HookReply<PreToolUse>, String> {
    let target = Target::of(input)?;
    let Some(folder) = folders.iter().find(|folder| target.may_be_in(folder)) else {
        return Ok(HookReply::proceed());
    };
    let (path, folder) = (target.path().display(), folder.display());
    let path = format!("the agent tried to change {path}");
    Ok(HookReply::deny(format!("nothing in {folder} may be changed")).with_system_message(path))
}
