//! PostgreSQL, from the package of that name, as a user without privileges: it refuses root.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use agentwire_cluster::server::{Running, Server, bound_to_us, make, on_a_free_port, secret};

use crate::failure::{Failure, While as _};
use crate::machine;
use crate::program;

/// Starts it, with a new cluster of its own.
pub(super) fn start(folder: &Path) -> Result<Running, Failure> {
    let programs = programs()?;
    let user = unprivileged()?;
    let home = make(folder, "postgres")?;
    let password = secret();
    make_cluster(&programs, user, &home, &password)?;
    on_a_free_port(|port| {
        let mut command = Command::new(programs.join("postgres"));
        command.arg("-D").arg(home.join("data"));
        // The data is of tests only, so it need not survive a crash.
        for setting in
            ["listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off", &format!("port={port}")]
        {
            command.args(["-c", setting]);
        }
        // SIGINT ends its clients' connections; SIGTERM would wait for them.
        let mut server = Server::start(command, user, &home, "INT")?;
        server.wait(|log| log.contains("ready to accept connections").then_some(()))?;
        let url = format!("postgres://{USER}:{password}@127.0.0.1:{port}/postgres");
        Ok(Running { server, variables: vec![("AGENTWIRE_TEST_POSTGRES_URL", url)] })
    })
}

fn make_cluster(programs: &Path, user: Option<&str>, home: &Path, password: &str) -> Result<(), Failure> {
    let file = home.join("password");
    fs::write(&file, password).while_doing(|| format!("writing {}", file.display()))?;
    if let Some(user) = user {
        program::output(Command::new("chown").arg(format!("{user}:")).args([home, &*file]))?;
    }
    let mut command = Command::new(programs.join("initdb"));
    command.arg("-D").arg(home.join("data")).arg("--pwfile").arg(&file);
    command.args(["-U", USER, "--auth=scram-sha-256", "--no-sync", "--encoding=UTF8", "--locale=C"]);
    program::output(bound_to_us(command, user, "KILL").current_dir(home))?;
    fs::remove_file(&file).while_doing(|| format!("removing {}", file.display()))
}

/// Where its programs are; Debian puts them outside of `PATH`, in a folder for each version.
pub(super) fn programs() -> Result<PathBuf, Failure> {
    if let Some(programs) = find_programs() {
        return Ok(programs);
    }
    machine::install("postgres", &["postgresql"])?;
    find_programs().ok_or_else(|| Failure::new("postgres is still not there after installing its package"))
}

fn find_programs() -> Option<PathBuf> {
    let on_path = env::var_os("PATH").map(|path| env::split_paths(&path).collect::<Vec<_>>());
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut versions: Vec<PathBuf> = versions.map(|entry| entry.path().join("bin")).collect();
    versions.sort();
    let folders = versions.into_iter().rev().chain(on_path.into_iter().flatten());
    let mut whole = folders.filter(|folder| PROGRAMS.iter().all(|name| folder.join(name).is_file()));
    whole.next()
}

const PROGRAMS: &[&str] = &["initdb", "postgres"];
const USER: &str = "agentwire";

/// Returns the name of a user without privileges, for a server that refuses to run as root, if this process does.
fn unprivileged() -> Result<Option<&'static str>, Failure> {
    if !machine::is_root() {
        return Ok(None);
    }
    let is_there = program::works(Command::new("id").arg(UNPRIVILEGED));
    if is_there {
        Ok(Some(UNPRIVILEGED))
    } else {
        Err(Failure::new(format!("there is no user `{UNPRIVILEGED}`")))
    }
}

/// The user that the package of PostgreSQL creates.
const UNPRIVILEGED: &str = "postgres";
