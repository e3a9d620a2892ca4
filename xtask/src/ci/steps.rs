//! The steps, in the order in which they run: what fails fast comes first.

use std::process::Command;

use super::plan::{Plan, Size, Step, cargo};
use super::quickstart;
use crate::cli;
use crate::failure::Failure;
use crate::machine;
use crate::netns;
use crate::program;
use crate::sessions_agree;
use crate::workspace::{self, Metadata, Package};

/// A step is a line here and, where it is more than a list of commands, a function below.
#[rustfmt::skip] // One step a line, or the table cannot be read.
pub(super) const STEPS: &[Step] = &[
    Step { name: "lock", size: Size::Usual, plan: || Plan::cargo(["fetch --locked"]), about: "the lock file fits the manifests" },
    Step { name: "fmt", size: Size::Usual, plan: fmt, about: "the formatting is rustfmt's" },
    Step { name: "tidy", size: Size::Usual, plan: || Plan::cargo([&xtask("tidy")]), about: "what no compiler checks" },
    Step { name: "layers", size: Size::Usual, plan: || Plan::cargo([&xtask("layers")]), about: "the order of the crates and their cost" },
    Step { name: "clippy", size: Size::Usual, plan: clippy, about: "no warning, with all features" },
    Step { name: "tests", size: Size::Usual, plan: tests, about: "all tests, with all features" },
    Step { name: "doctests", size: Size::Usual, plan: || Plan::cargo(["test --workspace --all-features --doc"]), about: "the examples in the documentation" },
    Step { name: "docs", size: Size::Usual, plan: docs, about: "the documentation, without a broken link" },
    Step { name: "wasm", size: Size::Usual, plan: wasm, about: "the low crates need no operating system" },
    Step { name: "package", size: Size::Usual, plan: || Plan::cargo([&xtask("package")]), about: "every crate packs, with what it must hold" },
    Step { name: "deny", size: Size::Usual, plan: deny, about: "licences and sources of the dependencies" },
    Step { name: "quickstart", size: Size::Usual, plan: quickstart::run, about: "the example that a new user runs first" },
    Step { name: "conformance", size: Size::Usual, plan: || Plan::cargo([&xtask("conformance")]), about: "the recorded sessions, through the layers" },
    Step { name: "facade", size: Size::Usual, plan: || Plan::cargo([&xtask("conformance --facade")]), about: "the recorded sessions, through a whole session with its callbacks" },
    Step { name: "self-test", size: Size::Usual, plan: || Plan::cargo([&xtask("conformance --self-test")]), about: "conformance finds what is broken on purpose" },
    Step { name: "drift", size: Size::Usual, plan: drift, about: "nothing is declared or recorded that our types lack without a reason" },
    Step { name: "fixtures", size: Size::Usual, plan: || Plan::cargo([&xtask("fixtures list --check")]), about: "the table of what the recordings reach is current" },
    Step { name: "options", size: Size::Usual, plan: || Plan::cargo([&xtask("docs --check")]), about: "the page of options is current" },
    Step { name: "view-browser", size: Size::Usual, plan: view_browser, about: "pages of recorded sessions in headless Chromium" },
    Step { name: "services", size: Size::Usual, plan: services, about: "the stores on Redis, PostgreSQL and an S3 server" },
    Step { name: "sessions-agree", size: Size::Usual, plan: sessions_agree, about: "stored sessions are told as the published Python SDK tells them" },
    Step { name: "mcp-servers", size: Size::Usual, plan: mcp_servers, about: "the hub and the Jupyter server with other people's servers and kernels" },
    Step { name: "mcp-conformance", size: Size::Usual, plan: mcp_conformance, about: "the hub in the conformance suite of the MCP project" },
    Step { name: "hub-marks", size: Size::Usual, plan: || Plan::cargo([&xtask("hub-marks --quick")]), about: "fifty servers at once lose no call" },
    Step { name: "live", size: Size::Usual, plan: live, about: "the current CLI with a scripted model, no network" },
    Step { name: "live-tests", size: Size::Usual, plan: live_tests, about: "each request, and spare processes, by code on the current CLI" },
    Step { name: "services-proof", size: Size::Usual, plan: services_proof, about: "the current CLI goes on from Redis and from PostgreSQL" },
    Step { name: "scripted", size: Size::Usual, plan: quickstart::scripted, about: "the examples, with the real CLI and a scripted model" },
    Step { name: "live-all", size: Size::Long, plan: live_all, about: "every scenario on every version of the CLI" },
    Step { name: "leaving", size: Size::Long, plan: leaving, about: "every guard holds in every way that a host goes away, on every version of the CLI" },
    Step { name: "hub-marks-optimised", size: Size::Long, plan: || Plan::cargo([&xtask("hub-marks")]), about: "the same, and a call beside rmcp alone" },
    Step { name: "services-s3s", size: Size::Long, plan: services_s3s, about: "the store of objects on another S3 server" },
    Step { name: "soak", size: Size::Long, plan: soak, about: "24 sessions with the real CLI leave nothing behind" },
    Step { name: "package-build", size: Size::Long, plan: || Plan::cargo([&xtask("package --build")]), about: "every crate builds from its package" },
    Step { name: "alone", size: Size::Long, plan: alone, about: "each crate builds by itself, with and without its default features" },
    Step { name: "alone-tests", size: Size::Long, plan: alone_tests, about: "the tests of each crate by itself" },
    Step { name: "bare", size: Size::Long, plan: bare, about: "the tests of each crate without its default features" },
    Step { name: "features", size: Size::Long, plan: features, about: "each feature of each crate by itself" },
    Step { name: "powerset", size: Size::Long, plan: powerset, about: "every set of features" },
    Step { name: "msrv", size: Size::Long, plan: msrv, about: "the oldest Rust that is promised" },
    Step { name: "versions", size: Size::Long, plan: versions, about: "everything builds with the lowest and with the newest versions of the dependencies" },
    Step { name: "properties", size: Size::Long, plan: properties, about: "the tests of properties, with many more cases, which are new each time" },
    Step { name: "fuzz", size: Size::Long, plan: fuzz, about: "the fuzz targets, half a minute each" },
    Step { name: "bench", size: Size::Long, plan: || Plan::cargo([&xtask("bench --check")]), about: "the bounds of docs/performance.md, as ratios within one run" },
    Step { name: "quickstart-clean", size: Size::Long, plan: quickstart::from_clean, about: "how long a new user waits for the quickstart" },
];

