//! A CLI on another machine.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;

use agentwire_transport::process::Launch;

use crate::Remote;
use crate::remote::far_command;

/// Another machine: `ssh`.
#[derive(Clone, Debug)]
pub struct Ssh {
    ssh: PathBuf,
    host: OsString,
    args: Vec<OsString>,
}

impl Ssh {
    /// Names a host: `HOST`, `USER@HOST`, or a name of the configuration of ssh.
    pub fn new(host: impl Into<OsString>) -> Self {
        Self { ssh: "ssh".into(), host: host.into(), args: Vec::new() }
    }

    /// Sets the program, instead of `ssh` in `PATH`.
    #[must_use]
    pub fn ssh(mut self, program: impl Into<PathBuf>) -> Self {
        self.ssh = program.into();
        self
    }

    /// Adds an option of `ssh`, such as `-p2222` or `-oProxyJump=gate`. It replaces one that this crate sets.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Returns a transport that starts this CLI on the host.
    ///
    /// `ssh` asks for no password, because there is no terminal, waits 30 seconds for an answer of the host, and notices a
    /// lost connection after 45 seconds.
    pub fn run(&self, cli: &Launch) -> Remote {
        let words: Vec<OsString> = far_command(cli).iter().map(|word| quote(word)).collect();
        let launch = Launch::new(&self.ssh).args(self.args.clone()).args(OPTIONS);
        Remote::new(launch.arg("--").arg(self.host.clone()).arg(words.join(OsStr::new(" "))), cli)
    }
}

/// Quotes a word for the login shell of the host, to which ssh passes one text.
fn quote(word: &OsStr) -> OsString {
    let mut quoted = vec![b'\''];
    for &byte in word.as_bytes() {
        match byte {
            b'\'' => quoted.extend(br"'\''"),
            byte => quoted.push(byte),
        }
    }
    quoted.push(b'\'');
    OsString::from_vec(quoted)
}

/// These options follow the user's, because `ssh` takes the first value of an option. A host that does not answer is
/// reported before the handshake times out.
const OPTIONS: &[&str] =
    &["-T", "-oBatchMode=yes", "-oConnectTimeout=30", "-oServerAliveInterval=15", "-oServerAliveCountMax=2"];

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
    use std::process::Command;

    use proptest::prelude::*;

    use super::quote;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// The shell reads each quoted word back, byte for byte.
        #[test]
        fn quoted_words_are_safe_in_a_shell(words in proptest::collection::vec(word(), 1..8)) {
            let command: Vec<OsString> = words.iter().map(|word| quote(word)).collect();
            let script = [OsString::from(r#"printf '%s\0'"#), command.join(" ".as_ref())].join(" ".as_ref());
            let output = Command::new("sh").arg("-c").arg(script).output().unwrap();
            let expected: Vec<u8> = words.iter().flat_map(|word| [word.as_bytes(), b"\0"].concat()).collect();
            prop_assert_eq!(output.stdout, expected);
        }
    }

    /// Bytes other than NUL; those with a meaning in a shell are frequent.
    fn word() -> impl Strategy<Value = OsString> {
        let byte =
            prop_oneof![1_u8..=255, proptest::sample::select(b"' \"$`\\\n;&|<>()*?[]{}~#!%=-\t".to_vec())];
        proptest::collection::vec(byte, 0..24).prop_map(OsString::from_vec)
    }
}
