//! The options of a session, from a request of the client. No I/O besides looking at the folders.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use agent_client_protocol::{
    Error,
    v1::schema::{
        ContentBlock, HttpHeader, LoadSessionRequest, McpServer, NewSessionRequest, ResumeSessionRequest,
        SystemPrompt, SystemPromptMode,
    },
};
use agentwire::{
    Options, SystemPrompt as CliPrompt,
    protocol::{
        mcp::{McpServerConfig, RemoteServer, StdioServer},
        permission::Questions,
    },
};

use crate::failure::invalid;
use crate::features::Features;
use crate::settings::Settings;

/// A session that a client asks for.
#[derive(Debug)]
pub(crate) struct Wanted {
    pub(crate) cwd: PathBuf,
    additional_directories: Vec<PathBuf>,
    mcp_servers: Vec<McpServer>,
    system_prompt: Option<SystemPrompt>,
    /// The stored session to continue.
    pub(crate) resume: Option<String>,
}

macro_rules! wanted {
    ($($request:ident => $resume:expr;)+) => { $(
        impl From<$request> for Wanted {
            fn from(request: $request) -> Self {
                let resume: fn(&$request) -> Option<String> = $resume;
                Self {
                    resume: resume(&request),
                    cwd: request.cwd,
                    additional_directories: request.additional_directories,
                    mcp_servers: request.mcp_servers,
                    system_prompt: request.system_prompt,
                }
            }
        }
    )+ };
}

wanted! {
    NewSessionRequest => |_| None;
    LoadSessionRequest => |request| Some(request.session_id.to_string());
    ResumeSessionRequest => |request| Some(request.session_id.to_string());
}

impl Wanted {
    /// Returns the options of the session with this id.
    /// Folders must be absolute paths of folders, the names of servers unique, and the system prompt's mode known.
    pub(crate) fn options(
        self,
        id: &str,
        settings: &Settings,
        features: &Features,
    ) -> Result<Options, Error> {
        check_folder("cwd", &self.cwd)?;
        for folder in &self.additional_directories {
            check_folder("additionalDirectories", folder)?;
        }
        let mut options = Options::new()
            .cwd(self.cwd)
            .additional_directories(self.additional_directories)
            .mcp_servers(servers(self.mcp_servers)?)
            .system_prompt(system_prompt(self.system_prompt)?)
            .include_partial_messages()
            .client_app(CLIENT_APP);
        options = match self.resume {
            Some(resume) => options.resume(resume),
            None => options.session_id(id),
        };
        if std::env::var_os(TODO_TOOLS).is_none() {
            options = options.env(TODO_TOOLS, "1");
        }
        if !features.forms {
            // The model then asks in its answer.
            options = options.disallowed_tools([Questions::TOOL]);
        }
        if let Some(cli) = &settings.cli {
            options = options.path_to_claude_code_executable(cli);
        }
        if settings.allow_bypass {
            options = options.allow_dangerously_skip_permissions();
        }
        if settings.untrusted_folder {
            options = options.untrusted_folder();
        }
        Ok(options)
    }
}

fn check_folder(field: &str, folder: &Path) -> Result<(), Error> {
    let why = if !folder.is_absolute() {
        "is not an absolute path"
    } else if !folder.is_dir() {
        "is not a folder on this machine"
    } else {
        return Ok(());
    };
    Err(invalid(format!("`{field}` {} {why}", folder.display())))
}

fn system_prompt(prompt: Option<SystemPrompt>) -> Result<CliPrompt, Error> {
    let Some(prompt) = prompt else { return Ok(CliPrompt::PRESET) };
    let texts = prompt.content.iter().map(|block| match block {
        ContentBlock::Text(text) => Ok(&*text.text),
        _ => Err(invalid("`systemPrompt` may contain texts only")),
    });
    let text = texts.collect::<Result<Vec<_>, _>>()?.join("\n");
    match prompt.mode {
        SystemPromptMode::Append => Ok(CliPrompt::preset_with(text)),
        SystemPromptMode::Override => Ok(CliPrompt::Text(text)),
        _ => Err(invalid("the mode of `systemPrompt` is unknown; use `append` or `override`")),
    }
}

/// Returns the servers by name, without those of unknown transports.
fn servers(servers: Vec<McpServer>) -> Result<BTreeMap<String, McpServerConfig>, Error> {
    let mut named = BTreeMap::new();
    for (name, config) in servers.into_iter().filter_map(server) {
        if named.insert(name.clone(), config).is_some() {
            return Err(invalid(format!("`mcpServers` has two servers with the name `{name}`")));
        }
    }
    Ok(named)
}

