//! Redis, from the package of that name, which writes to its disk before it answers.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::server::{Running, Server, make, on_a_free_port, secret};
use crate::failure::Failure;
use crate::machine;
use crate::program;

/// Starts it.
pub(super) fn start(folder: &Path) -> Result<Running, Failure> {
    machine::provide(&[PROGRAM])?;
    let program = program::find(PROGRAM).ok_or_else(|| Failure::new("redis-server not installed"))?;
    let password = secret();
    let mut tries = 0;
    on_a_free_port(|port| {
        tries += 1;
        let data = make(folder, &format!("redis-{tries}"))?;
        let mut command = Command::new(&program);
        command.args(["--bind", "127.0.0.1", "--port", &port.to_string(), "--requirepass", &password]);
        command
            .args(["--appendonly", "yes", "--appendfsync", "always", "--save", ""])
            .arg("--dir")
            .arg(&data);
        let mut server = Server::start(&command, None, &data, "TERM")?;
        server.wait(|_| answers(port, &password).then_some(()))?;
        let variables = vec![
            ("AGENTWIRE_TEST_REDIS_URL", format!("redis://:{password}@127.0.0.1:{port}/")),
            // For the test that stops a server and starts it again: one of its own.
            ("AGENTWIRE_TEST_REDIS_SERVER", program.display().to_string()),
        ];
        Ok(Running { server, variables })
    })
}

/// Whether it takes the password, and commands.
fn answers(port: u16, password: &str) -> bool {
    let ask = || -> std::io::Result<String> {
        let mut stream = TcpStream::connect(("127.0.0.1", port))?;
        stream.set_read_timeout(Some(Duration::from_secs(5)))?;
        write!(stream, "AUTH {password}\r\nPING\r\nQUIT\r\n")?;
        let mut said = String::new();
        stream.read_to_string(&mut said)?;
        Ok(said)
    };
    ask().is_ok_and(|said| said.starts_with("+OK\r\n+PONG\r\n"))
}

/// The program's name.
pub(super) const PROGRAM: &str = "redis-server";
