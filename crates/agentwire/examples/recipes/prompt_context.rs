//! Recipe `prompt-context`: adds text for the model to each prompt.

use std::{future::ready, io::Read, path::Path};

use agentwire::{
    hooks::Hooks,
    protocol::hook::{HookReply, UserPromptSubmit},
};

/// Adds the project's current branch to each prompt; no message shows it.
///
/// The name of a branch comes from outside, and the model trusts it like the host's text, so names with unusual
/// characters are left out.
/// This applies to all text that you add: never add text that other people may write freely.
///
/// Not covered: a folder that is not the root of a repository (a worktree, a subfolder); nothing is added there.
/// A failing hook of this event blocks the prompt, so errors are ignored.
pub(crate) fn branch(hooks: Hooks) -> Hooks {
    hooks.on(UserPromptSubmit, |input, _cx| {
        let branch = branch_of(Path::new(&input.cwd));
        let reply =
            branch.map(|branch| HookReply::context(format!("The project is on the branch `{branch}`.")));
        ready(reply.unwrap_or_else(HookReply::<UserPromptSubmit>::proceed))
    })
}

pub(super) fn branch_of(project: &Path) -> Option<String> {
    let (path, mut head) = (project.join(".git/HEAD"), String::new());
    // Opening a pipe would block until its other end is opened.
    if !path.is_file() {
        return None;
    }
    std::fs::File::open(path).ok()?.take(MAX_BYTES).read_to_string(&mut head).ok()?;
    let name = head.strip_suffix('\n')?.strip_prefix("ref: refs/heads/")?;
    let plain = name.chars().all(|char| char.is_ascii_alphanumeric() || "-_./".contains(char));
    plain.then(|| name.to_owned())
}

/// The maximum number of bytes to read.
const MAX_BYTES: u64 = 120;
