//! A cluster: Restate, Redis, a scripted model, and the processes of the example `agents`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use agentwire_restate::{Admin, Client, Ingress};
use agentwire_testkit::{Script, ScriptedModel};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::Setup;
use crate::agents::Agent;
use crate::failure::Failure;
use crate::network::{Network, OURS, THEIRS};
use crate::node::Node;
use crate::redis;
use crate::server::{Running, Server};
use crate::waiting::{eventually, ready};

/// What a cluster consists of.
pub(crate) struct Plan<'a> {
    /// The number of Restate nodes.
    pub(crate) nodes: usize,
    /// The program that the workers run.
    pub(crate) cli: &'a Path,
    /// The script of the model, as JSON.
    pub(crate) script: String,
    /// Settings of the processes, an object, beside the addresses and folders.
    pub(crate) settings: Value,
}

/// A running cluster without workers. Drop workers before it.
pub(crate) struct Cluster {
    pub(crate) client: Client,
    pub(crate) admin: Admin,
    pub(crate) model: ScriptedModel,
    /// The process that serves the handlers.
    pub(crate) handlers: Agent,
    pub(crate) nodes: Vec<Node>,
    program: PathBuf,
    settings: String,
    /// The environment of the workers and of the CLI.
    pub(crate) environment: BTreeMap<String, String>,
    _redis: Server,
    folder: TempDir,
}

impl Cluster {
    /// Starts a cluster, and waits until Restate has the handlers.
    pub(crate) async fn start(setup: &Setup, plan: Plan<'_>) -> Result<Self, Failure> {
        let folder = tempfile::Builder::new().prefix("agentwire-durable-").tempdir()?;
        let path = |name: &str| folder.path().join(name);
        for name in ["home", "secrets"] {
            fs::create_dir(path(name))?;
        }
        // The event log serves live readers: the messages are in the store too.
        let Running { server: redis, variables } = redis::start(folder.path(), "everysec")?;
        let url = variables.iter().find(|(name, _)| *name == redis::URL).map(|(_, url)| url);
        let nodes = Node::cluster(&setup.restate, folder.path(), plan.nodes)?;
        let ingress: Vec<_> = nodes.iter().map(|node| node.ingress.clone()).collect();
        let admin: Vec<_> = nodes.iter().map(|node| node.admin.clone()).collect();
        let mut settings = json!({
            "ingress": ingress, "admin": admin, "redis": url,
            "store": path("store"), "workspaces": path("workspaces"), "secrets": path("secrets"),
            "drain_grace_seconds": 2,
        });
        if let (Value::Object(settings), Value::Object(own)) = (&mut settings, plan.settings) {
            settings.extend(own);
        }
        let file = path("settings.json");
        fs::write(&file, settings.to_string())?;
        let model = ScriptedModel::start(Script::from_json(&plan.script)?).await?;
        let mut environment = model.environment(path("home"));
        environment.insert(CLI.to_owned(), plan.cli.display().to_string());
        let settings = file.display().to_string();
        let address = ["handlers", &settings, "127.0.0.1:0"];
        let handlers = Agent::start(&setup.agents, address, &environment, folder.path(), |command| command)?;
        let cluster = Self {
            client: Client::new(Ingress::new(ingress)?),
            admin: Admin::new(admin)?,
            model,
            handlers,
            nodes,
            program: setup.agents.clone(),
            settings,
            environment,
            _redis: redis,
            folder,
        };
        eventually("Restate accepts the handlers", STARTING, async || {
            Ok(ready(cluster.admin.register(&cluster.handlers.url).await)?.is_some())
        })
        .await?;
        Ok(cluster)
    }

    /// Starts a worker.
    pub(crate) fn worker(&self) -> Result<Agent, Failure> {
        self.agent("worker")
    }

    /// Starts the process of the web page.
    pub(crate) fn board(&self) -> Result<Agent, Failure> {
        self.agent("board")
    }

    fn agent(&self, kind: &str) -> Result<Agent, Failure> {
        let words = [kind, &self.settings, "127.0.0.1:0"];
        Agent::start(&self.program, words, &self.environment, self.folder.path(), |command| command)
    }

    /// Starts a worker in another network namespace, which reaches the cluster over a link.
    pub(crate) async fn distant_worker(&self) -> Result<(Network, Agent), Failure> {
        let settings = fs::read_to_string(&self.settings)?;
        let network = Network::start(
            self.folder.path(),
            &self.environment.values().map(String::as_str).chain([&*settings]).flat_map(ports).collect(),
        )
        .await?;
        let from_there = |text: &String| text.replace(LOOPBACK, OURS);
        let file = self.path("distant.json");
        fs::write(&file, from_there(&settings))?;
        let environment =
            self.environment.iter().map(|(name, value)| (name.clone(), from_there(value))).collect();
        let (file, address) = (file.display().to_string(), format!("{THEIRS}:0"));
        let words = ["worker", &file, &address];
        let folder = self.folder.path();
        let agent =
            Agent::start(&self.program, words, &environment, folder, |command| network.within(command))?;
        Ok((network, agent))
    }

    /// Returns the path of a file or a folder of the cluster: `store`, `workspaces`, `secrets` or `home`.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// Returns the ports of our loopback in a text.
fn ports(text: &str) -> impl Iterator<Item = u16> + '_ {
    let ports = text.split(LOOPBACK).skip(1).filter_map(|rest| rest.strip_prefix(':'));
    ports.filter_map(|rest| rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok())
}

const LOOPBACK: &str = "127.0.0.1";
/// How long the nodes may take until they are ready, on a busy machine.
const STARTING: Duration = Duration::from_secs(120);
/// The environment variable in which the library looks for the CLI.
const CLI: &str = "AGENTWIRE_CLI";
