//! Writing flags: always `--flag=value`, so that no value can be taken for a flag.

use std::fmt::Display;

/// Something that flags are added to.
pub(super) trait Argv {
    /// Adds one argument as it is.
    fn push(&mut self, arg: String);

    /// Adds `--name=value`, where there is a value.
    fn flag(&mut self, name: &str, value: Option<impl Display>) {
        if let Some(value) = value {
            self.push(format!("--{name}={value}"));
        }
    }

    /// Adds `--name`, where it is switched on.
    fn switch(&mut self, name: &str, on: bool) {
        if on {
            self.push(format!("--{name}"));
        }
    }

    /// Adds `--name=a,b`, where there is anything.
    fn list(&mut self, name: &str, values: &[String]) {
        self.flag(name, (!values.is_empty()).then(|| values.join(",")));
    }
}
