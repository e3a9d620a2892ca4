//! Recipe `sandbox`: what the model writes lands in a folder of its own.

use std::{
    fs,
    future::ready,
    io,
    path::{Component, Path},
};

use agentwire::{
    RawJson,
    hooks::{Hooks, Matcher},
    protocol::hook::{HookReply, PreToolUse, PreToolUseInput},
};
use serde_json::Value;

use super::paths::{Target, WRITERS, fields, path_field};

/// Lets `Write` write below this folder alone: `/a/b` is written to `FOLDER/a/b`, without a question.
///
/// The tool's result names the file that was written, so the model can find it.
/// Tools that change a file are let through, without a question, for files in the folder, and refused elsewhere: they
/// would need the old file.
/// `..` can't climb out, and a link out of the folder is not followed.
///
/// Not covered: `Bash` and `Monitor`, tools of MCP servers, and reading, which goes on everywhere.
///
/// # Errors
///
/// When the folder is not there.
pub(crate) fn redirect(hooks: Hooks, folder: impl AsRef<Path>) -> io::Result<Hooks> {
    let folder = fs::canonicalize(folder)?;
    Ok(hooks
        .on_matching(PreToolUse, Matcher::tools(WRITERS), move |input, _cx| ready(judge(&input, &folder))))
}

/// An error refuses too.
pub(super) fn judge(input: &PreToolUseInput, folder: &Path) -> Result<HookReply<PreToolUse>, String> {
    let target = Target::of(input)?;
    if target.is_in(folder) {
        return Ok(HookReply::allow());
    }
    if input.tool_name != "Write" {
        return Ok(HookReply::deny(format!("only files in {} may be changed", folder.display())));
    }
    let below = target.told().components().filter(|part| matches!(part, Component::Normal(_)));
    let moved = folder.join(below.collect::<std::path::PathBuf>());
    let mut changed = input.clone();
    let mut fields = fields(input)?;
    let path = moved.to_str().ok_or("the sandbox has a path that is no text")?;
    fields.insert(path_field(&input.tool_name).to_owned(), Value::from(path));
    changed.tool_input = RawJson::encode(&fields).map_err(|error| error.to_string())?;
    // Links within the folder may lead out of it.
    if !Target::of(&changed)?.is_in(folder) {
        return Ok(HookReply::deny(format!("{} leads out of the sandbox", moved.display())));
    }
    Ok(HookReply::allow_with_input(changed.tool_input))
}
