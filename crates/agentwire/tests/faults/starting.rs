//! Failed starts name their cause: the program, the directory, or the searched locations.

use std::{
    fs,
    path::Path,
    process::{Command, ExitCode},
};

use agentwire::{
    Error, Options, Session,
    transport::{TransportError, process::CliSearch},
};

use crate::{
    fault_cli::{FaultCli, runtime},
    runner::tests,
};

tests!(starting: missing_program_is_named, program_without_permission_is_named, missing_directory_is_named, overlong_arguments_are_reported, searched_locations_are_named);

/// Returns the error of a failing start, with its causes.
fn refused(options: Options) -> (Error, String) {
    let error = runtime().block_on(Session::connect(options)).unwrap_err();
    let report = error.report().to_string();
    (error, report)
}

fn names(report: &str, path: &Path) {
    assert!(report.contains(&path.display().to_string()), "{report}");
}

fn missing_program_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let missing = dir.path().join("missing");
    let (error, report) = refused(Options::new().path_to_claude_code_executable(&missing));
    assert!(matches!(error, Error::Start(TransportError::NoSuchProgram { .. })), "{error:?}");
    names(&report, &missing);
}

fn program_without_permission_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    fs::write(&data, "").unwrap();
    let (error, report) = refused(Options::new().path_to_claude_code_executable(&data));
    assert!(matches!(error, Error::Start(TransportError::NotExecutable { .. })), "{error:?}");
    names(&report, &data);
}

fn missing_directory_is_named() {
    let (cli, dir) = (FaultCli::new(""), tempfile::tempdir().unwrap());
    let missing = dir.path().join("missing");
    let (error, report) = refused(cli.options().cwd(&missing));
    assert!(matches!(error, Error::Start(TransportError::NoSuchDirectory { .. })), "{error:?}");
    names(&report, &missing);
    cli.leaves_nothing();
}

fn overlong_arguments_are_reported() {
    let cli = FaultCli::new("");
    let (error, report) = refused(cli.options().extra_arg("long", Some(&"x".repeat(5_000_000))));
    let Error::Start(TransportError::ArgumentsTooLong { bytes }) = error else { panic!("{error:?}") };
    assert!(bytes > 5_000_000);
    assert!(report.contains(&bytes.to_string()), "{report}");
    cli.leaves_nothing();
}

fn searched_locations_are_named() {
    let mut search = Command::new(std::env::current_exe().unwrap());
    search.env(SEARCHER, "1").env_remove("AGENTWIRE_CLI").env("PATH", "/nowhere/bin:/no/place");
    let mut report = |home: Option<&str>| {
        match home {
            Some(home) => search.env("HOME", home),
            None => search.env_remove("HOME"),
        };
        let searched = search.output().unwrap();
        assert!(searched.status.success(), "{searched:?}");
        String::from_utf8(searched.stdout).unwrap()
    };
    // Some editors start programs without `HOME`.
    let report_without_home = report(None);
    assert!(report_without_home.contains("/.local/bin/claude"), "{report_without_home}");
    let report = report(Some("/nobody"));
    if report.trim() == FOUND {
        assert!(std::env::var_os("CI").is_none(), "CI must have no CLI for all users");
        println!("not run: {FOUND}");
        return;
    }
    for place in
        ["/nowhere/bin/claude", "/no/place/claude", "/nobody/.local/bin/claude", "/usr/local/bin/claude"]
    {
        names(&report, Path::new(place));
    }
}

/// Restarts this program without a CLI: prints why none was found, or where it is searched if there is no `HOME`.
pub(crate) fn search() -> ExitCode {
    if std::env::var_os("HOME").is_none() {
        println!("{:?}", CliSearch::from_env().installs);
        return ExitCode::SUCCESS;
    }
    match Session::builder().launch() {
        Err(error @ Error::CliNotFound(_)) => println!("{}", error.report()),
        Ok(launch) => {
            let found = format!("{launch:?}");
            assert!(SYSTEM_INSTALLS.iter().any(|place| found.contains(place)), "{found}");
            println!("{FOUND}");
        }
        Err(error) => {
            println!("{error:?}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// Printed instead of the error on a machine where the search can't fail.
const FOUND: &str = "a CLI for all users was found";
const SYSTEM_INSTALLS: &[&str] = &["/usr/local/bin/claude", "/opt/homebrew/bin/claude", "/usr/bin/claude"];

/// Set if this program should search for a CLI.
pub(crate) const SEARCHER: &str = "AGENTWIRE_TEST_SEARCHER";
