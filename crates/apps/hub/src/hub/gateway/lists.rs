//! The items of a list as a client receives them, and its pages.

use std::{borrow::Cow, iter, sync::Arc};

use agentwire_hub_names::Rewrite;
use rmcp::{
    ErrorData,
    model::{PaginatedRequestParams, Tool},
};
use serde::Serialize;

use crate::{NamedTool, Offers, size::size};

/// Returns a tool under its unique name. The CLI drops all tools of a server if the schema of one has no type.
pub(super) fn listed(tool: &NamedTool, offers: &Offers) -> Tool {
    let mut listed = tool.tool.clone();
    listed.name = Cow::Owned(tool.name.to_string());
    let schemas = iter::once(&mut listed.input_schema).chain(&mut listed.output_schema);
    schemas.for_each(|schema| _ = Arc::make_mut(schema).entry("type").or_insert_with(|| "object".into()));
    let rewrite = Rewrite { uris: offers.uris(), server: &tool.server, requested: None };
    listed.meta.iter_mut().for_each(|meta| rewrite.view(meta));
    listed
}

/// Returns all tools under their unique names.
pub(super) fn listed_tools(offers: &Offers) -> Vec<Tool> {
    offers.tools().iter().map(|tool| listed(tool, offers)).collect()
}

/// Returns the number of the first item of a page.
pub(super) fn first_item(request: Option<PaginatedRequestParams>) -> Result<usize, ErrorData> {
    // Some clients send an empty cursor for the first page.
    let cursor = request.and_then(|page| page.cursor).filter(|cursor| !cursor.is_empty());
    let Some(cursor) = cursor else { return Ok(0) };
    let first = cursor.strip_prefix(CURSOR).and_then(|number| number.parse().ok());
    first.ok_or_else(|| ErrorData::invalid_params("the cursor is not known", None))
}

/// Returns the items of a page, and the cursor of the next page.
pub(super) fn page<T: Serialize>(items: Vec<T>, first: usize) -> (Vec<T>, Option<String>) {
    let (mut page, mut bytes) = (Vec::new(), 0);
    for (number, item) in items.into_iter().enumerate().skip(first) {
        bytes += size(&item);
        if bytes > MAX_PAGE && !page.is_empty() {
            return (page, Some(format!("{CURSOR}{number}")));
        }
        page.push(item);
    }
    (page, None)
}

const CURSOR: &str = "item-";
/// The maximum size of a page, in bytes. The TypeScript SDK ends a connection over stdio with 10 MiB of unread input.
const MAX_PAGE: usize = 7 << 20;
