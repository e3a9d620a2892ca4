//! Where the CLI runs, what it inherits, which settings it reads, and flags that we do not know.

use std::path::PathBuf;

use super::{
    Options, SettingSource,
    argv::Argv,
    lower::{Lower, Lowered},
};
use crate::Error;

pub(super) struct Group<'a>(pub(super) &'a Options);

impl Options {
    /// Sets the working directory.
    #[must_use]
    pub fn cwd(mut self, dir: impl Into<PathBuf>) -> Self {
        self.cwd = Some(dir.into());
        self
    }

    /// Sets the CLI's program.
    #[must_use]
    pub fn path_to_claude_code_executable(mut self, program: impl Into<PathBuf>) -> Self {
        self.path_to_claude_code_executable = Some(program.into());
        self
    }

    /// Sets a variable in the CLI's environment.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.insert(name.into(), value.into());
        self
    }

    /// Takes a variable out of what the CLI inherits.
    #[must_use]
    pub fn env_remove(mut self, name: impl Into<String>) -> Self {
        self.env_remove.insert(name.into());
        self
    }

    /// Lets the CLI inherit nothing: it gets the variables that are set here alone, and those of the protocol.
    #[must_use]
    pub fn env_clear(mut self) -> Self {
        self.env_clear = true;
        self
    }

    /// Sets which settings files are read.
    #[must_use]
    pub fn setting_sources(mut self, sources: impl IntoIterator<Item = SettingSource>) -> Self {
        self.setting_sources = Some(sources.into_iter().collect());
        self
    }

    /// Adds a flag that is newer than this version, without its leading `--`.
    #[must_use]
    pub fn extra_arg(mut self, name: impl Into<String>, value: Option<&str>) -> Self {
        self.extra_args.insert(name.into(), value.map(str::to_owned));
        self
    }
}

impl SettingSource {
    fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
            Self::Local => "local",
        }
    }
}

impl Lower for Group<'_> {
    fn lower(&self, to: &mut Lowered) -> Result<(), Error> {
        if let Some(sources) = &self.0.setting_sources {
            let names: Vec<_> = sources.iter().map(|source| source.as_str()).collect();
            to.flag("setting-sources", Some(names.join(",")));
        }
        for (name, value) in &self.0.extra_args {
            check_flag(name, to)?;
            match value {
                Some(value) => to.flag(name, Some(value)),
                None => to.switch(name, true),
            }
        }
        for (name, value) in &self.0.env {
            check_variable("env", name, Some(value.as_str()))?;
        }
        for name in &self.0.env_remove {
            check_variable("envRemove", name, None)?;
        }
        to.env.extend(self.0.env.clone());
        to.env_remove.extend(self.0.env_remove.clone());
        Ok(())
    }
}

fn check_flag(name: &str, to: &Lowered) -> Result<(), Error> {
    let refuse = |why: String| Err(Error::Options { option: "extraArgs", why });
    let odd = |character: char| character == '=' || character.is_whitespace() || character.is_control();
    if name.is_empty() || name.starts_with('-') || name.contains(odd) {
        return refuse(format!("{name:?} is no flag's name; write it without dashes and its value apart"));
    }
    if to.has_flag(name) {
        return refuse(format!(
            "`--{name}` is set already, by an option of its own or by the protocol itself"
        ));
    }
    Ok(())
}

/// The value is never shown: it may be a key.
fn check_variable(option: &'static str, name: &str, value: Option<&str>) -> Result<(), Error> {
    if name.is_empty() || name.contains(['=', '\0']) {
        return Err(Error::Options { option, why: format!("{name:?} is no variable's name") });
    }
    if value.is_some_and(|value| value.contains('\0')) {
        return Err(Error::Options { option, why: format!("the value of {name:?} holds a NUL byte") });
    }
    Ok(())
}
