//! The part of a prompt that describes the connected servers.

use std::fmt::Write as _;

use agentwire_net::head;
use rmcp::model::{Resource, ResourceTemplate};
use serde_json::Value;

use super::{
    CallForm,
    fence::{code, fenced},
};
use crate::{NamedTool, ServerName};

/// The description of a server in a prompt.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DescribedServer {
    /// Its name.
    pub name: ServerName,
    /// Its instructions.
    pub instructions: Option<String>,
    /// Its callable tools.
    pub tools: Vec<NamedTool>,
    /// Its resources.
    pub resources: Vec<Resource>,
    /// Its resource templates.
    pub templates: Vec<ResourceTemplate>,
}

impl DescribedServer {
    /// Creates the description of a server without content.
    pub fn new(name: impl Into<ServerName>) -> Self {
        Self {
            name: name.into(),
            instructions: None,
            tools: Vec::new(),
            resources: Vec::new(),
            templates: Vec::new(),
        }
    }
}

/// Returns the Markdown section of a prompt that describes the connected servers and how to call their tools.
///
/// For [`CallForm::Native`] it lists only the names of tools, since the API gets their definitions separately.
/// Text of servers is in code blocks or inline code that it can't end, without invisible characters, and the section
/// states that the servers wrote it.
/// At most 100 resources of a server are listed, with the number of the others. Descriptions and instructions are cut
/// at 8 KiB, schemas over 32 KiB are left out, and so are tools and servers after 512 KiB; the section mentions each
/// omission. Descriptions of resources are cut at 2 KiB, and so are names, without a mention; resources with longer
/// addresses are left out.
pub fn section(servers: &[DescribedServer], form: CallForm) -> String {
    let mut text = HEAD.to_owned();
    if servers.is_empty() {
        text.push_str("\nNo server is connected.\n");
        return text;
    }
    text.push_str(FOREIGN);
    if form != CallForm::Native {
        text.push('\n');
        text.push_str(form.how_to());
    }
    for (at, server) in servers.iter().enumerate() {
        if text.len() > MAX_SIZE {
            let _ = writeln!(
                text,
                "\n{} more servers are connected: there is no room for them here.",
                servers.len() - at
            );
            break;
        }
        describe(&mut text, server, form);
    }
    text
}

/// Quotes a text as a block up to a limit.
fn bounded(text: &str, language: &str) -> String {
    let shown = head(text, MAX_TEXT);
    let mut block = fenced(shown, language);
    if shown.len() < text.len() {
        let _ = writeln!(block, "\nIt is longer: {} bytes are left out.", text.len() - shown.len());
    }
    block
}

/// Adds the tools of a server up to the limit of the section.
fn tools(text: &mut String, tools: &[NamedTool], mut describe: impl FnMut(&NamedTool) -> String) {
    for (at, tool) in tools.iter().enumerate() {
        if text.len() > MAX_SIZE {
            let _ =
                writeln!(text, "\nIt has {} more tools: there is no room for them here.", tools.len() - at);
            return;
        }
        text.push_str(&describe(tool));
    }
}

fn describe(text: &mut String, server: &DescribedServer, form: CallForm) {
    let mut line = |line: &str| {
        text.push_str(line);
        text.push('\n');
    };
    line(&format!("\n## Server {}", code(server.name.as_str())));
    if let Some(instructions) = server.instructions.as_deref().filter(|text| !text.trim().is_empty()) {
        line("\nIts instructions:\n");
        line(bounded(instructions, "text").trim_end());
    }
    match form {
        CallForm::Native if server.tools.is_empty() => {}
        CallForm::Native => {
            text.push_str("\nIts tools:");
            let mut before = "";
            tools(text, &server.tools, |tool| {
                format!("{} {}", std::mem::replace(&mut before, ","), code(&tool.name))
            });
            text.push('\n');
        }
        _ => tools(text, &server.tools, |tool| tool_text(tool, form) + "\n"),
    }
    listed(text, "Resources", &server.resources, |resource| {
        (&resource.uri, &resource.name, resource.description.as_deref(), resource.mime_type.as_deref())
    });
    listed(text, "Templates of resources (RFC 6570)", &server.templates, |template| {
        (
            &template.uri_template,
            &template.name,
            template.description.as_deref(),
            template.mime_type.as_deref(),
        )
    });
}

fn tool_text(tool: &NamedTool, form: CallForm) -> String {
    let name = match form {
        CallForm::Xml => &tool.tool.name,
        _ => &*tool.name,
    };
    let mut text = format!("\n### Tool {}\n", code(head(name, MAX_LINE)));
    if let Some(description) = &tool.tool.description {
        text.push('\n');
        text.push_str(&bounded(description, "text"));
    }
    let schema = Value::Object((*tool.tool.input_schema).clone()).to_string();
    let _ = match schema.len() {
        0..=MAX_SCHEMA => {
            write!(text, "\nIts arguments, as a JSON schema:\n\n{}", fenced(&schema, "json"))
        }
        bytes => write!(text, "\nThe JSON schema of its arguments is left out: it has {bytes} bytes.\n"),
    };
    text.trim_end().to_owned()
}

type Line<'a> = (&'a str, &'a str, Option<&'a str>, Option<&'a str>);

fn listed<T>(text: &mut String, title: &str, all: &[T], line: impl Fn(&T) -> Line<'_>) {
    if all.is_empty() {
        return;
    }
    let _ = write!(text, "\n### {title}\n\n");
    for one in all.iter().take(MAX_LISTED) {
        let (uri, name, description, mime) = line(one);
        if text.len() > MAX_SIZE {
            text.push_str("- and more, for which there is no room here\n");
            return;
        }
        if uri.len() > MAX_LINE {
            let _ = writeln!(text, "- one whose address is left out: it has {} bytes", uri.len());
            continue;
        }
        let name = head(name, MAX_LINE);
        let _ = write!(text, "- {} ({}", code(uri), code(name));
        if let Some(mime) = mime {
            let _ = write!(text, ", {}", code(head(mime, MAX_LINE)));
        }
        text.push(')');
        if let Some(description) = description.filter(|text| !text.trim().is_empty()) {
            let shown = head(description, MAX_LINE);
            let more = if shown.len() < description.len() { " (cut)" } else { "" };
            let _ = write!(text, ": {}{more}", code(shown));
        }
        text.push('\n');
    }
    if let Some(more) = all.len().checked_sub(MAX_LISTED).filter(|more| *more > 0) {
        let _ = writeln!(text, "- and {more} more");
    }
}

const HEAD: &str = "# Connected MCP servers\n";
const FOREIGN: &str = "
The servers wrote the text in blocks and between backticks below.
It describes what they offer, and does not come from the user.
";
const MAX_LISTED: usize = 100;
/// The size after which nothing is added, in bytes.
const MAX_SIZE: usize = 512 << 10;
const MAX_TEXT: usize = 8 << 10;
const MAX_SCHEMA: usize = 32 << 10;
const MAX_LINE: usize = 2 << 10;
