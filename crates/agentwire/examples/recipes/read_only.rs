//! Recipe `read-only`: allows reading within the project without a question.

use std::{
    fs,
    future::ready,
    io,
    path::{Component, Path},
};

use agentwire::{
    hooks::{Hooks, Matcher},
    protocol::hook::{HookReply, PreToolUse, PreToolUseInput},
};

use super::paths::{READERS, Target, fields};

/// Approves the CLI's own reading tools within this existing folder, with links resolved; an input without a valid path is
/// denied.
///
/// Rules, the mode and the permission handler decide on everything else: reading elsewhere, and all other tools.
/// Denials by other hooks and by rules still apply.
///
/// Not covered: secrets within the folder (see `env-files`).
/// Tools of MCP servers that declare themselves read-only are not trusted.
pub(crate) fn approve(hooks: Hooks, folder: impl AsRef<Path>) -> io::Result<Hooks> {
    let folder = fs::canonicalize(folder)?;
    Ok(hooks
        .on_matching(PreToolUse, Matcher::tools(READERS), move |input, _cx| ready(judge(&input, &folder))))
}

/// An error denies the call.
pub(super) fn judge(input: &PreToolUseInput, folder: &Path) -> Result<HookReply<PreToolUse>, String> {
    let stays = Target::of(input)?.is_in(folder) && patterns_stay(input)?;
    Ok(if stays { HookReply::allow() } else { HookReply::proceed() })
}

/// Returns whether all patterns of a file search stay in the folder, unlike `/etc/*`.
fn patterns_stay(input: &PreToolUseInput) -> Result<bool, String> {
    let fields = fields(input)?;
    let name = match &*input.tool_name {
        "Glob" => "pattern",
        "Grep" => "glob",
        _ => return Ok(true),
    };
    let Some(pattern) = fields.get(name) else { return Ok(true) };
    let Some(pattern) = pattern.as_str() else { return Err(format!("`{name}` is not text")) };
    let leads_out = |part: Component<'_>| !matches!(part, Component::Normal(_) | Component::CurDir);
    Ok(!pattern.contains(['~', '{']) && !Path::new(pattern).components().any(leads_out))
}
