//! Tools, and how their use is permitted.

use agentwire_protocol::PermissionMode;

use super::{
    Options,
    argv::Argv,
    lower::{Lower, Lowered},
};
use crate::Error;

pub(super) struct Group<'a>(pub(super) &'a Options);

impl Options {
    /// Sets how tool uses are permitted at first.
    #[must_use]
    pub fn permission_mode(mut self, mode: PermissionMode) -> Self {
        self.permission_mode = Some(mode);
        self
    }

    /// Lets these tool uses pass without a question; a permission callback is not asked about them.
    #[must_use]
    pub fn allowed_tools<T: Into<String>>(mut self, rules: impl IntoIterator<Item = T>) -> Self {
        self.allowed_tools = rules.into_iter().map(Into::into).collect();
        self
    }

    /// Takes these tools away.
    #[must_use]
    pub fn disallowed_tools<T: Into<String>>(mut self, rules: impl IntoIterator<Item = T>) -> Self {
        self.disallowed_tools = rules.into_iter().map(Into::into).collect();
        self
    }
}

impl Lower for Group<'_> {
    fn lower(&self, to: &mut Lowered) -> Result<(), Error> {
        check("allowedTools", &self.0.allowed_tools)?;
        check("disallowedTools", &self.0.disallowed_tools)?;
        to.flag("permission-mode", self.0.permission_mode.as_ref());
        to.list("allowedTools", &self.0.allowed_tools);
        to.list("disallowedTools", &self.0.disallowed_tools);
        Ok(())
    }
}

fn check(option: &'static str, rules: &[String]) -> Result<(), Error> {
    if rules.iter().any(|rule| rule.trim().is_empty()) {
        return Err(Error::Options { option, why: "a rule is not empty".to_owned() });
    }
    Ok(())
}
