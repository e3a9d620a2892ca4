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
            if name.is_empty() || name.starts_with('-') || name.contains('=') {
                let why = format!("`{name}` is no flag's name; write it without dashes and its value apart");
                return Err(Error::Options { option: "extraArgs", why });
            }
            match value {
                Some(value) => to.flag(name, Some(value)),
                None => to.switch(name, true),
            }
        }
        to.env.extend(self.0.env.clone());
        to.env_remove.extend(self.0.env_remove.clone());
        Ok(())
    }
}
