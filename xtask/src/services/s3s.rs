//! Another S3 server: crates.io's `s3s-fs`, built below `target`.

use std::path::PathBuf;
use std::process::Command;

use super::folder::Folder;
use super::moto::Reach;
use super::server::{Running, Server, secret};
use crate::failure::{Failure, While as _};
use crate::program;
use crate::workspace;

/// Starts it.
pub(super) fn start(folder: &Folder) -> Result<Running, Failure> {
    let program = install()?;
    let home = folder.make("s3s")?;
    let root = home.join("root");
    std::fs::create_dir_all(root.join(BUCKET)).while_doing(|| format!("making {}", root.display()))?;
    let (key, secret) = (secret(), secret());
    let mut command = Command::new(program);
    command.args(["--host", "127.0.0.1", "--port", "0", "--access-key", &key, "--secret-key", &secret]);
    command.arg(root).env("RUST_LOG", "s3s_fs=info");
    let mut server = Server::start(&command, None, &home, "TERM")?;
    let url = server.wait(address)?;
    let reach = Reach { url, bucket: BUCKET.to_owned(), key, secret };
    let mut variables = reach.variables();
    // It keeps a file beside each object, whose name holds the object's, and no file's name may be that long.
    variables.push(("AGENTWIRE_TEST_S3_SHORT_NAMES", "1".to_owned()));
    Ok(Running { server, variables })
}

/// Where it says that it listens.
fn address(said: &str) -> Option<String> {
    let (_, after) = said.split_once("server is running at ")?;
    // Not before the line is whole.
    let (address, _) = after.split_once([',', '\n', ' ', '\u{1b}'])?;
    Some(address.to_owned())
}

fn install() -> Result<PathBuf, Failure> {
    let folder = workspace::root()?.join("target").join("services").join(format!("s3s-fs-{VERSION}"));
    let program = folder.join("bin").join("s3s-fs");
    if program.is_file() {
        return Ok(program);
    }
    println!("    building s3s-fs {VERSION} (once) …");
    let mut cargo = program::cargo()?;
    cargo.args([
        "install",
        "--quiet",
        "--locked",
        "--debug",
        "--features",
        "binary",
        "s3s-fs",
        "--version",
        VERSION,
    ]);
    cargo.arg("--root").arg(&folder);
    // Its own folder: what it is built with is not ours.
    program::run(cargo.arg("--target-dir").arg(folder.join("build")))?;
    std::fs::remove_dir_all(folder.join("build"))
        .while_doing(|| "removing what it was built from".to_owned())?;
    Ok(program)
}

const BUCKET: &str = "sessions";
const VERSION: &str = "0.14.1";

#[cfg(test)]
mod tests {
    use super::address;

    #[test]
    fn the_address_is_read_once_its_line_is_whole() {
        assert_eq!(address("INFO server is running at http://127.0.0.1:4"), None);
        let said = "  INFO s3s_fs: server is running at http://127.0.0.1:41\n    at main.rs\n";
        assert_eq!(address(said).unwrap(), "http://127.0.0.1:41");
    }
}
