//! `page`: the web page in headless Chromium.

use serde_json::json;

use crate::cluster::{Cluster, Plan};
use crate::failure::Failure;
use crate::{SCRIPT, Setup};

/// Checks that the page lists the sessions of the engine and shows running turns live, and that its buttons answer
/// questions.
pub(crate) fn run(setup: &Setup) -> Result<String, Failure> {
    setup.runtime.block_on(shown(setup))
}

async fn shown(setup: &Setup) -> Result<String, Failure> {
    let settings = json!({"approvals": ["Bash"]});
    let plan = Plan { nodes: 1, cli: &setup.cli, script: SCRIPT.to_owned(), settings };
    let cluster = Cluster::start(setup, plan).await?;
    let (_first, _second, page) = (cluster.worker()?, cluster.worker()?, cluster.board()?);
    let case = json!({"url": page.url, "workspaces": cluster.path("workspaces")});
    (setup.browser)(&cluster.path(""), &case)?;
    Ok("two sessions on two workers, one allowed and one denied by a click".to_owned())
}
