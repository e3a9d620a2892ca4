//! Recipe `env-files`: nothing is read from `.env` files, or written to them.

use std::future::ready;

use agentwire::{
    hooks::{Hooks, Matcher},
    protocol::hook::{HookReply, PreToolUse, PreToolUseInput},
};

use super::paths::{READERS, Target, WRITERS, fields};

/// Refuses the CLI's own tools every file that is called `.env` or `.env.` and something, whatever leads to it: a
/// relative path, `..`, a link, capital letters.
///
/// A search that prints lines is let through only where it names one file.
///
/// Not covered: `Bash` and `Monitor`, for which `cat .env` is but one spelling of many, and tools of MCP servers.
/// Take those from the model, or run the CLI in a sandbox where there are no such files.
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
    if &*input.tool_name == "Grep" && !target.told().is_file() {
        let fields = fields(input)?;
        let mode = fields.get("output_mode").map_or(Some("files_with_matches"), |mode| mode.as_str());
        let names_one =
            fields.get("glob").is_some_and(|glob| glob.as_str().is_none_or(|glob| glob.contains(NAME)));
        if names_one || !matches!(mode, Some("files_with_matches" | "count")) {
            return Ok(HookReply::deny("it may print secrets: search one file, or ask for names alone"));
        }
    }
    Ok(HookReply::proceed())
}

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.strip_prefix(NAME).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

const NAME: &str = ".env";
