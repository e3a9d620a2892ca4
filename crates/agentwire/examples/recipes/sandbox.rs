//! Recipe `sandbox`: redirects the model's writes into a folder.

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

/// Restricts `Write` to this existing folder: `/a/b` is written to `FOLDER/a/b`, without a question.
///
/// The tool's result contains the actual path, so the model can find the file.
/// Tools that edit a file are allowed without a question in the folder and denied elsewhere, because they need the
/// original file.
/// `..` can't leave the folder, and links out of it are not followed.
///
/// Not covered: `Bash` and `Monitor`, tools of MCP servers, and reading, which remains allowed everywhere.
pub(crate) fn redirect(hooks: Hooks, folder: impl AsRef<Path>) -> io::Result<Hooks> {
    let folder = fs::canonicalize(folder)?;
    Ok(hooks
        .on_matching(PreToolUse, Matcher::tools(WRITERS), move |input, _cx| ready(judge(&input, &folder))))
}

/// An error denies the call too.
pub(super) fn judge(input: &PreToolUseInput, folder: &Path) -> Result<HookReply<PreToolUse>, String> {
    let target = Target::of(input)?;
    if target.is_in(folder) {
        return Ok(HookReply::allow());
    }
    if input.tool_name != "Write" {
        return Ok(HookReply::deny(format!("only files in {} may be changed", folder.display())));
    }
    let below = target.path().components().filter(|part| matches!(part, Component::Normal(_)));
    let moved = folder.join(below.collect::<std::path::PathBuf>());
    let mut changed = input.clone();
    let mut fields = fields(input)?;
    let path = moved.to_str().ok_or("the sandbox has a path that is not text")?;
    fields.insert(path_field(&input.tool_name).to_owned(), Value::from(path));
    changed.tool_input = RawJson::encode(&fields).map_err(|error| error.to_string())?;
    // Links in the folder may lead out of it.
    if !Target::of(&changed)?.is_in(folder) {
        return Ok(HookReply::deny(format!("{} leads out of the sandbox", moved.display())));
    }
    Ok(HookReply::allow_with_input(changed.tool_input))
}
