//! Recipe `env-files`: denies access to `.env` files.

use std::{fs, future::ready, io, path::Path};

use agentwire::{
    hooks::{Hooks, Matcher},
    protocol::hook::{HookReply, PreToolUse, PreToolUseInput},
};

use super::paths::{READERS, Target, WRITERS};

/// Denies the CLI's own tools every file named `.env` or `.env.*`, also through relative paths, `..`, links and capital
/// letters.
///
/// A search of a folder that contains such a file is denied too: it may print the file's lines, and its result reveals
/// the contents.
///
/// Not covered: `Bash` and `Monitor`, for which `cat .env` is one spelling of many, tools of MCP servers, and files
/// that a prompt names with `@`, which the CLI reads without a tool.
/// Remove those tools, or run the CLI in a sandbox without such files.
pub(crate) fn protect(hooks: Hooks) -> Hooks {
    let tools = Matcher::tools(READERS.iter().chain(&WRITERS));
    hooks.on_matching(PreToolUse, tools, |input, _cx| ready(judge(&input)))
}

/// An error denies the call too: nothing is opened if the input can't be parsed.
pub(super) fn judge(input: &PreToolUseInput) -> Result<HookReply<PreToolUse>, String> {
    let target = Target::of(input)?;
    if target.may_be_called(is_secret) {
        return Ok(HookReply::deny("files called .env hold secrets: work without them"));
    }
    if input.tool_name == "Grep" && holds_secrets(target.path())? {
        return Ok(HookReply::deny("there are files called .env: search a folder without them, or one file"));
    }
    Ok(HookReply::proceed())
}

/// Returns whether the folder contains such a file, at any depth.
fn holds_secrets(folder: &Path) -> Result<bool, String> {
    let cannot = |error: io::Error| format!("{} can't be looked through: {error}", folder.display());
    let (mut folders, mut left) = (vec![folder.to_owned()], MAX_ENTRIES);
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
/// The maximum number of files and folders to inspect before a search.
const MAX_ENTRIES: usize = 100_000;
