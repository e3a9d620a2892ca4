//! Recipe `chain`: four handlers for one event, asked in order, of which the first refusal is the last word.

use std::{
    fs,
    future::ready,
    io,
    path::{Path, PathBuf},
};

use agentwire::{
    hooks::{Handlers, Hooks, Matcher},
    protocol::hook::PreToolUse,
};

use super::{
    env_files,
    paths::{Target, WRITERS},
    sandbox, system_folders,
};

/// Has each write pass four handlers: no `.env` files, nothing in these `folders`, the rest into the `sandbox`, and
/// then `watch` is told the path that is really written.
///
/// Each sees the input as those before have changed it, and none behind a refusal is asked.
/// Handlers that are registered one by one are all asked at once instead, with the input as the model gave it, and a
/// changed input of one is not checked by the others.
///
/// Not covered: what the recipes in it do not cover.
///
/// # Errors
///
/// When a folder is not there.
pub(crate) fn guard(
    hooks: Hooks,
    folders: &[PathBuf],
    sandbox: impl AsRef<Path>,
    watch: impl Fn(&Path) + Send + Sync + 'static,
) -> io::Result<Hooks> {
    let folders = folders.iter().map(fs::canonicalize).collect::<io::Result<Vec<_>>>()?;
    let sandbox = fs::canonicalize(sandbox)?;
    let chain = Handlers::of(PreToolUse)
        .then(|input, _cx| ready(env_files::judge(&input)))
        .then(move |input, _cx| ready(system_folders::judge(&input, &folders)))
        .then(move |input, _cx| ready(sandbox::judge(&input, &sandbox)))
        .then(move |input, _cx| ready(Target::of(&input).map(|target| watch(target.told()))));
    Ok(hooks.on_matching(PreToolUse, Matcher::tools(WRITERS), chain.in_order()))
}
