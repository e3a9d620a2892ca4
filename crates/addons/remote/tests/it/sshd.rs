//! A real OpenSSH server, with keys of its own: `cargo xtask ci ssh` runs this.

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use agentwire_remote::Ssh;
use agentwire_testkit::conformance::{self, PartKind};
use agentwire_transport::process::{Grace, Launch};
use agentwire_transport::{ByteSink as _, ByteSource as _, PeerHandle as _, Signal, Transport as _};
use tempfile::TempDir;
use tokio::time::timeout;

use crate::stand_in::peer;

/// The folder with the keys of a server. Each client starts a server of its own, which needs no port.
struct Sshd(TempDir);

impl Sshd {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for key in ["host", "user"] {
            let made = Command::new("ssh-keygen")
                .args(["-q", "-t", "ed25519", "-N", "", "-f"])
                .arg(folder.path().join(key))
                .status();
            assert!(made.unwrap().success());
        }
        // A server that runs as root needs this folder.
        let _ = fs::create_dir_all("/run/sshd");
        Self(folder)
    }

    fn ssh(&self) -> Ssh {
        let place = self.0.path().display();
        // A real server runs on another machine, so signals to the client's process group must not reach this one.
        let server = format!(
            "setsid /usr/sbin/sshd -i -f /dev/null -oHostKey={place}/host -oAuthorizedKeysFile={place}/user.pub \
             -oStrictModes=no -oPermitRootLogin=prohibit-password 2>/dev/null"
        );
        Ssh::new("127.0.0.1")
            .arg(format!("-oProxyCommand={server}"))
            .arg(format!("-i{place}/user"))
            .arg("-F/dev/null")
            .arg("-oIdentitiesOnly=yes")
            .arg("-oStrictHostKeyChecking=accept-new")
            .arg(format!("-oUserKnownHostsFile={place}/known"))
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs an OpenSSH server"]
async fn real_ssh_meets_the_contract() {
    let sshd = Sshd::new();
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
    let sshd = Sshd::new();
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
