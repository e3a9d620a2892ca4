//! Stand-ins for `docker`, `kubectl` and `ssh`: scripts that run the far command on this machine.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::{env, process};

use agentwire_remote::{Container, Pod, Remote, Ssh};
use agentwire_testkit::conformance::Part;
use agentwire_transport::process::Launch;
use tempfile::TempDir;

/// The folder with the scripts.
pub(crate) struct StandIns(TempDir);

/// The kinds of far sides.
pub(crate) const KINDS: [&str; 3] = ["docker", "kubectl", "ssh"];

impl StandIns {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, script) in SCRIPTS {
            let file = folder.path().join(name);
            fs::write(&file, script).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        }
        Self(folder)
    }

    pub(crate) fn run(&self, kind: &str, cli: &Launch) -> Remote {
        match kind {
            "docker" => {
                Container::with_engine(self.program("docker"), "image").arg("--network=none").run(cli)
            }
            "kubectl" => Pod::new("pod").kubectl(self.program("kubectl")).arg("--namespace=agents").run(cli),
            _ => Ssh::new("host").ssh(self.program("ssh")).arg("-p2222").run(cli),
        }
    }

    fn program(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

/// Returns a CLI that plays a part: this test program again.
pub(crate) fn peer(part: &Part) -> Launch {
    // The test harness prints to the standard output.
    let script = r#"exec "$0" --exact stand_in::plays_a_part --include-ignored --nocapture 3<&0 4>&1 </dev/null >/dev/null"#;
    Launch::new("sh").args(["-c", script]).arg(env::current_exe().unwrap()).env(PART, part.name())
}

#[test]
#[ignore = "the peer of other tests, which start it"]
fn plays_a_part() {
    let part = Part::named(&env::var(PART).unwrap()).unwrap();
    let (input, output) =
        (File::open("/dev/fd/3").unwrap(), File::options().write(true).open("/dev/fd/4").unwrap());
    process::exit(part.play(input, output).into());
}

const PART: &str = "AGENTWIRE_TEST_PART";

/// Each script skips the program's own arguments and runs the rest; `ssh` passes the rest to a shell as one text.
const SCRIPTS: &[(&str, &str)] = &[
    ("docker", "#!/bin/sh\nwhile [ \"$1\" != image ]; do shift; done\nshift\nexec \"$@\"\n"),
    ("kubectl", "#!/bin/sh\nwhile [ \"$1\" != -- ]; do shift; done\nshift\nexec \"$@\"\n"),
    ("ssh", "#!/bin/sh\nwhile [ \"$1\" != -- ]; do shift; done\nshift 2\nexec sh -c \"$*\"\n"),
];
