//! Recipe `read-only`: reading within the project needs no question.

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

/// Approves the CLI's own reading tools for what lies in this folder, links followed; an input without a path is
/// refused.
///
/// All else is left to rules, the mode, and who is asked: reading elsewhere, and every other tool.
/// Denials of other hooks and of rules still count.
///
/// Not covered: secrets within the folder (see `env-files`).
/// Tools of MCP servers that call themselves read-only are not taken at their word.
///
/// # Errors
///
/// When the folder is not there.
pub(crate) fn approve(hooks: Hooks, folder: impl AsRef<Path>) -> io::Result<Hooks> {
    let folder = fs::canonicalize(folder)?;
    Ok(hooks
        .on_matching(PreToolUse, Matcher::tools(READERS), move |input, _cx| ready(judge(&input, &folder))))
}

/// An error refuses.
pub(super) fn judge(input: &PreToolUseInput, folder: &Path) -> Result<HookReply<PreToolUse>, String> {
    let stays = Target::of(input)?.is_in(folder) && patterns_stay(input)?;
    Ok(if stays { HookReply::allow() } else { HookReply::proceed() })
}

/// Whether no pattern of a search for files leads elsewhere, as `/etc/*` does.
fn patterns_stay(input: &PreToolUseInput) -> Result<bool, String> {
    let fields = fields(input)?;
    let name = match &*input.tool_name {
        "Glob" => "pattern",
        "Grep" => "glob",
        _ => return Ok(true),
    };
    let Some(pattern) = fields.get(name) else { return Ok(true) };
    let Some(pattern) = pattern.as_str() else { return Err(format!("`{name}` is no text")) };
    let leads_out = |part: Component<'_>| !matches!(part, Component::Normal(_) | Component::CurDir);
    Ok(!pattern.contains(['~', '{']) && !Path::new(pattern).components().any(leads_out))
}
