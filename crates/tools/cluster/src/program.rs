//! Finds, runs and displays other programs.

use std::env;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::failure::{Failure, While as _};

/// Finds this program in `PATH`.
pub fn find(name: &str) -> Option<PathBuf> {
    let file = format!("{name}{}", env::consts::EXE_SUFFIX);
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(&file)).find(|file| file.is_file())
}

/// Runs the command quietly and returns its output; a failure contains its standard error.
pub fn output(command: &mut Command) -> Result<String, Failure> {
    let shown = show(command);
    let output = command.stdin(Stdio::null()).output().while_doing(|| format!("running `{shown}`"))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        return Err(Failure::new(format!("`{shown}` ended with {}:\n{}", output.status, stderr.trim_end())));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs the command with this terminal, and fails if the command fails.
pub fn run(command: &mut Command) -> Result<(), Failure> {
    let shown = show(command);
    let status = command.status().while_doing(|| format!("running `{shown}`"))?;
    if status.success() { Ok(()) } else { Err(Failure::new(format!("`{shown}` ended with {status}"))) }
}

/// Returns whether the command runs and succeeds. Its output is discarded.
pub fn works(command: &mut Command) -> bool {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

/// Returns the command `inner`, started by the program `outer`.
pub fn wrapped(mut outer: Command, inner: &Command) -> Command {
    outer.arg(inner.get_program()).args(inner.get_args());
    for (name, value) in inner.get_envs() {
        match value {
            Some(value) => outer.env(name, value),
            None => outer.env_remove(name),
        };
    }
    if let Some(folder) = inner.get_current_dir() {
        outer.current_dir(folder);
    }
    outer
}

/// Formats the command as it is typed: the variables that it sets, the program's name, the arguments.
pub fn show(command: &Command) -> String {
    let mut words = Vec::new();
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            words.push(format!("{}={}", name.to_string_lossy(), quote(value)));
        }
    }
    let program = PathBuf::from(command.get_program());
    words.push(program.file_name().map_or_else(|| quote(command.get_program()), quote));
    words.extend(command.get_args().map(quote));
    words.join(" ")
}

fn quote(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    if word.is_empty() || word.contains([' ', '"', '\'', '$', '*']) {
        format!("'{}'", word.replace('\'', r"'\''"))
    } else {
        word.into_owned()
    }
}
