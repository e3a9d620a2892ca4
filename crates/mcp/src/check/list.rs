//! Lists a server's tools, page by page.

use std::{collections::HashMap, sync::Arc};

use agentwire_control::panics::{catch_panic, excerpt};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Schema, ToolSchemas, Tools};
use crate::{
    ServerInstance,
    rpc::{self, Response},
};

/// Returns all tools of the server with their schemas.
pub(super) async fn tools(
    server: &dyn ServerInstance,
    mut next_id: impl FnMut() -> String,
) -> Result<Tools, String> {
    let mut tools = HashMap::new();
    let mut cursor = None;
    for _ in 0..MAX_PAGES {
        let page = page(server, &next_id(), cursor).await?;
        tools.extend(page.tools.into_iter().map(|ListedTool { name, input_schema, output_schema }| {
            // A tool without a schema accepts any input.
            let input = Schema::new(input_schema.unwrap_or(Value::Bool(true)));
            (name, ToolSchemas { input, output: output_schema.map(|schema| Arc::new(Schema::new(schema))) })
        }));
        cursor = page.next_cursor;
        if cursor.is_none() {
            return Ok(tools);
        }
    }
    Err(format!("the server's list of tools has more than {MAX_PAGES} pages"))
}

async fn page(server: &dyn ServerInstance, id: &str, cursor: Option<String>) -> Result<Page, String> {
    let params = cursor.map_or_else(|| json!({}), |cursor| json!({"cursor": cursor}));
    let request = rpc::request(id, "tools/list", params);
    let answer = catch_panic(async { server.handle(request).await }).await;
    let answer = answer.map_err(|panic| format!("the server panicked when asked for its tools: {panic}"))?;
    let answer = answer.ok_or("the server did not list its tools")?;
    match answer.decode() {
        Ok(Response { result: Some(page), .. }) => Ok(page),
        Ok(Response { error, .. }) => {
            let why = error
                .map_or_else(|| "it gave neither a result nor an error".to_owned(), |error| error.message);
            Err(format!("the server can't list its tools: {}", excerpt(&why)))
        }
        Err(error) => Err(format!("the server's list of tools can't be read: {error}")),
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page {
    tools: Vec<ListedTool>,
    next_cursor: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ListedTool {
    name: Box<str>,
    input_schema: Option<Value>,
    output_schema: Option<Value>,
}

/// The page limit, in case a server's cursor never ends.
const MAX_PAGES: usize = 100;