/// Returns a server as the CLI's configuration names it; `None` for a transport that is unknown.
fn server(server: McpServer) -> Option<(String, McpServerConfig)> {
    Some(match server {
        McpServer::Stdio(server) => {
            let mut config = StdioServer::new(server.command.to_string_lossy(), server.args);
            config.env.extend(server.env.into_iter().map(|variable| (variable.name.into(), variable.value)));
            (server.name, McpServerConfig::Stdio(config))
        }
        McpServer::Http(server) => (server.name, McpServerConfig::Http(remote(server.url, server.headers))),
        McpServer::Sse(server) => (server.name, McpServerConfig::Sse(remote(server.url, server.headers))),
        _ => return None,
    })
}

fn remote(url: String, headers: Vec<HttpHeader>) -> RemoteServer {
    let mut config = RemoteServer::new(url);
    config.headers.extend(headers.into_iter().map(|header| (header.name.into(), header.value)));
    config
}

const CLIENT_APP: &str = concat!("agentwire-acp/", env!("CARGO_PKG_VERSION"));
/// Makes the CLI offer the model its tools for lists of tasks, which are shown as plans.
const TODO_TOOLS: &str = "CLAUDE_CODE_ENABLE_TODO_TOOLS";

#[cfg(test)]
mod tests {
    use agentwire::SettingSource;
    use serde_json::json;

    use super::*;

    const ID: &str = "00000000-0000-4000-8000-000000000001";

    fn wanted(fields: serde_json::Value) -> Wanted {
        let mut request = json!({"cwd": std::env::temp_dir(), "mcpServers": []});
        request.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        serde_json::from_value::<NewSessionRequest>(request).unwrap().into()
    }

    fn options(fields: serde_json::Value) -> Result<Options, Error> {
        wanted(fields).options(ID, &Settings::default(), &Features::default())
    }

    #[test]
    fn servers_of_the_client_are_passed_on() {
        let options = options(json!({"mcpServers": [
            {"name": "files", "command": "/bin/files", "args": ["-v"], "env": [{"name": "KEY", "value": "k"}]},
            {"type": "http", "name": "far", "url": "https://far/mcp", "headers": [{"name": "X", "value": "x"}]},
            {"type": "sse", "name": "old", "url": "https://old/sse", "headers": []},
        ]}))
        .unwrap();
        let servers = serde_json::to_value(&options.mcp_servers).unwrap();
        assert_eq!(
            servers["files"],
            json!({"type": "stdio", "command": "/bin/files", "args": ["-v"], "env": {"KEY": "k"}})
        );
        assert_eq!(servers["far"], json!({"type": "http", "url": "https://far/mcp", "headers": {"X": "x"}}));
        assert_eq!(servers["old"], json!({"type": "sse", "url": "https://old/sse"}));
    }

    #[test]
    fn system_prompt_is_appended_or_replaced() {
        let content = json!([{"type": "text", "text": "Be brief."}]);
        let prompt = |mode: &str| options(json!({"systemPrompt": {"mode": mode, "content": content}}));
        assert_eq!(options(json!({})).unwrap().system_prompt, CliPrompt::PRESET);
        assert_eq!(prompt("append").unwrap().system_prompt, CliPrompt::preset_with("Be brief."));
        assert_eq!(prompt("override").unwrap().system_prompt, CliPrompt::Text("Be brief.".into()));
        assert!(prompt("_mine").is_err());
    }

    #[test]
    fn untrusted_folder_has_no_settings() {
        let settings = Settings { untrusted_folder: true, ..Settings::default() };
        let options = wanted(json!({})).options(ID, &settings, &Features::default()).unwrap();
        assert_eq!(options.setting_sources, Some(vec![SettingSource::User]));
        assert!(options.strict_mcp_config);
    }

    #[test]
    fn folders_must_exist() {
        for folder in ["relative", "/no/such/folder"] {
            for fields in [json!({"cwd": folder}), json!({"additionalDirectories": [folder]})] {
                let refused = options(fields).unwrap_err();
                assert!(refused.message.contains(folder), "{refused:?}");
            }
        }
    }

    #[test]
    fn servers_have_different_names() {
        let server = json!({"name": "files", "command": "/bin/files", "args": [], "env": []});
        let refused = options(json!({"mcpServers": [server, server]})).unwrap_err();
        assert!(refused.message.contains("`files`"), "{refused:?}");
    }
}
