//! A worker.

use std::{sync::Arc, time::Duration};

use agentwire::{Options, sessions::FolderStore};
use agentwire_restate::{Host, HostConfig};
use agentwire_worker::{Admission, SecretFolder, WorkerConfig};
use tokio::net::TcpListener;

use crate::{Outcome, POOL, ended, settings::Settings};

/// Runs turns until SIGTERM or Ctrl-C. Running turns then have a grace period.
pub(crate) async fn run(settings: &Settings, listener: TcpListener, url: &str) -> Outcome {
    let store = FolderStore::at(&settings.store);
    let store = Arc::new(if settings.synced { store.synced() } else { store });
    let options = Options::new()
        .include_partial_messages()
        .allowed_tools(settings.allowed_tools.clone())
        // A turn of a tenant could leave settings in the folder that run commands in the next process.
        .untrusted_folder();
    let admission = match (settings.slots, settings.memory) {
        (Some(slots), _) => Admission::slots(slots),
        (None, Some(memory)) => Admission::memory(memory, memory / 8),
        (None, None) => Admission::of_machine(),
    };
    let worker = WorkerConfig::new(store, &settings.workspaces)
        .options(options)
        .approvals(settings.approvals.clone())
        .secrets(SecretFolder::new(&settings.secrets))
        .admission(admission)
        .question_grace(Duration::from_secs_f64(settings.question_grace_seconds))
        .ttl(Duration::from_secs_f64(settings.idle_seconds))
        .events(settings.events()?);
    let lease = Duration::from_secs(settings.lease_seconds);
    let config = HostConfig::new(settings.ingress()?, POOL, url).lease(lease);
    let host = Host::start(worker, config, listener)?;
    println!("{url}");
    ended().await;
    host.worker().drain(Duration::from_secs(settings.drain_grace_seconds)).await;
    Ok(())
}
