//! Recipe `chain`: four handlers for one event, called in order; the first denial is final.

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

/// Passes each write through four handlers: deny `.env` files, deny these `folders`, redirect the rest into the
/// existing `sandbox`, and report the resulting path to `watch`.
///
/// Each handler sees the input as changed by those before it, and none is called after a denial.
/// Handlers registered separately all run at once on the model's original input, and the input changed by one is not
/// checked by the others.
///
/// Not covered: everything that the combined recipes do not cover.
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
        .then(move |input, _cx| ready(Target::of(&input).map(|target| watch(target.path()))));
    Ok(hooks.on_matching(PreToolUse, Matcher::tools(WRITERS), chain.in_order()))
}
