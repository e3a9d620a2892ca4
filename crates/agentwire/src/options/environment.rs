//! Options of the CLI's process: program, directory, environment, and flags that this version does not know.

use std::path::PathBuf;

use agentwire_protocol::cli;

use super::{
    Options, TraceContext, Warning,
    argv::Argv,
    launch_plan::{LaunchPlan, ToCli, refuse},
    setters::setters,
};
use crate::Error;

pub(super) struct Group<'a>(pub(super) &'a Options);

setters! {
    some cwd: PathBuf;
    list additional_directories: PathBuf;
    some project_config_root: PathBuf;
    some path_to_claude_code_executable: PathBuf;
    some executable: PathBuf;
    list executable_args: String;
    some user: String;
    some client_app: String;
    on debug;
    some debug_file: PathBuf;
    on enable_file_checkpointing;
    plain max_buffer_size: usize;
    some trace_context: TraceContext;
    plain version_check: bool;
    on env_clear;
}

impl Options {
    /// Sets a variable in the CLI's environment.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.insert(name.into(), value.into());
        self
    }

    /// Removes a variable from the CLI's inherited environment.
    #[must_use]
    pub fn env_remove(mut self, name: impl Into<String>) -> Self {
        self.env_remove.insert(name.into());
        self
    }

    /// Adds a flag that this version does not know, without its leading `--`.
    #[must_use]
    pub fn extra_arg(mut self, name: impl Into<String>, value: Option<&str>) -> Self {
        self.extra_args.insert(name.into(), value.map(str::to_owned));
        self
    }
}

impl ToCli for Group<'_> {
    fn to_cli(&self, to: &mut LaunchPlan) -> Result<(), Error> {
        self.flags(to)?;
        self.variables(to)?;
        for (name, value) in &self.0.extra_args {
            check_flag(name, to)?;
            match value {
                Some(value) => to.flag(name, Some(value)),
                None => to.switch(name, true),
            }
        }
        Ok(())
    }
}

impl Group<'_> {
    fn flags(&self, to: &mut LaunchPlan) -> Result<(), Error> {
        let options = self.0;
        if options.max_buffer_size == Some(0) {
            return refuse("maxBufferSize", "a line has at least one byte");
        }
        if options.project_config_root.as_ref().is_some_and(|root| !root.is_absolute()) {
            return refuse("projectConfigRoot", "the CLI takes an absolute path");
        }
        for dir in &options.additional_directories {
            to.flag("add-dir", Some(dir.display()));
        }
        to.flag("project-config-root", options.project_config_root.as_ref().map(|root| root.display()));
        match &options.debug_file {
            Some(file) => to.flag("debug-file", Some(file.display())),
            None => to.switch("debug", options.debug),
        }
        Ok(())
    }

    fn variables(&self, to: &mut LaunchPlan) -> Result<(), Error> {
        let options = self.0;
        for (name, value) in &options.env {
            check_variable("env", name, Some(value.as_str()))?;
        }
        for name in &options.env_remove {
            check_variable("envRemove", name, None)?;
        }
        if options.enable_file_checkpointing {
            to.env.insert(cli::env::FILE_CHECKPOINTING.to_owned(), "true".to_owned());
        }
        if let Some(app) = &options.client_app {
            check_variable("clientApp", cli::env::CLIENT_APP, Some(app))?;
            to.env.insert(cli::env::CLIENT_APP.to_owned(), app.clone());
        }
        if let Some(trace) = &options.trace_context {
            if !trace.is_well_formed() {
                return refuse("traceContext", "`traceparent` is VERSION-TRACE-SPAN-FLAGS in hexadecimals");
            }
            to.trace(trace);
        }
        for name in options.env.keys() {
            let by_option = [
                (cli::env::FILE_CHECKPOINTING, "enableFileCheckpointing"),
                (cli::env::CLIENT_APP, "clientApp"),
                (cli::env::TRACEPARENT, "traceContext"),
            ];
            for (variable, option) in by_option {
                if name == variable && to.env.contains_key(variable) {
                    to.warn(Warning::Overridden { option, by: "env" });
                }
            }
        }
        to.env.extend(options.env.clone());
        to.env_remove.extend(options.env_remove.clone());
        Ok(())
    }
}

impl LaunchPlan {
    /// Makes the CLI's spans children of this one. An inherited `TRACESTATE` belongs to another trace.
    pub(crate) fn trace(&mut self, trace: &TraceContext) {
        self.env.insert(cli::env::TRACEPARENT.to_owned(), trace.traceparent.clone());
        self.env_remove.insert(cli::env::TRACESTATE.to_owned());
        if let Some(state) = &trace.tracestate {
            self.env.insert(cli::env::TRACESTATE.to_owned(), state.clone());
        }
    }
}

fn check_flag(name: &str, to: &LaunchPlan) -> Result<(), Error> {
    let odd = |character: char| character == '=' || character.is_whitespace() || character.is_control();
    if name.is_empty() || name.starts_with('-') || name.contains(odd) {
        return refuse(
            "extraArgs",
            format!("{name:?} is no flag's name; write it without dashes and its value apart"),
        );
    }
    if to.has_flag(name) {
        return refuse(
            "extraArgs",
            format!("`--{name}` is set already, by an option of its own or by the protocol itself"),
        );
    }
    Ok(())
}

/// Checks a variable. Errors never contain the value, which may be a key.
fn check_variable(option: &'static str, name: &str, value: Option<&str>) -> Result<(), Error> {
    if name.is_empty() || name.contains(['=', '\0']) {
        return refuse(option, format!("{name:?} is no variable's name"));
    }
    if value.is_some_and(|value| value.contains('\0')) {
        return refuse(option, format!("the value of {name:?} holds a NUL byte"));
    }
    Ok(())
}
