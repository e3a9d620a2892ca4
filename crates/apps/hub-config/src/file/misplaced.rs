//! Servers that stand where no server is read.

use jsonc_parser::ast::{Object, ObjectProp, Value};

/// Whether what stands under a key at the top of a file that is not ours has servers in it: is one itself, has some under
/// their names, or under a key of its own as in the settings of VS Code.
///
/// Settings of other programs have commands of all kinds; there it is only the last of these, under VS Code's key.
pub(super) fn has_servers(property: &ObjectProp<'_>, is_settings: bool) -> bool {
    let Value::Object(object) = &property.value else { return false };
    if is_settings {
        return property.name.as_str() == "mcp" && has_section(object);
    }
    is_server(object) || has_servers_in(object) || has_section(object)
}

fn has_section(object: &Object<'_>) -> bool {
    ["mcpServers", "servers"].iter().any(|key| object.get_object(key).is_some_and(has_servers_in))
}

fn has_servers_in(object: &Object<'_>) -> bool {
    object.properties.iter().any(|property| property.value.as_object().is_some_and(is_server))
}

fn is_server(object: &Object<'_>) -> bool {
    ["command", "url"].iter().any(|key| object.get_string(key).is_some())
}
