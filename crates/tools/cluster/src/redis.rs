//! Redis, from the package of that name.

use std::path::Path;
use std::process::Command;

use crate::failure::Failure;
use crate::program;
use crate::server::{Running, Server, make, on_a_free_port, secret};

/// Starts it. `fsync` is the value of `appendfsync`: when it writes to its disk.
pub fn start(folder: &Path, fsync: &str) -> Result<Running, Failure> {
    let program = program::find(PROGRAM).ok_or_else(|| Failure::new("redis-server not installed"))?;
    let password = secret();
    let mut tries = 0;
    on_a_free_port(|port| {
        tries += 1;
        let data = make(folder, &format!("redis-{tries}"))?;
        let mut command = Command::new(&program);
        command.args(["--bind", "127.0.0.1", "--port", &port.to_string(), "--requirepass", &password]);
        command.args(["--appendonly", "yes", "--appendfsync", fsync, "--save", ""]).arg("--dir").arg(&data);
        let mut server = Server::start(command, None, &data, "TERM")?;
        server.wait(|log| log.contains("Ready to accept connections").then_some(()))?;
        let variables = vec![
            (URL, format!("redis://:{password}@127.0.0.1:{port}/")),
            // For the test that stops and restarts a server of its own.
            ("AGENTWIRE_TEST_REDIS_SERVER", program.display().to_string()),
        ];
        Ok(Running { server, variables })
    })
}

/// The variable with the server's URL.
pub const URL: &str = "AGENTWIRE_TEST_REDIS_URL";
/// The program's name.
pub const PROGRAM: &str = "redis-server";
