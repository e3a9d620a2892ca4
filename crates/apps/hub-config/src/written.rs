//! Where in its file a server stands, for problems that are found later.

use std::{collections::HashMap, sync::Arc};

use super::{Input, Position};

/// Where in its file a server stands, and what the file has for its variables.
#[derive(Default)]
pub(crate) struct Written {
    /// The path of the server: `mcpServers.git`; empty for one of the program.
    pub(super) path: String,
    /// Where the server stands.
    pub(super) position: Option<Position>,
    /// Where its strings stand, by their paths below the server: `env.TOKEN`.
    pub(super) positions: HashMap<String, Position>,
    /// The file's `inputs` by their ids; of which server they are is not in them yet.
    pub(super) inputs: Arc<HashMap<String, Input>>,
}
