//! Another network namespace, which reaches this one over a link that can be cut.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::agents::folder;
use crate::failure::Failure;
use crate::processes;
use crate::program;
use crate::server::Server;
use crate::waiting::eventually;

/// A network namespace, which ends when this is dropped.
pub(crate) struct Network {
    /// A process that keeps the namespace.
    keeper: Server,
    relays: JoinSet<()>,
}

impl Network {
    /// Creates a namespace that reaches these ports of our loopback at [`OURS`].
    pub(crate) async fn start(within: &Path, ports: &BTreeSet<u16>) -> Result<Self, Failure> {
        let mut command = Command::new("unshare");
        command.args(["--net", "sleep", "infinity"]);
        let keeper = Server::start(command, None, &folder(within, "network")?, "KILL")?;
        let mut network = Self { keeper, relays: JoinSet::new() };
        let own = fs::read_link("/proc/self/ns/net")?;
        eventually("the namespace exists", STARTING, async || Ok(network.namespace()? != own)).await?;
        let keeper = network.keeper.id().to_string();
        ip(&["link", "add", OUR_LINK, "type", "veth", "peer", "name", "agentwire1", "netns", &keeper])?;
        ip(&["address", "add", &format!("{OURS}/24"), "dev", OUR_LINK])?;
        ip(&["link", "set", OUR_LINK, "up"])?;
        for words in
            ["link set lo up", &format!("address add {THEIRS}/24 dev agentwire1"), "link set agentwire1 up"]
        {
            let mut command = Command::new("ip");
            command.args(words.split(' '));
            program::output(&mut network.within(command))?;
        }
        for port in ports {
            let listener = TcpListener::bind((OURS, *port)).await?;
            network.relays.spawn(relay(listener, *port));
        }
        Ok(network)
    }

    /// Returns the command, run in the namespace.
    pub(crate) fn within(&self, command: Command) -> Command {
        let mut enter = Command::new("nsenter");
        enter.arg(format!("--net=/proc/{}/ns/net", self.keeper.id())).arg("--");
        program::wrapped(enter, &command)
    }

    /// Cuts the link: packets are lost in both directions.
    pub(crate) fn cut(&self) -> Result<(), Failure> {
        ip(&["link", "set", OUR_LINK, "down"])
    }

    /// Returns how many processes of a program run in the namespace.
    pub(crate) fn processes(&self, of: &Path) -> Result<usize, Failure> {
        let runs = |process: &PathBuf| fs::read_link(process.join("exe")).is_ok_and(|exe| exe == of);
        Ok(processes::processes_of(&self.namespace()?)?.iter().filter(|process| runs(process)).count())
    }

    fn namespace(&self) -> Result<PathBuf, Failure> {
        Ok(fs::read_link(format!("/proc/{}/ns/net", self.keeper.id()))?)
    }
}

/// Connects each caller with our loopback.
async fn relay(listener: TcpListener, port: u16) {
    let mut connections = JoinSet::new();
    while let Ok((mut caller, _)) = listener.accept().await {
        while connections.try_join_next().is_some() {}
        connections.spawn(async move {
            if let Ok(mut server) = TcpStream::connect(("127.0.0.1", port)).await {
                // A connection may end in any way.
                drop(copy_bidirectional(&mut caller, &mut server).await);
            }
        });
    }
}

fn ip(words: &[&str]) -> Result<(), Failure> {
    program::output(Command::new("ip").args(words)).map(drop)
}

/// Our address on the link.
pub(crate) const OURS: &str = "10.77.0.1";
/// The address in the namespace.
pub(crate) const THEIRS: &str = "10.77.0.2";
const OUR_LINK: &str = "agentwire0";
const STARTING: Duration = Duration::from_secs(30);
