//! The peers of `cargo xtask bench --peers`: published SDKs of the same CLI, installed below `target/peers`.
//!
//! Our programs for them are in `crates/tools/benches/peers`; the repository contains nothing of the SDKs.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use crate::failure::{Failure, While as _};
use crate::machine;
use crate::program;
use crate::python;
use crate::workspace;

/// Installs the SDKs, and returns the file that lists their clients; a failed installation is reported and left out.
pub(crate) fn install() -> Result<PathBuf, Failure> {
    let root = workspace::root()?;
    let places = Places {
        sources: root.join("crates/tools/benches/peers"),
        folder: root.join("target").join("peers"),
    };
    fs::create_dir_all(&places.folder).while_doing(|| format!("making {}", places.folder.display()))?;
    let mut clients = Vec::new();
    for peer in PEERS {
        let name = format!("{} {}", peer.name, peer.version);
        match (peer.install)(peer, &places) {
            Ok(Started { program, arguments }) => {
                clients.push(json!({"name": name, "program": program, "arguments": arguments}));
            }
            Err(failure) => println!("{name} can't be had here: {failure}"),
        }
    }
    let file = places.folder.join("clients.json");
    fs::write(&file, Value::from(clients).to_string())
        .while_doing(|| format!("writing {}", file.display()))?;
    Ok(file)
}

/// A published SDK.
struct Peer {
    /// The name in its registry.
    name: &'static str,
    version: &'static str,
    folder: &'static str,
    install: fn(&Peer, &Places) -> Result<Started, Failure>,
}

struct Places {
    /// Our programs.
    sources: PathBuf,
    /// The installed SDKs.
    folder: PathBuf,
}

/// How a client is started.
struct Started {
    program: PathBuf,
    arguments: Vec<PathBuf>,
}

fn python(peer: &Peer, places: &Places) -> Result<Started, Failure> {
    let wanted = format!("{}=={}", peer.name, peer.version);
    Ok(Started {
        program: python::environment(&places.folder.join(peer.folder), &[&wanted])?,
        arguments: vec![places.sources.join(peer.folder).join("client.py")],
    })
}

fn npm(peer: &Peer, places: &Places) -> Result<Started, Failure> {
    machine::provide(&["npm"])?;
    let folder = places.folder.join(peer.folder);
    fs::create_dir_all(&folder).while_doing(|| format!("making {}", folder.display()))?;
    fs::write(folder.join("package.json"), r#"{"private":true,"type":"module"}"#)?;
    let wanted = format!("{}@{}", peer.name, peer.version);
    // Its optional packages are the CLI itself, for each system.
    let mut install = Command::new("npm");
    install.args(["install", "--silent", "--no-audit", "--no-fund", "--omit=optional", &wanted, ZOD]);
    program::output(install.current_dir(&folder))?;
    // Beside its modules, where it finds them.
    let client = folder.join("client.mjs");
    let source = places.sources.join(peer.folder).join("client.mjs");
    fs::copy(source, &client).while_doing(|| format!("writing {}", client.display()))?;
    Ok(Started { program: "node".into(), arguments: vec![client] })
}

fn crates(peer: &Peer, places: &Places) -> Result<Started, Failure> {
    let (source, folder) = (places.sources.join(peer.folder), places.folder.join(peer.folder));
    // Built where it is installed, so that its lock file lies there too.
    let sources = folder.join("src");
    fs::create_dir_all(&sources).while_doing(|| format!("making {}", sources.display()))?;
    for file in ["Cargo.toml", "src/main.rs"] {
        let text = fs::read_to_string(source.join(file)).while_doing(|| format!("reading {file}"))?;
        let text = text.replace("\"VERSION\"", &format!("\"={}\"", peer.version));
        fs::write(folder.join(file), text).while_doing(|| format!("writing {file}"))?;
    }
    let mut cargo = program::cargo()?;
    cargo.args(["build", "--quiet", "--release"]).current_dir(&folder);
    let built = folder.join("target");
    program::run(cargo.arg("--target-dir").arg(&built))?;
    let name = format!("peer-{}{}", peer.name, std::env::consts::EXE_SUFFIX);
    Ok(Started { program: built.join("release").join(name), arguments: Vec::new() })
}

#[rustfmt::skip] // One peer a line.
const PEERS: &[Peer] = &[
    Peer { name: "claude-agent-sdk", version: "0.2.187", folder: "python", install: python },
    Peer { name: "@anthropic-ai/claude-agent-sdk", version: "0.3.330", folder: "typescript", install: npm },
    Peer { name: "claude-agent-sdk-rs", version: "0.6.4", folder: "claude-agent-sdk-rs", install: crates },
];
/// The package with which programs describe the input of tools to the SDK.
const ZOD: &str = "zod@4.6.7";
