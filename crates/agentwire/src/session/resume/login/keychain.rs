//! The login in the macOS keychain.

/// Returns the login from the keychain, if there is one.
#[cfg(target_os = "macos")]
pub(super) fn login() -> Option<Vec<u8>> {
    use std::{
        io::Read,
        process::{Command, Stdio},
        thread,
        time::{Duration, Instant},
    };

    let user = std::env::var("USER").unwrap_or_else(|_| "claude-code-user".to_owned());
    let mut asked = Command::new("security")
        .args(["find-generic-password", "-a", &user, "-w", "-s", "Claude Code-credentials"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let until = Instant::now() + Duration::from_secs(5);
    // It may prompt the user, who may be away. Its output fits into the pipe buffer.
    // An error means that it has exited and its exit status is lost.
    while let Ok(None) = asked.try_wait() {
        if Instant::now() >= until {
            let _ = asked.kill();
            let _ = asked.wait();
            return None;
        }
        thread::sleep(Duration::from_millis(10));
    }
    let mut login = Vec::new();
    asked.stdout.take()?.read_to_end(&mut login).ok()?;
    let login = login.trim_ascii().to_vec();
    let has_failed = asked.wait().is_ok_and(|status| !status.success());
    (!has_failed && !login.is_empty()).then_some(login)
}

/// Only macOS has a keychain that the CLI uses.
#[cfg(not(target_os = "macos"))]
pub(super) fn login() -> Option<Vec<u8>> {
    None
}
