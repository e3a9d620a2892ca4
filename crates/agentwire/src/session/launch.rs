//! Turns the options into a process launch: program, command line, environment and private files.

use std::{ffi::OsStr, path::PathBuf};

use agentwire_transport::{
    TransportError,
    process::{Launch, locate},
};

use super::{private_files::PrivateDir, user::User};
use crate::{Error, Options, options::LaunchPlan};

/// Returns the CLI's launch, and the files that must exist while the CLI runs.
pub(super) fn launch(options: &Options, plan: LaunchPlan) -> Result<(Launch, Option<PrivateDir>), Error> {
    let user = options.user.as_deref().map(User::find).transpose()?;
    let files = write(&plan, user)?;
    let dir = files.as_ref().map(|files| files.path().display().to_string()).unwrap_or_default();
    let program = locate(options.path_to_claude_code_executable.as_deref())?;
    let (program, script) = through(options, program);
    let mut launch = Launch::new(program)
        .args(options.executable_args.iter().cloned())
        .args(script)
        .args(plan.args_with_files_in(&dir));
    launch.user = user.map(|user| (user.id, user.group));
    launch.env_clear = options.env_clear;
    if options.cwd.is_some() {
        launch.cwd.clone_from(&options.cwd);
        // The CLI resolves links in its folder. It learns the name with the links only from this variable.
        launch = launch.env("PWD", options.working_dir());
    }
    launch = plan.env_remove.into_iter().fold(launch, Launch::env_remove);
    launch = launch.envs(plan.env);
    if inherited(options, CONFIG_DIR).is_some_and(|dir| dir.is_empty()) {
        // The CLI would take its working folder, which may be untrusted, for its configuration folder.
        launch.env.remove(OsStr::new(CONFIG_DIR));
        launch = launch.env_remove(CONFIG_DIR);
    }
    Ok((launch, files))
}

fn write(plan: &LaunchPlan, user: Option<User>) -> Result<Option<PrivateDir>, Error> {
    if plan.files.is_empty() {
        return Ok(None);
    }
    let action = "writing a file that only the CLI may read";
    let dir = PrivateDir::with_files(&plan.files, user);
    dir.map(Some).map_err(|source| Error::Start(TransportError::Io { action, source }))
}

/// Returns the value of a variable in the CLI's environment.
pub(super) fn inherited(options: &Options, name: &str) -> Option<String> {
    let set = options.env.get(name).cloned();
    set.or_else(|| {
        let passed = !options.env_clear && !options.env_remove.contains(name);
        passed.then(|| std::env::var(name).ok()).flatten()
    })
}

/// Returns the program to run: the CLI, or if that is a script, its runtime with the script as argument.
fn through(options: &Options, cli: PathBuf) -> (PathBuf, Option<PathBuf>) {
    let is_script = cli.extension().is_some_and(|name| SCRIPTS.iter().any(|script| name == *script));
    if !is_script {
        return (cli, None);
    }
    let runtime = options.executable.clone().unwrap_or_else(|| PathBuf::from(SCRIPT_RUNTIME));
    // Make it absolute: the path is relative to our working directory, and the runtime may start in another.
    (runtime, Some(std::path::absolute(&cli).unwrap_or(cli)))
}

const SCRIPTS: &[&str] = &["js", "mjs", "cjs", "jsx", "ts", "tsx"];
const SCRIPT_RUNTIME: &str = "node";
/// The variable for the CLI's configuration folder.
pub(super) const CONFIG_DIR: &str = "CLAUDE_CONFIG_DIR";
