//! A real OpenSSH server on loopback, with keys of its own: `cargo xtask ci ssh` runs this.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use agentwire_remote::Ssh;
use agentwire_testkit::conformance::{self, PartKind};
use agentwire_transport::process::{Grace, Launch};
use agentwire_transport::{ByteSink as _, ByteSource as _, PeerHandle as _, Signal, Transport as _};
use tempfile::TempDir;
use tokio::time::timeout;

use crate::stand_in::peer;

/// The server of a test, which ends with it.
struct Sshd {
    folder: TempDir,
    port: u16,
    server: Child,
}

impl Sshd {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().display().to_string();
        for key in ["host", "user"] {
            let made = Command::new("ssh-keygen")
                .args(["-q", "-t", "ed25519", "-N", "", "-f"])
                .arg(folder.path().join(key))
                .status();
            assert!(made.unwrap().success());
        }
        fs::copy(folder.path().join("user.pub"), folder.path().join("allowed")).unwrap();
        // A server that runs as root needs this folder.
        let _ = fs::create_dir_all("/run/sshd");
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let options = [
            format!("ListenAddress=127.0.0.1:{port}"),
            format!("HostKey={place}/host"),
            format!("AuthorizedKeysFile={place}/allowed"),
            format!("PidFile={place}/pid"),
            "StrictModes=no".to_owned(),
            "PermitRootLogin=prohibit-password".to_owned(),
        ];
        let mut command = Command::new("/usr/sbin/sshd");
        command.args(["-D", "-e", "-f", "/dev/null"]).args(options.map(|option| format!("-o{option}")));
        let server = command.stderr(Stdio::null()).spawn().unwrap();
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(begun.elapsed() < Duration::from_secs(10), "the server does not listen");
            std::thread::yield_now();
        }
        Self { folder, port, server }
    }

    fn ssh(&self) -> Ssh {
        let place = self.folder.path().display();
        Ssh::new("127.0.0.1")
            .arg(format!("-p{}", self.port))
            .arg(format!("-i{place}/user"))
            .arg("-F/dev/null")
            .arg("-oIdentitiesOnly=yes")
            .arg("-oStrictHostKeyChecking=accept-new")
            .arg(format!("-oUserKnownHostsFile={place}/known"))
    }
}

impl Drop for Sshd {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs an OpenSSH server"]
async fn real_ssh_meets_the_contract() {
    let sshd = Sshd::start();
    let report = conformance::transport(|part| {
        let short = Duration::from_millis(200);
        let grace = Grace::default().after_input(short).after_terminate(short);
        (part.kind() != PartKind::Broken).then(|| sshd.ssh().run(&peer(part)).grace(grace))
    });
    let report = report.cancel_safe_reads().run().await;
    assert!(report.is_clean(), "{report}");
}

/// The client is killed, so that only the connection ends.
#[tokio::test]
#[ignore = "needs an OpenSSH server"]
async fn far_cli_ends_after_the_client_was_killed() {
    let sshd = Sshd::start();
    let cli = Launch::new("sh").args(["-c", "echo $$; trap : TERM; while :; do sleep 0.1; done"]);
    let mut link = sshd.ssh().run(&cli.env("VALUE", "a 'b'")).open().await.unwrap();
    let line = link.source.read().await.unwrap().unwrap();
    let pid = String::from_utf8(line.to_vec()).unwrap();
    let is_alive =
        || Command::new("kill").args(["-0", pid.trim()]).stderr(Stdio::null()).status().unwrap().success();
    assert!(is_alive());
    link.handle.signal(Signal::Kill).unwrap();
    link.handle.wait().await;
    let ended = async {
        let mut looks = tokio::time::interval(Duration::from_millis(100));
        while is_alive() {
            looks.tick().await;
        }
    };
    timeout(Duration::from_secs(30), ended).await.expect("the far CLI still runs");
    // The input can't be written any more.
    assert!(link.sink.write("x\n".into()).await.is_err());
}
