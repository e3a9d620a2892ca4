//! An S3 server: PyPI's `moto`, in a virtual environment below `target`.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;

use agentwire_cluster::server::{Running, Server, make};

use crate::failure::{Failure, While as _};
use crate::python;
use crate::workspace;

/// Starts it.
pub(super) fn start(folder: &Path) -> Result<Running, Failure> {
    let environment = workspace::root()?.join("target/services/moto");
    // The extra `server` would add packages for other services of AWS.
    let python = python::environment(&environment, &["moto[s3]==5.2.5", "flask", "flask-cors"])?;
    let home = make(folder, "moto")?;
    let script = home.join("moto_server.py");
    fs::write(&script, SCRIPT).while_doing(|| format!("writing {}", script.display()))?;
    let mut command = Command::new(python);
    command.arg(script);
    let mut server = Server::start(command, None, &home, "TERM")?;
    let reach = server.wait(reach)?;
    let variables = vec![
        ("AGENTWIRE_TEST_S3_URL", reach.url),
        ("AGENTWIRE_TEST_S3_BUCKET", reach.bucket),
        ("AGENTWIRE_TEST_S3_KEY", reach.key),
        ("AGENTWIRE_TEST_S3_SECRET", reach.secret),
    ];
    Ok(Running { server, variables })
}

/// How the server is reached.
#[derive(Debug, Deserialize)]
struct Reach {
    url: String,
    bucket: String,
    key: String,
    secret: String,
}

/// Reads the address that the script prints when it is ready; a partial line is ignored.
fn reach(output: &str) -> Option<Reach> {
    let whole = output.rsplit_once('\n').map_or("", |(whole, _)| whole);
    serde_json::from_str(whole.lines().find_map(|line| line.strip_prefix("ready "))?).ok()
}

const SCRIPT: &str = include_str!("moto_server.py");
