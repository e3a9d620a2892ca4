//! Recipe `prompt-context`: the model is told something beside each prompt.

use std::{future::ready, io::Read, path::Path};

use agentwire::{
    hooks::Hooks,
    protocol::hook::{HookReply, UserPromptSubmit},
};

/// Tells the model the branch that the project is on, beside each prompt; no message shows it.
///
/// A name of a branch comes from outside, and the model reads it as it reads the host's words: what is no plain name is
/// left out.
/// The same goes for all text that you add: never add what somebody else may write freely.
///
/// Not covered: a folder that is no repository of its own (a worktree, a folder below), where nothing is added.
/// A failing hook of this event blocks the prompt, so what goes wrong here is left out too.
pub(crate) fn branch(hooks: Hooks) -> Hooks {
    hooks.on(UserPromptSubmit, |input, _cx| {
        let branch = branch_of(Path::new(&input.cwd));
        let told =
            branch.map(|branch| HookReply::context(format!("The project is on the branch `{branch}`.")));
        ready(told.unwrap_or_else(HookReply::<UserPromptSubmit>::proceed))
    })
}

pub(super) fn branch_of(project: &Path) -> Option<String> {
    let (path, mut head) = (project.join(".git/HEAD"), String::new());
    // To open a pipe would be to wait for its other end.
    if !path.is_file() {
        return None;
    }
    std::fs::File::open(path).ok()?.take(LONGEST).read_to_string(&mut head).ok()?;
    let name = head.strip_suffix('\n')?.strip_prefix("ref: refs/heads/")?;
    let plain = name.chars().all(|char| char.is_ascii_alphanumeric() || "-_./".contains(char));
    plain.then(|| name.to_owned())
}

/// The most that is read, in bytes.
const LONGEST: u64 = 120;
