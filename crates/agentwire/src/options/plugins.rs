//! The plugins of a session.

use agentwire_protocol::plugin::PluginConfig;

use super::{
    Options,
    argv::Argv,
    launch_plan::{LaunchPlan, ToCli, refuse},
    mcp::Delivery,
    setters::setters,
};
use crate::Error;

pub(super) struct Group<'a>(pub(super) &'a Options);

setters! {
    list plugins: PluginConfig;
    some plugin_delivery: Delivery;
}

impl ToCli for Group<'_> {
    fn to_cli(&self, to: &mut LaunchPlan) -> Result<(), Error> {
        let options = self.0;
        if options.plugins.is_empty() {
            return Ok(());
        }
        if options.delivery_of(options.plugin_delivery) == Delivery::Initialize {
            to.await_initialize();
            to.initialize.plugins.clone_from(&options.plugins);
            return Ok(());
        }
        for plugin in &options.plugins {
            let PluginConfig::Local(plugin) = plugin else {
                return refuse("plugins", "one of a kind that is not known here goes by the handshake only");
            };
            let own_servers = plugin.skip_mcp_discovery == Some(true);
            let flag = if own_servers { "plugin-dir-no-mcp" } else { "plugin-dir" };
            to.flag(flag, Some(&plugin.path));
        }
        Ok(())
    }
}
