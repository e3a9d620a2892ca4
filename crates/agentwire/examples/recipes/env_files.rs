//! Recipe `env-files`: nothing is read from `.env` files, or written to them.

use std::{fs, future::ready, io, path::Path};

use agentwire::{
    hooks::{Hooks, Matcher},
    protocol::hook::{HookReply, PreToolUse, PreToolUseInput},
};

use super::paths::{READERS, Target, WRITERS};

/// Refuses the CLI's own tools every file that is called `.env` or `.env.` and something, whatever leads to it: a
/// relative path, `..`, a link, capital letters.
///
/// A search of a folder with such a file in it is refused too: it may print the file's lines, and whether it finds the file
/// tells what is in there.
///
/// Not covered: `Bash` and `Monitor`, for which `cat .env` is but one spelling of many, and tools of MCP servers.
/// Take those from the model, or run the CLI in a sandbox where there are no such files.
/// Nor files that a prompt names with an `@`, which the CLI reads without a tool.
pub(crate) fn protect(hooks: Hooks) -> Hooks {
    let tools = Matcher::tools(READERS.iter().chain(&WRITERS));
    hooks.on_matching(PreToolUse, tools, |input, _cx| ready(judge(&input)))
}

/// An error refuses too: where the input does not tell, nothing is opened.
pub(super) fn judge(input: &PreToolUseInput) -> Result<HookReply<PreToolUse>, String> {
    let target = Target::of(input)?;
    if target.may_be_called(is_secret) {
        return Ok(HookReply::deny("files called .env hold secrets: work without them"));
    }
    if input.tool_name == "Grep" && holds_secrets(target.told())? {
        return Ok(HookReply::deny("there are files called .env: search a folder without them, or one file"));
    }
    Ok(HookReply::proceed())
}

/// Whether there is such a file in the folder, or below it.
fn holds_secrets(folder: &Path) -> Result<bool, String> {
    let cannot = |error: io::Error| format!("{} can't be looked through: {error}", folder.display());
    let (mut folders, mut left) = (vec![folder.to_owned()], MOST);
    while let Some(folder) = folders.pop() {
        if !folder.is_dir() {
            continue;
        }
        for entry in fs::read_dir(&folder).map_err(cannot)? {
            let entry = entry.map_err(cannot)?;
            left = left
                .checked_sub(1)
                .ok_or("the folder is too large to be looked through: search a smaller one")?;
            if is_secret(&entry.file_name().to_string_lossy()) {
                return Ok(true);
            }
            // A search does not follow links.
            if entry.file_type().map_err(cannot)?.is_dir() {
                folders.push(entry.path());
            }
        }
    }
    Ok(false)
}

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.strip_prefix(NAME).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

const NAME: &str = ".env";
/// The most files and folders that are looked at before a search.
const MOST: usize = 100_000;
