//! The declared names, in a file of the repository, so that coverage needs no npm.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::drift::foreign;
use crate::failure::{Failure, While as _};
use crate::typescript::{Declarations, Sampler};

/// The declared names, as the wire has them; written by `cargo xtask drift --write`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Names {
    /// Each kind of the SDK's messages, as `system/init`, by its declaration.
    pub(crate) messages: BTreeMap<String, String>,
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
            names.messages.insert(arm, kind);
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
        serde_json::from_str(&text).while_doing(|| format!("parsing {}", file.display()))
    }

    pub(super) fn write(&self, root: &Path) -> Result<(), Failure> {
        let file = root.join(FILE);
        fs::write(&file, serde_json::to_string_pretty(self)? + "\n")
            .while_doing(|| format!("writing {}", file.display()))
    }
}

const FILE: &str = "xtask/src/drift/declared.json";
