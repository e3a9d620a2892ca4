//! Properties of a whole answer of the API, besides its blocks and token counts.

mod container;
mod context_management;
mod diagnostics;
mod input_transformation;
mod stop;

pub use container::{Container, ContainerSkill, SkillSource};
pub use context_management::{ClearedThinking, ClearedToolUses, ContextEdit, ContextManagement};
pub use diagnostics::{CacheMiss, CacheMissReason, CacheMissUnmeasured, Diagnostics};
pub use input_transformation::{BindingMismatch, InputTransformation, TransformedThinking};
pub use stop::{Refusal, RefusalCategory, StopDetails, StopReason};
