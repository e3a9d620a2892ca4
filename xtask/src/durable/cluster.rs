//! A cluster: Restate, Redis, a scripted model, and the processes of the example `agents`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use agentwire_restate::{Admin, Client, Ingress};
use agentwire_testkit::{Script, ScriptedModel};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::Setup;
use super::agents::Agent;
use super::node::Node;
use super::sessions::ready;
use super::waiting::eventually;
use crate::cli;
use crate::failure::Failure;
use crate::services;
use crate::services::server::Server;

/// What a cluster consists of.
pub(super) struct Plan<'a> {
    /// The number of Restate nodes.
    pub(super) nodes: usize,
    /// The program that the workers run.
    pub(super) cli: &'a Path,
    /// The script of the model, as JSON.
    pub(super) script: String,
    /// Settings of the processes, an object, beside the addresses and folders.
    pub(super) settings: Value,
}

/// A running cluster without workers. Drop workers before it.
pub(super) struct Cluster {
    pub(super) client: Client,
    pub(super) admin: Admin,
    _model: ScriptedModel,
    /// The process that serves the handlers.
    pub(super) handlers: Agent,
    pub(super) nodes: Vec<Node>,
    program: PathBuf,
    settings: String,
    /// The environment of the workers and of the CLI.
    /// The environment of the workers and of the CLI.
    pub(super) environment: BTreeMap<String, String>,
    _redis: Server,
    folder: TempDir,
}

impl Cluster {
    /// Starts a cluster, and waits until Restate has the handlers.
    pub(super) async fn start(setup: &Setup, plan: Plan<'_>) -> Result<Self, Failure> {
        let folder = tempfile::Builder::new().prefix("agentwire-durable-").tempdir()?;
        let path = |name: &str| folder.path().join(name);
        for name in ["home", "secrets"] {
            fs::create_dir(path(name))?;
        }
        let (redis, url) = services::redis(folder.path())?;
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
        environment.insert(cli::VARIABLE.to_owned(), plan.cli.display().to_string());
        let settings = file.display().to_string();
        let address = ["handlers", &settings, "127.0.0.1:0"];
        let handlers = Agent::start(&setup.agents, address, &environment, folder.path())?;
        let cluster = Self {
            client: Client::new(Ingress::new(ingress)?),
            admin: Admin::new(admin)?,
            _model: model,
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
    pub(super) fn worker(&self) -> Result<Agent, Failure> {
        self.agent("worker")
    }

    /// Starts the process of the web page.
    pub(super) fn board(&self) -> Result<Agent, Failure> {
        self.agent("board")
    }

    fn agent(&self, kind: &str) -> Result<Agent, Failure> {
        let words = [kind, &self.settings, "127.0.0.1:0"];
        Agent::start(&self.program, words, &self.environment, self.folder.path())
    }

    /// Returns the path of a file or a folder of the cluster: `store`, `workspaces`, `secrets` or `home`.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// How long the nodes may take until they are ready, on a busy machine.
const STARTING: Duration = Duration::from_secs(120);
