//! An S3 server: PyPI's `moto`, in a virtual environment below `target`.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde::Deserialize;

use super::folder::Folder;
use super::server::{Running, Server};
use crate::failure::{Failure, While as _};
use crate::machine;
use crate::program;
use crate::workspace;

/// Starts it.
pub(super) fn start(folder: &Folder) -> Result<Running, Failure> {
    let python = install()?;
    let home = folder.make("moto")?;
    let script = home.join("moto_server.py");
    fs::write(&script, SCRIPT).while_doing(|| format!("writing {}", script.display()))?;
    let mut command = Command::new(python);
    command.arg(script);
    let mut server = Server::start(&command, None, &home, "TERM")?;
    let reach = server.wait(reach)?;
    Ok(Running { server, variables: reach.variables() })
}

/// How an S3 server is reached.
#[derive(Debug, Deserialize)]
pub(super) struct Reach {
    pub(super) url: String,
    pub(super) bucket: String,
    pub(super) key: String,
    pub(super) secret: String,
}

impl Reach {
    /// What tests are told.
    pub(super) fn variables(self) -> Vec<(&'static str, String)> {
        vec![
            ("AGENTWIRE_TEST_S3_URL", self.url),
            ("AGENTWIRE_TEST_S3_BUCKET", self.bucket),
            ("AGENTWIRE_TEST_S3_KEY", self.key),
            ("AGENTWIRE_TEST_S3_SECRET", self.secret),
        ]
    }
}

/// What the script says when it is ready; only a whole line counts.
fn reach(said: &str) -> Option<Reach> {
    let whole = said.rsplit_once('\n').map_or("", |(whole, _)| whole);
    serde_json::from_str(whole.lines().find_map(|line| line.strip_prefix("ready "))?).ok()
}

/// The Python of an environment that has it.
///
/// Its file `installed` is written last, so that half an installation is none.
fn install() -> Result<PathBuf, Failure> {
    machine::provide(&["python3"])?;
    let folder = workspace::root()?.join("target").join("services").join(format!("moto-{VERSION}"));
    let (python, done) = (folder.join("bin").join("python"), folder.join("installed"));
    if done.is_file() {
        return Ok(python);
    }
    println!("    installing moto {VERSION} (once) …");
    program::output(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
    // What its extra `server` brings beyond these is for services that are not asked here, and twice the time.
    let wanted = [&format!("moto[s3]=={VERSION}"), "flask", "flask-cors"];
    program::output(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(wanted))?;
    fs::write(&done, "").while_doing(|| format!("writing {}", done.display()))?;
    Ok(python)
}

const SCRIPT: &str = include_str!("moto_server.py");
const VERSION: &str = "5.2.5";

#[cfg(test)]
mod tests {
    use super::reach;

    #[test]
    fn only_a_whole_line_says_how_it_is_reached() {
        let line = r#"ready {"url": "http://127.0.0.1:1", "bucket": "b", "key": "k", "secret": "s"}"#;
        assert!(reach(&format!("something\n{line}")).is_none());
        assert_eq!(reach(&format!("something\n{line}\nmore")).unwrap().url, "http://127.0.0.1:1");
    }
}
