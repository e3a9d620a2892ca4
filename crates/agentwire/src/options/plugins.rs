//! The plugins of a session.

use agentwire_protocol::plugin::PluginConfig;

use super::{
    Delivery, Options,
    launch_plan::{LaunchPlan, refuse},
};
use crate::Error;

impl Options {
    /// Adds the plugins to the handshake or to the flags.
    pub(super) fn plugins_to_cli(&self, plan: &mut LaunchPlan) -> Result<(), Error> {
        if self.plugins.is_empty() {
            return Ok(());
        }
        if self.delivery_of(self.plugin_delivery) == Delivery::Initialize {
            plan.await_initialize();
            plan.initialize.plugins.clone_from(&self.plugins);
            return Ok(());
        }
        for plugin in &self.plugins {
            let PluginConfig::Local(plugin) = plugin else {
                return refuse("plugins", "a plugin of an unknown kind can only be passed in the handshake");
            };
            let own_servers = plugin.skip_mcp_discovery == Some(true);
            let flag = if own_servers { "plugin-dir-no-mcp" } else { "plugin-dir" };
            plan.flag(flag, Some(&plugin.path));
        }
        Ok(())
    }
}
