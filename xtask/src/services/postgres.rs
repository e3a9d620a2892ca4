//! PostgreSQL, from the package of that name, as a user without privileges: it refuses root.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::server::{Running, Server, User, bound_to_us, make, on_a_free_port, secret};
use crate::failure::{Failure, While as _};
use crate::machine;
use crate::program;

/// Starts it, with a new cluster of its own.
pub(super) fn start(folder: &Path) -> Result<Running, Failure> {
    let programs = programs()?;
    let user = User::unprivileged()?;
    let home = make(folder, "postgres")?;
    let password = secret();
    make_cluster(&programs, user.as_ref(), &home, &password)?;
    on_a_free_port(|port| {
        let mut command = Command::new(programs.join("postgres"));
        command.arg("-D").arg(home.join("data"));
        // The data is of tests only, so it need not survive a crash.
        for setting in
            ["listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off", &format!("port={port}")]
        {
            command.args(["-c", setting]);
        }
        // An interrupt ends its clients' connections; a plain end waits for them.
        let mut server = Server::start(&command, user.as_ref(), &home, "INT")?;
        let mut ready = Command::new(programs.join("pg_isready"));
        ready.args(["-q", "-h", "127.0.0.1", "-p", &port.to_string()]);
        server.wait(|_| program::works(&mut ready).then_some(()))?;
        let url = format!("postgres://{USER}:{password}@127.0.0.1:{port}/postgres");
        Ok(Running { server, variables: vec![("AGENTWIRE_TEST_POSTGRES_URL", url)] })
    })
}

fn make_cluster(programs: &Path, user: Option<&User>, home: &Path, password: &str) -> Result<(), Failure> {
    let file = home.join("password");
    fs::write(&file, password).while_doing(|| format!("writing {}", file.display()))?;
    if let Some(user) = user {
        user.give(home)?;
        user.give(&file)?;
    }
    let mut command = Command::new(programs.join("initdb"));
    command.arg("-D").arg(home.join("data")).arg("--pwfile").arg(&file);
    command.args(["-U", USER, "--auth=scram-sha-256", "--no-sync", "--encoding=UTF8", "--locale=C"]);
    program::output(bound_to_us(&command, user).current_dir(home))?;
    fs::remove_file(&file).while_doing(|| format!("removing {}", file.display()))
}

/// Where its programs are; Debian puts them beside `PATH`, a folder for each version.
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

const PROGRAMS: &[&str] = &["initdb", "postgres", "pg_isready"];
const USER: &str = "agentwire";
