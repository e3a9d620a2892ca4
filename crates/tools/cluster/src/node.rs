//! The nodes of Restate.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::agents::folder;
use crate::failure::{Failure, While as _};
use crate::server::{Server, free_port};

/// A node of Restate, which ends when this is dropped.
pub(crate) struct Node {
    /// The URL of its ingress.
    pub(crate) ingress: String,
    /// The URL at which the nodes reach each other.
    pub(crate) address: String,
    /// The URL of its admin interface.
    pub(crate) admin: String,
    server: Server,
    program: PathBuf,
    config: PathBuf,
    folder: PathBuf,
}

impl Node {
    /// Starts the nodes of a cluster, with their data in a folder. They are ready later.
    pub(crate) fn cluster(program: &Path, within: &Path, count: usize) -> Result<Vec<Self>, Failure> {
        let ports = (0..count).map(|_| Ports::free()).collect::<Result<Vec<_>, _>>()?;
        (0..count).map(|n| Self::start(program, within, &ports, n)).collect()
    }

    fn start(program: &Path, within: &Path, ports: &[Ports], n: usize) -> Result<Self, Failure> {
        let Ports { node, ingress, admin } = ports[n];
        let name = format!("n{}", n + 1);
        let addresses: Vec<_> =
            ports.iter().map(|ports| format!("http://127.0.0.1:{}", ports.node)).collect();
        // A cluster stays available without one of three nodes.
        let replication = if ports.len() > 2 { 2 } else { 1 };
        let provider = if ports.len() > 1 { "replicated" } else { "local" };
        let text = format!(
            "cluster-name = \"agentwire\"
node-name = \"{name}\"
base-dir = {data:?}
bind-ip = \"127.0.0.1\"
bind-port = {node}
listen-mode = \"tcp\"
advertised-address = \"http://127.0.0.1:{node}\"
auto-provision = {first}
disable-telemetry = true
default-num-partitions = 4
default-replication = {replication}
rocksdb-total-memory-size = \"256MiB\"
[bifrost]
default-provider = \"{provider}\"
[metadata-client]
type = \"replicated\"
addresses = {addresses:?}
[ingress]
bind-address = \"127.0.0.1:{ingress}\"
[admin]
bind-address = \"127.0.0.1:{admin}\"
disable-web-ui = true
",
            data = within.join(format!("restate-{name}")),
            first = n == 0,
        );
        let config = within.join(format!("{name}.toml"));
        fs::write(&config, text).while_doing(|| format!("writing {}", config.display()))?;
        Ok(Self {
            ingress: format!("http://127.0.0.1:{ingress}"),
            address: format!("http://127.0.0.1:{node}"),
            admin: format!("http://127.0.0.1:{admin}"),
            server: serve(program, &config, within)?,
            program: program.to_owned(),
            config,
            folder: within.to_owned(),
        })
    }

    /// Kills it with SIGKILL.
    pub(crate) fn kill(&mut self) -> Result<(), Failure> {
        self.server.kill()
    }

    /// Starts it again after it was killed, with its data.
    pub(crate) fn restart(&mut self) -> Result<(), Failure> {
        self.server = serve(&self.program, &self.config, &self.folder)?;
        Ok(())
    }

    /// Returns the id of its process.
    pub(crate) fn id(&self) -> u32 {
        self.server.id()
    }
}

fn serve(program: &Path, config: &Path, within: &Path) -> Result<Server, Failure> {
    let mut command = Command::new(program);
    command.arg("--config-file").arg(config);
    Server::start(command, None, &folder(within, "node")?, "TERM")
}

/// The ports of a node.
struct Ports {
    node: u16,
    ingress: u16,
    admin: u16,
}

impl Ports {
    fn free() -> Result<Self, Failure> {
        Ok(Self { node: free_port()?, ingress: free_port()?, admin: free_port()? })
    }
}
