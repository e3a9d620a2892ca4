//! Options of the CLI's process: program, directory, environment, and flags that this version does not know.

use agentwire_protocol::cli;

use super::{
    Options, TraceContext, Warning,
    launch_plan::{LaunchPlan, refuse},
};
use crate::Error;

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

    /// Adds directories, variables, and flags that this version does not know.
    pub(super) fn process_to_cli(&self, plan: &mut LaunchPlan) -> Result<(), Error> {
        self.additional_directories.iter().for_each(|dir| plan.flag("add-dir", Some(dir.display())));
        plan.switch("debug", self.debug && self.debug_file.is_none());
        self.variables_to_cli(plan)?;
        for (name, value) in &self.extra_args {
            check_flag(name, plan)?;
            plan.flag(name, value.as_ref());
            plan.switch(name, value.is_none());
        }
        Ok(())
    }

    /// Adds the variables. Those of `env` take precedence.
    fn variables_to_cli(&self, plan: &mut LaunchPlan) -> Result<(), Error> {
        self.env.iter().try_for_each(|(name, value)| check_variable("env", name, Some(value.as_str())))?;
        self.env_remove.iter().try_for_each(|name| check_variable("envRemove", name, None))?;
        if self.enable_file_checkpointing {
            plan.env.insert(cli::env::FILE_CHECKPOINTING.to_owned(), "true".to_owned());
        }
        if let Some(app) = &self.client_app {
            check_variable("clientApp", cli::env::CLIENT_APP, Some(app))?;
            plan.env.insert(cli::env::CLIENT_APP.to_owned(), app.clone());
        }
        if let Some(trace) = &self.trace_context {
            plan.trace(trace);
        }
        for (variable, option) in [
            (cli::env::CLIENT_APP, "clientApp"),
            (cli::env::FILE_CHECKPOINTING, "enableFileCheckpointing"),
            (cli::env::TRACEPARENT, "traceContext"),
        ] {
            if self.env.contains_key(variable) && plan.env.contains_key(variable) {
                plan.warn(Warning::Overridden { option, by: "env" });
            }
        }
        plan.env.extend(self.env.clone());
        plan.env_remove.extend(self.env_remove.clone());
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
        let why = format!("{name:?} is not the name of a flag; write it without dashes and its value apart");
        return refuse("extraArgs", why);
    }
    if to.has_flag(name) {
        let why = format!("`--{name}` is set already, by an option of its own or by the protocol itself");
        return refuse("extraArgs", why);
    }
    Ok(())
}

/// Checks a variable. Errors never contain the value, which may be a key.
fn check_variable(option: &'static str, name: &str, value: Option<&str>) -> Result<(), Error> {
    if name.is_empty() || name.contains(['=', '\0']) {
        return refuse(option, format!("{name:?} is not the name of a variable"));
    }
    if value.is_some_and(|value| value.contains('\0')) {
        return refuse(option, format!("the value of {name:?} holds a NUL byte"));
    }
    Ok(())
}
