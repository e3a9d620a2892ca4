//! The MCP servers that the CLI runs or connects to.

use std::collections::BTreeMap;

use agentwire_protocol::{
    Unknown,
    mcp::{McpServerConfig, StdioServer},
};
use serde::{Deserialize, Serialize};

use super::{
    Options, Warning,
    launch_plan::{LaunchPlan, refuse},
    secrets,
};
use crate::Error;

/// The way in which an option reaches the CLI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Delivery {
    /// By flags, which every CLI accepts.
    ///
    /// MCP servers with arguments, environment variables, headers or addresses that may contain a key are written to a
    /// file that only the CLI may read.
    Argv,
    /// In the handshake, which requires CLI 2.1.261 or newer.
    ///
    /// An older CLI is started again with flags; [`Warning::DeliveredByArgv`] reports it.
    Initialize,
}

impl Options {
    /// Adds the MCP servers to the handshake or to the flags.
    pub(super) fn mcp_to_cli(&self, plan: &mut LaunchPlan) -> Result<(), Error> {
        for (name, server) in &self.mcp_servers {
            // The CLI drops such an entry without a report. The values may be secrets.
            if let McpServerConfig::Unknown(Unknown { kind: None, raw, .. }) = server {
                let why = match raw.decode::<StdioServer>() {
                    Ok(_) => "its `type` is not a string".to_owned(),
                    Err(error) if error.path().is_empty() => "it has neither `type` nor `command`".to_owned(),
                    Err(error) => {
                        format!("it has no `type`, and no stdio server has this `{}`", error.path())
                    }
                };
                return refuse("mcpServers", format!("`{name}`: {why}"));
            }
        }
        for file in &self.mcp_config_files {
            plan.flag(MCP_CONFIG, Some(file.display()));
        }
        if self.mcp_servers.is_empty() {
            return Ok(());
        }
        if self.delivery_of(self.mcp_servers_delivery) == Delivery::Initialize {
            plan.await_initialize();
            plan.initialize.mcp_servers.clone_from(&self.mcp_servers);
            return Ok(());
        }
        let config = BTreeMap::from([("mcpServers", &self.mcp_servers)]);
        let Ok(text) = serde_json::to_string(&config) else {
            return refuse("mcpServers", "it can't be written as JSON");
        };
        let is_secret = self.mcp_servers.values().any(secrets::in_server);
        plan.json(MCP_CONFIG, "mcp.json", text, is_secret);
        Ok(())
    }

    /// Returns the effective delivery: a remote session can't read the handshake in time.
    pub(super) fn delivery_of(&self, chosen: Option<Delivery>) -> Delivery {
        let far = |args: &[String]| args.iter().any(|arg| arg.starts_with("--sdk-url"));
        if self.extra_args.contains_key("sdk-url") || far(&self.executable_args) {
            return Delivery::Argv;
        }
        chosen.unwrap_or(Delivery::Initialize)
    }

    /// Returns the options for a CLI that ignores the handshake fields, with warnings about it.
    pub(crate) fn delivered_by_argv(&self) -> (Self, Vec<Warning>) {
        let options = Self {
            mcp_servers_delivery: Some(Delivery::Argv),
            plugin_delivery: Some(Delivery::Argv),
            ..self.clone()
        };
        let warning = |option, there: bool| there.then_some(Warning::DeliveredByArgv { option });
        let servers = warning("mcpServers", !self.mcp_servers.is_empty());
        let plugins = warning("plugins", !self.plugins.is_empty());
        (options, servers.into_iter().chain(plugins).collect())
    }
}

const MCP_CONFIG: &str = "mcp-config";