pub(super) fn xtask(line: &str) -> String {
    // Through cargo, and not by the path of this program: an earlier step may have built it again.
    format!("run --quiet --package xtask -- {line}")
}

fn fmt() -> Result<Plan, Failure> {
    component("fmt", "rustfmt")?;
    Plan::cargo(["fmt --all --check"])
}

fn clippy() -> Result<Plan, Failure> {
    component("clippy", "clippy")?;
    Plan::cargo(["clippy --workspace --all-targets --all-features -- -D warnings"])
}

/// Installs a part of the toolchain in CI, where it is missing.
fn component(name: &str, component: &str) -> Result<(), Failure> {
    if machine::has_cargo(name) || !machine::is_ci() || program::find("rustup").is_none() {
        return Ok(());
    }
    println!("    cargo {name} not installed; CI=true: installing {component}");
    program::run(Command::new("rustup").args(["component", "add", component]))
}

fn tests() -> Result<Plan, Failure> {
    let command = steady(if machine::has_cargo("nextest") {
        "nextest run --workspace --all-features --no-fail-fast"
    } else {
        "test --workspace --all-features --lib --bins --tests --examples --no-fail-fast"
    })?;
    Ok(Plan::Run(vec![command]))
}

/// Properties with the same cases each time: one commit has one verdict. `properties` looks for others.
fn steady(line: &str) -> Result<Command, Failure> {
    let mut command = cargo(line)?;
    command.env("PROPTEST_RNG_SEED", "1");
    Ok(command)
}

/// Properties are tested with other cases each time, and many more of them.
fn properties() -> Result<Plan, Failure> {
    let metadata = Metadata::load()?;
    let mut commands = Vec::new();
    for package in metadata.members().filter(|package| package.depends_on("proptest")) {
        let mut command = cargo(&format!("test --quiet -p {} --all-features --lib --tests", package.name))?;
        command.env("PROPTEST_CASES", "10000");
        commands.push(command);
    }
    Ok(Plan::Run(commands))
}

fn docs() -> Result<Plan, Failure> {
    let mut command = cargo("doc --workspace --no-deps --all-features")?;
    command.env("RUSTDOCFLAGS", "-D warnings");
    Ok(Plan::Run(vec![command]))
}

