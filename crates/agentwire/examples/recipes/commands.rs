//! Recipe `commands`: commands that do great harm are not run.

use std::future::ready;

use agentwire::{
    hooks::{Hooks, Matcher},
    protocol::hook::{HookReply, PreToolUse, PreToolUseInput},
};

use super::paths::fields;

/// Refuses `Bash` and `Monitor` the commands that destroy, take over, or run text that can't be seen here.
///
/// What can't be read plainly is refused too: a program whose name is put together (`$X`, `` `…` ``), `eval`, a shell
/// in the shell, `xargs`.
/// Quotes and backslashes hide nothing, and cost a false refusal at worst.
///
/// Not covered: what a script or an interpreter does (`python3 clean.py`, `make clean`), and harm by harmless programs
/// (`mv`, `> file`).
/// A list of what is forbidden is a seat belt and never a lock: for a lock use a sandbox, or [`only`].
pub(crate) fn block_dangerous(hooks: Hooks) -> Hooks {
    hooks.on_matching(PreToolUse, Matcher::tools(TOOLS), |input, _cx| ready(judge(&input, danger)))
}

/// Refuses `Bash` and `Monitor` all but these programs, each without redirections and variables of its own; they are
/// permitted as ever: by rules, the mode, and who is asked.
///
/// Name no program that runs others or writes where it is told, such as `env`, `find`, `git`, `sort` or `tee`.
pub(crate) fn only<I>(hooks: Hooks, programs: I) -> Hooks
where
    I: IntoIterator,
    I::Item: Into<String>,
{
    let programs: Vec<String> = programs.into_iter().map(Into::into).collect();
    hooks.on_matching(PreToolUse, Matcher::tools(TOOLS), move |input, _cx| {
        ready(judge(&input, |words| {
            let known = programs.iter().any(|known| known == words[0]);
            let plain = !words.iter().any(|word| word.contains(['<', '>']));
            (!known || !plain).then(|| format!("`{}` is not what may be run here", words.join(" ")))
        }))
    })
}

/// An error refuses too.
pub(super) fn judge(
    input: &PreToolUseInput,
    objection: impl Fn(&[&str]) -> Option<String>,
) -> Result<HookReply<PreToolUse>, String> {
    let fields = fields(input)?;
    let Some(command) = fields.get("command").and_then(|command| command.as_str()) else {
        return Err(format!("the input of {} has no `command`", input.tool_name));
    };
    // A line that goes on in the next one is one line.
    let bare = command.replace("\\\n", "").replace(['"', '\'', '\\'], "");
    let commands = bare.split(BETWEEN_COMMANDS).map(|one| one.split_whitespace().collect::<Vec<_>>());
    let found = commands.filter(|words| !words.is_empty()).find_map(|words| objection(&words));
    Ok(found.map_or_else(HookReply::proceed, HookReply::deny))
}

pub(super) fn danger(words: &[&str]) -> Option<String> {
    let start = words.iter().position(|word| !BEFORE_COMMANDS.contains(word) && !is_assignment(word))?;
    let (program, rest) = words[start..].split_first()?;
    if program.contains(UNREADABLE) || program.contains('=') || program.starts_with('-') {
        return Some(format!("it can't be told what `{program}` runs: write the program's name out"));
    }
    let name = program.rsplit('/').next().unwrap_or(program);
    let starts = |starts: &[&str]| rest.iter().any(|word| starts.iter().any(|start| word.starts_with(start)));
    let harm = match name {
        "rm" => starts(&["-"]) || rest.iter().any(|word| word.contains(UNREADABLE)),
        "chmod" | "chown" | "chgrp" => starts(&["-"]),
        "find" => starts(&["-delete", "-exec", "-ok"]),
        "git" => rest.iter().any(|word| ["push", "reset", "clean", "filter-branch"].contains(word)),
        _ => NEVER.split(' ').any(|never| never == name) || name.starts_with("mkfs"),
    };
    harm.then(|| format!("`{}` is not run here: ask the user to do it", words.join(" ")))
}

fn is_assignment(word: &str) -> bool {
    let name = word.split_once('=').map(|(name, _)| name);
    let of_a_name = |char: char| char.is_ascii_alphanumeric() || char == '_';
    name.is_some_and(|name| !name.is_empty() && name.chars().all(of_a_name))
}

const TOOLS: [&str; 2] = ["Bash", "Monitor"];

/// Where one command ends and another may begin.
const BETWEEN_COMMANDS: [char; 8] = [';', '&', '|', '\n', '\r', '(', ')', '`'];

/// What may stand before a program's name.
const BEFORE_COMMANDS: &[&str] =
    &["!", "{", "if", "then", "elif", "else", "while", "until", "do", "time", "command", "builtin", "nohup"];

/// What makes the shell put a word together, or takes a word out of the command.
const UNREADABLE: [char; 9] = ['$', '{', '}', '*', '?', '[', '~', '<', '>'];

/// What destroys file systems, ends the machine, makes one another user, or runs what can't be seen here.
const NEVER: &str = "dd shred wipefs fdisk parted shutdown reboot halt poweroff init sudo su doas pkexec eval exec noglob \
    nocorrect repeat source . trap alias function coproc xargs parallel env nice setsid timeout watch \
    chroot unshare nsenter at batch crontab busybox sh bash dash zsh ksh fish";
