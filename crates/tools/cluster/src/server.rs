//! One server: a process of ours that is started, awaited, and stopped.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};
use std::net::TcpListener;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use std::{fs, thread};

use crate::failure::{Failure, While as _};
use crate::program;

/// A server that is ready, and the variables by which tests find it.
#[derive(Debug)]
pub struct Running {
    /// The process.
    pub server: Server,
    /// Environment variables.
    pub variables: Vec<(&'static str, String)>,
}

/// A process, which is stopped when this is dropped.
#[derive(Debug)]
pub struct Server {
    child: Child,
    log: PathBuf,
    /// The signal that ends it quickly and cleanly.
    signal: &'static str,
}

impl Server {
    /// Starts the server, with its output in a file.
    ///
    /// The kernel ends the server when this process ends, even by SIGKILL.
    pub fn start(
        command: Command,
        user: Option<&str>,
        folder: &Path,
        signal: &'static str,
    ) -> Result<Self, Failure> {
        let log = folder.join("log");
        let file = fs::File::create(&log).while_doing(|| format!("making {}", log.display()))?;
        let mut bound = bound_to_us(command, user, "KILL");
        bound.current_dir(folder).stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file);
        let child = bound.spawn().while_doing(|| format!("running `{}`", program::show(&bound)))?;
        Ok(Self { child, log, signal })
    }

    /// Returns the id of the process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Kills it with SIGKILL, and waits until it is gone.
    pub fn kill(&mut self) -> Result<(), Failure> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// Waits until `ready` returns a value, as long as the process lives and within a limit.
    pub fn wait<T>(&mut self, mut ready: impl FnMut(&str) -> Option<T>) -> Result<T, Failure> {
        let started = Instant::now();
        loop {
            let log = fs::read_to_string(&self.log).unwrap_or_default();
            if let Some(ready) = ready(&log) {
                return Ok(ready);
            }
            let trouble = match self.child.try_wait()? {
                Some(status) => format!("it ended with {status}"),
                None if started.elapsed() > LIMIT => format!("it was not ready within {LIMIT:?}"),
                None => {
                    thread::sleep(Duration::from_millis(20));
                    continue;
                }
            };
            let last: Vec<&str> = log.lines().rev().take(20).collect();
            let last: Vec<&str> = last.into_iter().rev().collect();
            return Err(Failure::new(format!("{trouble}, with the output:\n{}", last.join("\n"))));
        }
    }

    /// Waits for the line with the URL of the server, and returns the URL.
    pub fn url(&mut self) -> Result<String, Failure> {
        self.wait(|log| {
            let mut complete = log.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
            complete.find(|line| line.starts_with("http://")).map(str::to_owned)
        })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The id of a process that has ended may be that of another one.
        if !matches!(self.child.try_wait(), Ok(None)) {
            return;
        }
        // The shell's built-in `kill`, because the program of that name is not installed everywhere.
        let kill = format!("kill -{} {}", self.signal, self.child.id());
        drop(program::output(Command::new("sh").args(["-c", &kill])));
        let started = Instant::now();
        while matches!(self.child.try_wait(), Ok(None)) {
            if started.elapsed() > GRACE {
                drop(self.child.kill());
                drop(self.child.wait());
                return;
            }
            thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Returns the command, run as this user; it gets this signal, such as `KILL`, when we end.
pub fn bound_to_us(command: Command, user: Option<&str>, signal: &str) -> Command {
    let Some(setpriv) = program::find("setpriv") else { return command };
    let mut bound = Command::new(setpriv);
    bound.args(["--pdeathsig", signal]);
    if let Some(user) = user {
        bound.args([format!("--reuid={user}"), format!("--regid={user}"), "--clear-groups".to_owned()]);
    }
    bound.arg("--");
    program::wrapped(bound, &command)
}

/// Returns a free port; another server may take it before the caller's does.
///
/// No outgoing connection takes it: the system gives those higher ports.
pub fn free_port() -> Result<u16, Failure> {
    static TRIED: AtomicU32 = AtomicU32::new(0);
    let ports = PORTS.end - PORTS.start;
    // Processes that run at the same time begin at different ports.
    for _ in 0..ports {
        let number = std::process::id().wrapping_mul(97).wrapping_add(TRIED.fetch_add(1, Ordering::Relaxed));
        let port = u16::try_from(PORTS.start + number % ports).unwrap_or(u16::MAX);
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return Ok(port);
        }
    }
    Err(Failure::new(format!("no port of {PORTS:?} is free")))
}

/// Below the ports of outgoing connections, which begin at 32768 on Linux.
const PORTS: Range<u32> = 20_000..32_000;

/// Starts a server on a free port, and on another one if that was taken meanwhile.
pub fn on_a_free_port<T>(mut start: impl FnMut(u16) -> Result<T, Failure>) -> Result<T, Failure> {
    let mut tries = 0;
    loop {
        tries += 1;
        match start(free_port()?) {
            Err(failure) if tries < 3 && failure.to_string().contains("in use") => {}
            other => return other,
        }
    }
}

/// Creates a folder.
pub fn make(parent: &Path, name: &str) -> Result<PathBuf, Failure> {
    let folder = parent.join(name);
    fs::create_dir(&folder).while_doing(|| format!("creating {}", folder.display()))?;
    Ok(folder)
}

/// Returns a random password.
pub fn secret() -> String {
    let hash = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", hash(), hash())
}

/// A first start on a busy machine takes seconds.
const LIMIT: Duration = Duration::from_secs(120);
/// How long a server may take to end after its signal.
const GRACE: Duration = Duration::from_secs(5);