/// Chosen one by one, crates lend each other no features.
///
/// The stores have no features, and clients that take long to build: `alone-tests` builds each by itself.
fn alone() -> Result<Plan, Failure> {
    let metadata = Metadata::load()?;
    let mut commands = Vec::new();
    let packages = metadata.members().filter(|package| package.is_published());
    for package in packages.filter(|package| !package.name.starts_with("agentwire-store-")) {
        for line in alone_lines(package) {
            commands.push(cargo(&line)?);
        }
    }
    Ok(Plan::Run(commands))
}

fn alone_lines(package: &Package) -> Vec<String> {
    let name = &package.name;
    // Without its tests: a dev-dependency may turn on what the library forgot to ask for.
    let mut lines = vec![format!("check -p {name} --lib")];
    if !package.default_features().is_empty() {
        lines.push(format!("check -p {name} --lib{BARE}"));
    }
    lines
}

fn alone_tests() -> Result<Plan, Failure> {
    let metadata = Metadata::load()?;
    let published = metadata.members().filter(|package| package.is_published());
    let commands =
        published.map(|package| steady(&format!("test --quiet -p {} --lib --tests", package.name)));
    Ok(Plan::Run(commands.collect::<Result<_, _>>()?))
}

/// The tests of what is left without default features.
fn bare() -> Result<Plan, Failure> {
    let metadata = Metadata::load()?;
    let packages = metadata.members().filter(|package| package.is_published());
    let bare = packages.filter(|package| !package.default_features().is_empty());
    let commands =
        bare.map(|package| steady(&format!("test --quiet -p {} --lib --tests{BARE}", package.name)));
    Ok(Plan::Run(commands.collect::<Result<_, _>>()?))
}

fn features() -> Result<Plan, Failure> {
    let metadata = Metadata::load()?;
    let mut commands = Vec::new();
    for package in metadata.members().filter(|package| package.is_published()) {
        for feature in package.features.keys().filter(|feature| *feature != "default") {
            commands.push(cargo(&format!(
                "check -p {} --lib --no-default-features --features {feature}",
                package.name
            ))?);
        }
    }
    Ok(Plan::Run(commands))
}

fn powerset() -> Result<Plan, Failure> {
    if !machine::has_cargo("hack") {
        return Plan::optional("cargo-hack is not installed");
    }
    Plan::cargo(["hack check --workspace --exclude xtask --feature-powerset --no-dev-deps"])
}

fn wasm() -> Result<Plan, Failure> {
    if !machine::has_target(WASM) {
        return Plan::optional(format!("target {WASM} is not installed"));
    }
    Plan::cargo([&format!(
        "check --target {WASM} -p agentwire-protocol -p agentwire-transport -p agentwire-codec -p agentwire-control"
    )])
}

fn fuzz() -> Result<Plan, Failure> {
    if let Some(missing) = crate::fuzz::missing() {
        return Plan::optional(missing);
    }
    Plan::cargo([&xtask("fuzz --seconds 30")])
}

fn deny() -> Result<Plan, Failure> {
    if !machine::has_cargo("deny") {
        return Plan::optional("cargo-deny is not installed");
    }
    Plan::cargo(["deny check licenses bans sources"])
}

fn msrv() -> Result<Plan, Failure> {
    let metadata = Metadata::load()?;
    let mut commands = Vec::new();
    for package in metadata.members().filter(|package| package.is_published()) {
        let version = package.rust_version.as_deref().unwrap_or_default();
        if !machine::has_toolchain(version) {
            return Plan::optional(format!("Rust {version} is not installed"));
        }
        let mut command = program::cargo_of(version)?;
        command.args(["check", "-p", &package.name, "--lib", "--all-features"]);
        commands.push(command);
    }
    Ok(Plan::Run(commands))
}

/// Builds with lock files of their own: one with the lowest versions that the manifests allow, one with the newest.
fn versions() -> Result<Plan, Failure> {
    let folder = workspace::root()?.join("target/versions");
    let mut commands = Vec::new();
    for (name, resolve) in
        [("lowest", "-Z direct-minimal-versions generate-lockfile"), ("newest", "generate-lockfile")]
    {
        for line in [resolve, "check --locked --workspace --all-features"] {
            let mut command = program::cargo()?;
            let lock = folder.join(name).join("Cargo.lock");
            // Both options of cargo are unstable.
            command.env("RUSTC_BOOTSTRAP", "1").env("CARGO_TARGET_DIR", folder.join("build"));
            command.args(["-Z", "lockfile-path", "--config"]).arg(format!("resolver.lockfile-path={lock:?}"));
            command.args(line.split_whitespace());
            commands.push(command);
        }
    }
    Ok(Plan::Run(commands))
}

