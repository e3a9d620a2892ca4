//! The program to start, and the errors of starting it.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    fmt, io,
    os::unix::{fs::PermissionsExt, process::CommandExt},
    path::{Path, PathBuf},
    process::{Child, Command},
};

use crate::error::TransportError;

/// A program to start, with its arguments, environment, directory and user.
///
/// `Debug` shows the names of environment variables and hides their values.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Launch {
    /// The program. A bare name is searched in `PATH`; a relative path is relative to this program's working directory.
    pub program: PathBuf,
    /// Its arguments, without the program itself.
    pub args: Vec<OsString>,
    /// Environment variables to set.
    pub env: BTreeMap<OsString, OsString>,
    /// Environment variables that are not inherited. A variable that is also in `env` is set.
    pub env_remove: Vec<OsString>,
    /// Whether no variable is inherited.
    pub env_clear: bool,
    /// The working directory. `None` inherits it.
    pub cwd: Option<PathBuf>,
    /// The numeric user and group. `None` inherits them.
    pub user: Option<(u32, u32)>,
}

impl Launch {
    /// Creates a launch without arguments that inherits directory and environment.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            env: BTreeMap::new(),
            env_remove: Vec::new(),
            env_clear: false,
            cwd: None,
            user: None,
        }
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets an environment variable.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.insert(name.into(), value.into());
        self
    }

    /// Sets environment variables.
    #[must_use]
    pub fn envs<N: Into<OsString>, V: Into<OsString>>(
        self,
        variables: impl IntoIterator<Item = (N, V)>,
    ) -> Self {
        variables.into_iter().fold(self, |launch, (name, value)| launch.env(name, value))
    }

    /// Excludes an environment variable from those inherited.
    #[must_use]
    pub fn env_remove(mut self, name: impl Into<OsString>) -> Self {
        self.env_remove.push(name.into());
        self
    }

    /// Inherits no environment variable.
    #[must_use]
    pub fn env_clear(mut self) -> Self {
        self.env_clear = true;
        self
    }

    /// Sets the working directory.
    #[must_use]
    pub fn cwd(mut self, dir: impl Into<PathBuf>) -> Self {
        self.cwd = Some(dir.into());
        self
    }

    /// Sets the numeric user and group. The program runs in no other group.
    ///
    /// Requires the privilege to change users; otherwise starting fails.
    #[must_use]
    pub fn user(mut self, user: u32, group: u32) -> Self {
        self.user = Some((user, group));
        self
    }

    /// Starts the program in a process group of its own; `wire` sets its stdio.
    pub(super) fn spawn(&self, wire: impl FnOnce(&mut Command)) -> Result<Child, TransportError> {
        if let Some(dir) = &self.cwd
            && !dir.is_dir()
        {
            return Err(TransportError::NoSuchDirectory { dir: dir.clone() });
        }
        let mut command = self.command();
        wire(&mut command);
        // Dropping the command closes our copies of the child's ends.
        command.spawn().map_err(|error| self.explain(error))
    }

    fn command(&self) -> Command {
        let mut command = Command::new(self.absolute_program());
        command.args(&self.args).process_group(0);
        if self.env_clear {
            command.env_clear();
        }
        for name in &self.env_remove {
            command.env_remove(name);
        }
        command.envs(&self.env);
        if let Some(dir) = &self.cwd {
            command.current_dir(dir);
        }
        if let Some((user, group)) = self.user {
            command.uid(user).gid(group);
        }
        command
    }

    /// Makes a relative path absolute: the system would resolve it in the child's working directory.
    fn absolute_program(&self) -> PathBuf {
        if is_bare_name(&self.program) {
            return self.program.clone();
        }
        std::path::absolute(&self.program).unwrap_or_else(|_| self.program.clone())
    }

    fn explain(&self, source: io::Error) -> TransportError {
        let program = self.program.clone();
        match source.kind() {
            io::ErrorKind::ArgumentListTooLong => TransportError::ArgumentsTooLong { bytes: self.length() },
            // A script fails with the same error if its interpreter is missing.
            io::ErrorKind::NotFound if !self.exists() => TransportError::NoSuchProgram { program },
            io::ErrorKind::PermissionDenied if program.exists() && !is_executable(&program) => {
                TransportError::NotExecutable { program }
            }
            _ => TransportError::Spawn { program, source },
        }
    }

    /// Returns whether the program exists. A bare name is searched in the `PATH` that the program gets.
    fn exists(&self) -> bool {
        if !is_bare_name(&self.program) {
            return self.program.exists();
        }
        let name = OsString::from("PATH");
        let is_inherited = !self.env_clear && !self.env_remove.contains(&name);
        let inherited = || std::env::var_os(&name).filter(|_| is_inherited);
        let path = self.env.get(&name).cloned().or_else(inherited);
        path.is_some_and(|path| std::env::split_paths(&path).any(|dir| dir.join(&self.program).exists()))
    }

    /// Returns the length of all arguments and environment entries as the system counts it, with terminators.
    fn length(&self) -> usize {
        let entry = |name: &OsStr, value: &OsStr| name.len() + 1 + value.len() + 1;
        let args = std::iter::once(self.program.as_os_str()).chain(self.args.iter().map(OsString::as_os_str));
        let inherited: usize = std::env::vars_os()
            .filter(|(name, _)| {
                !self.env_clear && !self.env_remove.contains(name) && !self.env.contains_key(name)
            })
            .map(|(name, value)| entry(&name, &value))
            .sum();
        let set: usize = self.env.iter().map(|(name, value)| entry(name, value)).sum();
        args.map(|arg| arg.len() + 1).sum::<usize>() + inherited + set
    }
}

impl fmt::Debug for Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: BTreeMap<_, _> = self.env.keys().map(|name| (name, format_args!("<redacted>"))).collect();
        f.debug_struct("Launch")
            .field("program", &self.program)
            .field("args", &self.args)
            .field("env", &names)
            .field("env_remove", &self.env_remove)
            .field("env_clear", &self.env_clear)
            .field("cwd", &self.cwd)
            .field("user", &self.user)
            .finish()
    }
}

pub(super) fn is_bare_name(program: &Path) -> bool {
    program.parent().is_some_and(|parent| parent.as_os_str().is_empty())
}

/// Returns whether any user may execute the file. Starting it shows whether this user may.
pub(super) fn is_executable(program: &Path) -> bool {
    program.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bare_name_is_not_searched_in_a_path_that_is_not_inherited() {
        let shell = Launch::new("sh");
        assert!(shell.exists());
        assert!(!shell.clone().env_remove("PATH").exists());
        assert!(!shell.clone().env_clear().exists());
        assert!(shell.env_clear().env("PATH", "/bin").exists());
    }
}
