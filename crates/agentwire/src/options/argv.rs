//! Writes flags, always as `--flag=value`, so that no value can be mistaken for a flag.

use std::fmt::Display;

/// A list of arguments.
pub(super) trait Argv {
    /// Adds one argument unchanged.
    fn push(&mut self, arg: String);

    /// Adds `--name=value` if there is a value.
    fn flag(&mut self, name: &str, value: Option<impl Display>) {
        if let Some(value) = value {
            self.push(format!("--{name}={value}"));
        }
    }

    /// Adds `--name` if it is switched on.
    fn switch(&mut self, name: &str, on: bool) {
        if on {
            self.push(format!("--{name}"));
        }
    }

    /// Adds `--name=a,b` if there are values.
    fn list(&mut self, name: &str, values: &[String]) {
        self.flag(name, (!values.is_empty()).then(|| values.join(",")));
    }
}
