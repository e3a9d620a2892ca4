//! The entry points of the fuzz targets for configuration files.

use std::path::PathBuf;
use std::sync::Arc;

use crate::{Edit, EditRefusal, Origin, env_file, file};

/// Returns the text of a file with this change.
///
/// # Errors
///
/// If the text does not allow the change.
pub fn edit(edit: &Edit, server: &str, text: &str) -> Result<String, EditRefusal> {
    edit.apply(server, text, "mcpServers")
}

/// Returns the names of the servers that a file configures.
pub fn servers(text: &str) -> Vec<String> {
    let text = text.trim_start_matches('\u{feff}');
    let contents = file::parse(text, &Origin::Project(Arc::new(PathBuf::from(".mcp.json"))), None);
    contents.servers.iter().map(|entry| entry.name.as_str().to_owned()).collect()
}

/// Returns the variables of an env file, and the numbers of the lines that are invalid.
pub fn env_file(text: &str) -> (Vec<(String, String)>, Vec<usize>) {
    env_file::parse(text)
}
