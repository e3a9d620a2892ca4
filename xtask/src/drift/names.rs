//! The declared names, in a file of the repository, so that coverage needs no npm.

use std::fs;
use std::path::Path;

use crate::drift::foreign;
use crate::failure::{Failure, While as _};
use crate::typescript::{Declarations, Sampler};

/// The declared names, as the wire has them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Names {
    /// Each kind of the SDK's messages: the declaration and the wire's name, as `system/init`.
    pub(crate) messages: Vec<(String, String)>,
    /// The subtypes of control requests.
    pub(crate) control: Vec<String>,
    /// The hook events.
    pub(crate) hooks: Vec<String>,
}

impl Names {
    pub(super) fn of(declarations: &Declarations) -> Self {
        let sampler = Sampler::new(declarations, foreign::samples());
        let mut names = Self::default();
        for arm in sampler.members("SDKMessage") {
            let kind = sampler.literals(&arm, "type").join("|");
            let subtypes = sampler.literals(&arm, "subtype").join("|");
            let kind = if subtypes.is_empty() { kind } else { format!("{kind}/{subtypes}") };
            names.messages.push((arm, kind));
        }
        let requests = sampler.arms("SDKControlRequestInner");
        names.control = requests.iter().flat_map(|arm| sampler.literals(arm, "subtype")).collect();
        let inputs = sampler.arms("HookInput");
        names.hooks = inputs.iter().flat_map(|arm| sampler.literals(arm, "hook_event_name")).collect();
        names
    }

    pub(crate) fn load(root: &Path) -> Result<Self, Failure> {
        let file = root.join(FILE);
        let text = fs::read_to_string(&file).while_doing(|| format!("reading {}", file.display()))?;
        Ok(Self::parse(&text))
    }

    fn parse(text: &str) -> Self {
        let mut names = Self::default();
        for line in text.lines() {
            match line.split(' ').collect::<Vec<_>>().as_slice() {
                ["message", declaration, kind] => {
                    names.messages.push(((*declaration).to_owned(), (*kind).to_owned()));
                }
                ["control", subtype] => names.control.push((*subtype).to_owned()),
                ["hook", event] => names.hooks.push((*event).to_owned()),
                _ => {}
            }
        }
        names
    }

    pub(super) fn write(&self, root: &Path) -> Result<(), Failure> {
        let file = root.join(FILE);
        fs::write(&file, self.text()).while_doing(|| format!("writing {}", file.display()))
    }

    fn text(&self) -> String {
        let mut text = String::from("# Declared names; written by `cargo xtask drift --write`.\n");
        for (declaration, kind) in &self.messages {
            text.push_str(&format!("message {declaration} {kind}\n"));
        }
        text.extend(self.control.iter().map(|subtype| format!("control {subtype}\n")));
        text.extend(self.hooks.iter().map(|event| format!("hook {event}\n")));
        text
    }
}

const FILE: &str = "xtask/src/drift/declared.txt";
