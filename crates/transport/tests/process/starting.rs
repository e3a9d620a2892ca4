//! Starting a program, and the errors of starting it.

use std::{fs, io::ErrorKind, os::unix::fs::PermissionsExt, path::Path, time::Duration};

use agentwire_transport::{
    PeerHandle, Transport, TransportError,
    process::{CliVersion, Launch, ProcessTransport},
};

use crate::fake::FAKE;
use crate::support::{fake, open, patient, read_all, run};

crate::runner::tests!(starting:
    arguments_environment_and_directory_are_passed, cleared_environment_is_empty, child_leads_its_own_group,
    missing_program_is_named, missing_interpreter_is_a_spawn_error, program_that_is_not_executable_is_named,
    missing_directory_is_named, arguments_that_are_too_long_are_counted, open_without_a_runtime_fails,
    open_in_a_runtime_without_io_fails, failed_open_leaks_nothing, version_is_read_from_the_program,
    version_has_a_time_limit, output_that_is_no_version_is_an_error,
    relative_program_is_resolved_in_our_directory,
);

fn refused(launch: Launch) -> TransportError {
    run(ProcessTransport::new(launch).open()).expect_err("it started")
}

fn arguments_environment_and_directory_are_passed() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path().canonicalize().unwrap();
    let launch = fake(&["where"]).env("ONE", "1").env_remove("HOME").env("PATH", "p").cwd(&dir);
    let output =
        run(async { read_all(&mut ProcessTransport::new(launch).open().await.unwrap().source).await });
    assert_eq!(String::from_utf8(output).unwrap(), format!("{} 1 - p", dir.display()));
}

fn cleared_environment_is_empty() {
    let launch = fake(&["where"]).env_clear().cwd("/");
    let output =
        run(async { read_all(&mut ProcessTransport::new(launch).open().await.unwrap().source).await });
    assert_eq!(output, b"/ - - -");
}

fn child_leads_its_own_group() {
    run(async {
        let mut link = open(&["group"], patient()).await;
        let pid = link.handle.pid();
        assert_eq!(read_all(&mut link.source).await, format!("{pid} {pid}").into_bytes());
    });
}

fn missing_program_is_named() {
    for program in ["/no/such/program", "no-such-program-at-all"] {
        let error = refused(Launch::new(program));
        assert!(
            matches!(&error, TransportError::NoSuchProgram { program: named } if named == Path::new(program))
        );
    }
}

fn missing_interpreter_is_a_spawn_error() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("script");
    fs::write(&file, "#!/no/such/interpreter\n").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    assert!(matches!(refused(Launch::new(file)), TransportError::Spawn { .. }));
    let bare = Launch::new("script").env("PATH", dir.path());
    assert!(matches!(refused(bare.clone()), TransportError::Spawn { .. }));
    assert!(matches!(refused(bare.env_clear()), TransportError::Spawn { .. }));
}

fn program_that_is_not_executable_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("data");
    fs::write(&file, "data").unwrap();
    assert!(
        matches!(refused(Launch::new(&file)), TransportError::NotExecutable { program } if program == file)
    );
    assert!(matches!(refused(Launch::new(dir.path())), TransportError::NotExecutable { .. }));
}

fn missing_directory_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let missing = dir.path().join("missing");
    let error = refused(fake(&["exit", "0"]).cwd(&missing));
    assert!(matches!(error, TransportError::NoSuchDirectory { dir } if dir == missing));
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    assert!(matches!(refused(fake(&["exit", "0"]).cwd(file)), TransportError::NoSuchDirectory { .. }));
}

fn arguments_that_are_too_long_are_counted() {
    let error = refused(fake(&["exit", "0"]).arg("x".repeat(5_000_000)));
    assert!(matches!(error, TransportError::ArgumentsTooLong { bytes } if bytes > 5_000_000), "{error:?}");
}

fn open_without_a_runtime_fails() {
    let mut open = Box::pin(ProcessTransport::new(fake(&["exit", "0"])).open());
    let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
    let std::task::Poll::Ready(opened) = open.as_mut().poll(&mut cx) else { panic!("it waits") };
    assert!(matches!(opened, Err(TransportError::Io { .. })));
}

/// Tokio prints a panic message here, which can't be prevented.
fn open_in_a_runtime_without_io_fails() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let error = runtime.block_on(ProcessTransport::new(fake(&["exit", "0"])).open()).unwrap_err();
    let TransportError::Io { source, .. } = error else { panic!("{error:?}") };
    assert!(source.to_string().contains("`enable_all`"), "{source}");
}

fn failed_open_leaks_nothing() {
    // So many failures that a leak of one descriptor or thread each exceeds the noise of other tests.
    let count = |what: &str| fs::read_dir(format!("/proc/self/{what}")).unwrap().count();
    let before = (count("fd"), count("task"));
    for _ in 0..200 {
        refused(Launch::new("/no/such/program"));
    }
    assert!(count("fd") < before.0 + 150, "descriptors");
    assert!(count("task") < before.1 + 150, "threads");
}

fn version_is_read_from_the_program() {
    let version = run(CliVersion::ask(&fake(&["hang"]), Duration::from_secs(15))).unwrap();
    assert_eq!(version, CliVersion::parse("2.1.330").unwrap());
    assert!(version >= CliVersion::MIN);
}

fn version_has_a_time_limit() {
    let launch = fake(&[]).env(FAKE, "hang");
    let error = run(CliVersion::ask(&launch, Duration::from_millis(100))).unwrap_err();
    assert!(matches!(error, TransportError::Io { source, .. } if source.kind() == ErrorKind::TimedOut));
}

fn output_that_is_no_version_is_an_error() {
    // One prints text that is not a version, the other prints nothing.
    for part in ["where", "die"] {
        let error = run(CliVersion::ask(&fake(&[]).env(FAKE, part), Duration::from_secs(15))).unwrap_err();
        assert!(
            matches!(error, TransportError::Io { source, .. } if source.kind() == ErrorKind::InvalidData)
        );
    }
}

fn relative_program_is_resolved_in_our_directory() {
    // Relative to our directory. The child's directory is so deep that the path would not resolve from there.
    let here = std::env::current_dir().unwrap();
    let up = "../".repeat(here.components().count() - 1);
    let program = std::env::current_exe().unwrap().display().to_string();
    let program = format!("{up}{}", program.trim_start_matches('/'));
    let dir = tempfile::tempdir().unwrap();
    let deep = dir.path().join("deep/".repeat(here.components().count()));
    fs::create_dir_all(&deep).unwrap();
    let launch = Launch::new(program).args(["exit", "7"]).env(FAKE, "1").cwd(deep);
    run(async {
        let link = ProcessTransport::new(launch).open().await.unwrap();
        assert_eq!(link.handle.wait().await.code, Some(7));
    });
}
