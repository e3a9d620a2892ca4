//! Recipe `system-folders`: files of the system are not changed, and the user is told of the attempt.

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

/// Refuses the CLI's own writing tools everything in these folders, and shows the user a notice.
///
/// `..`, relative paths and links that lead into the folders are seen.
/// Not covered: `Bash` and `Monitor`, and tools of MCP servers.
///
/// # Errors
///
/// When a folder is not there: a guard of nothing would be no guard.
pub(crate) fn protect<I>(hooks: Hooks, folders: I) -> io::Result<Hooks>
where
    I: IntoIterator,
    I::Item: AsRef<Path>,
{
    let folders = folders.into_iter().map(fs::canonicalize).collect::<io::Result<Vec<_>>>()?;
    Ok(hooks
        .on_matching(PreToolUse, Matcher::tools(WRITERS), move |input, _cx| ready(judge(&input, &folders))))
}

/// An error refuses too.
pub(super) fn judge(input: &PreToolUseInput, folders: &[PathBuf]) -> Result<HookReply<PreToolUse>, String> {
    let target = Target::of(input)?;
    let Some(folder) = folders.iter().find(|folder| target.may_be_in(folder)) else {
        return Ok(HookReply::proceed());
    };
    let (path, folder) = (target.told().display(), folder.display());
    let told = format!("the agent tried to change {path}");
    Ok(HookReply::deny(format!("nothing in {folder} may be changed")).with_system_message(told))
}