/// The declarations come from npm, a package of a few MB; without it the recordings are compared alone.
fn drift() -> Result<Plan, Failure> {
    if machine::provide(&["npm", "tar"]).is_err() && !machine::is_ci() {
        println!("    npm not installed: the declarations are not compared");
        return Plan::cargo([&xtask("drift --recordings")]);
    }
    Plan::cargo([&xtask("drift")])
}

/// The browser is a package of Debian's; whatever it is called elsewhere will do.
fn view_browser() -> Result<Plan, Failure> {
    let named = crate::view_browser::PROGRAMS.iter().any(|name| program::find(name).is_some());
    if !named && let Err(missing) = machine::provide(&["chromium"]) {
        return Plan::needed_in_ci(missing.to_string());
    }
    Plan::cargo([&xtask("view-browser")])
}

/// The servers are packages of Debian's and PyPI's; they are started and stopped by the command.
fn services() -> Result<Plan, Failure> {
    if let Err(missing) = crate::services::provide() {
        return Plan::needed_in_ci(missing.to_string());
    }
    Plan::cargo([&xtask("services")])
}

/// A conversation that is begun on one side and gone on with on another, from each of these stores.
fn services_proof() -> Result<Plan, Failure> {
    if let Err(missing) = crate::services::provide() {
        return Plan::needed_in_ci(missing.to_string());
    }
    real_cli([xtask("cli"), xtask("services --proof")])
}

/// This one is built by cargo.
fn services_s3s() -> Result<Plan, Failure> {
    Plan::cargo([&xtask("services --only s3s")])
}

/// The SDK comes from PyPI, once.
fn sessions_agree() -> Result<Plan, Failure> {
    if let Err(missing) = machine::provide(&[sessions_agree::PYTHON, "git"]) {
        return Plan::needed_in_ci(missing.to_string());
    }
    Plan::cargo([&xtask("sessions-agree")])
}

/// The servers are packages of npm's and PyPI's; nothing can leave the machine while they run.
fn mcp_servers() -> Result<Plan, Failure> {
    with_servers(&xtask("mcp-servers"))
}

fn mcp_conformance() -> Result<Plan, Failure> {
    with_servers(&xtask("mcp-conformance"))
}

fn with_servers(line: &str) -> Result<Plan, Failure> {
    if let Err(missing) = crate::mcp_servers::provide() {
        return Plan::needed_in_ci(missing.to_string());
    }
    real_cli([line.to_owned()])
}

/// The program comes from npm, and runs only where nothing can leave the machine.
///
/// What is slow, and the older version, have a step of their own.
fn live() -> Result<Plan, Failure> {
    real_cli([xtask("cli"), xtask(&format!("live --cli {}", cli::CURRENT))])
}

fn live_tests() -> Result<Plan, Failure> {
    real_cli([xtask("cli"), xtask("live-tests")])
}

fn live_all() -> Result<Plan, Failure> {
    real_cli([xtask("cli"), xtask("live --all")])
}

fn leaving() -> Result<Plan, Failure> {
    real_cli([xtask("cli"), xtask("leaving --check")])
}

fn soak() -> Result<Plan, Failure> {
    real_cli([xtask("cli"), xtask("soak")])
}

/// These commands, where the real CLI can be had and kept from the network.
pub(super) fn real_cli<const N: usize>(lines: [String; N]) -> Result<Plan, Failure> {
    if let Err(missing) = machine::provide(&["npm", "unshare", "ip"]) {
        return Plan::needed_in_ci(missing.to_string());
    }
    if let Err(why) = netns::way() {
        return Plan::needed_in_ci(why.to_string());
    }
    Plan::cargo(lines.each_ref().map(String::as_str))
}

const BARE: &str = " --no-default-features";
const WASM: &str = "wasm32-unknown-unknown";

#[cfg(test)]
mod tests {
    use super::alone_lines;
    use crate::workspace::Package;

    #[test]
    fn a_crate_without_default_features_is_built_once() {
        let package = |features: serde_json::Value| -> Package {
            serde_json::from_value(serde_json::json!({
                "id": "x", "name": "x", "version": "1.0.0", "manifest_path": "Cargo.toml", "rust_version": null,
                "dependencies": [], "features": features, "publish": null
            }))
            .unwrap()
        };
        assert_eq!(alone_lines(&package(serde_json::json!({"default": [], "a": []}))).len(), 1);
        assert_eq!(alone_lines(&package(serde_json::json!({"default": ["a"], "a": []}))).len(), 2);
    }
}
