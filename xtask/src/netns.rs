//! Running where nothing can leave the machine: a network namespace that has loopback only.
//!
//! The real CLI gets prompts only in such a namespace, except from `cargo xtask durable` without `--check`.

use std::env;
use std::fs;
use std::process::Command;

use agentwire_cluster::server::bound_to_us;

use crate::failure::{Failure, While as _};
use crate::program;

/// Runs a program in a network namespace with loopback only
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The program and its arguments
    #[arg(last = true, required = true)]
    command: Vec<String>,
}

/// `cargo xtask netns -- PROGRAM ARGS…`: runs a program in such a namespace.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    within(|| {
        let (name, rest) = args.command.split_first().ok_or_else(|| Failure::new("no program is named"))?;
        program::run(Command::new(name).args(rest))
    })
}

/// Runs `inside` in a namespace.
///
/// Called outside, it starts this program again inside, with the arguments it was given, and waits for it.
/// What needs the network (an installation) is done before.
pub(crate) fn within(inside: impl FnOnce() -> Result<(), Failure>) -> Result<(), Failure> {
    if is_inside()? {
        return inside();
    }
    let mut again = Command::new(env::current_exe()?);
    again.args(env::args_os().skip(1));
    // The inner process, which has servers and CLIs, must not outlive this one. Ctrl-C ends this one first: SIGKILL would
    // interrupt the inner one while it ends its servers.
    let mut again = bound_to_us(self::inside(again)?, None, "TERM");
    let status = again.status().while_doing(|| "entering a network namespace".to_owned())?;
    match status.code() {
        Some(0) => Ok(()),
        // The inner process has reported its failure already.
        Some(1) => Err(Failure::already_reported()),
        _ => Err(Failure::new(format!("inside the network namespace: {status}"))),
    }
}

/// Returns the command, run in such a namespace.
pub(crate) fn inside(command: Command) -> Result<Command, Failure> {
    if is_inside()? {
        return Ok(command);
    }
    let mut inside = program::wrapped(enter(way()?), &command);
    inside.env(MARKER, "1");
    Ok(inside)
}

/// Returns a way into a namespace, as a flag of `unshare`; the failure names the missing program.
pub(crate) fn way() -> Result<&'static str, Failure> {
    for name in ["unshare", "ip"] {
        if program::find(name).is_none() {
            return Err(Failure::new(format!("no network namespaces: {name} not installed")));
        }
    }
    let mut failures = Vec::new();
    // With the rights of this process, or else with those of root in a user namespace.
    for way in ["-n", "-rn"] {
        match program::output(enter(way).arg("true")) {
            Ok(_) => return Ok(way),
            Err(failure) => failures.push(failure.to_string()),
        }
    }
    let last = failures.iter().filter_map(|text| text.lines().last()).collect::<Vec<_>>().join("; ");
    Err(Failure::new(format!("no network namespaces: {last}")))
}

/// Enters a namespace, brings loopback up, and executes the arguments that follow.
fn enter(way: &str) -> Command {
    let mut command = Command::new("unshare");
    command.args([way, "sh", "-c", r#"ip link set lo up && exec "$@""#, "sh"]);
    command
}

/// The marker only shows that this process entered; the kernel's routes show that there is no way out.
pub(crate) fn is_inside() -> Result<bool, Failure> {
    if env::var_os(MARKER).is_none() {
        return Ok(false);
    }
    let read = |path: &str| fs::read_to_string(path).while_doing(|| format!("reading {path}"));
    // A kernel without IPv6 does not have this file.
    let six = fs::read_to_string("/proc/self/net/ipv6_route").unwrap_or_default();
    match first_way_out(&read("/proc/self/net/route")?, &six) {
        None => Ok(true),
        Some(device) => {
            Err(Failure::new(format!("{MARKER} is set, but {device} leads out of this namespace")))
        }
    }
}

/// The first device of the two routing tables that is not loopback.
fn first_way_out<'a>(four: &'a str, six: &'a str) -> Option<&'a str> {
    let four = four.lines().skip(1).filter_map(|line| line.split_whitespace().next());
    let six = six.lines().filter_map(|line| line.split_whitespace().last());
    four.chain(six).find(|device| *device != "lo")
}

const MARKER: &str = "AGENTWIRE_NETNS";

#[cfg(test)]
mod tests {
    use super::{enter, first_way_out, way};
    use crate::program;

    #[test]
    fn a_route_out_is_seen() {
        let head = "Iface\tDestination\tGateway\n";
        assert_eq!(first_way_out(head, ""), None);
        assert_eq!(first_way_out(head, "0000 00 0000 00 0000 ffffffff 1 0 200200 lo\n"), None);
        assert_eq!(first_way_out(&format!("{head}eth0\t00000000\t01\n"), ""), Some("eth0"));
        assert_eq!(first_way_out(head, "0000 00 0000 00 0000 ffffffff 1 0 200200 wlan0\n"), Some("wlan0"));
    }

    /// Where the machine allows it: inside there is a loopback that is up, and no way out.
    #[test]
    #[cfg_attr(not(target_os = "linux"), ignore = "network namespaces are Linux's")]
    fn network_namespace_has_no_way_out() {
        let way = match way() {
            Ok(way) => way,
            // Where there is no such namespace, the steps that need one say so; in CI they must run.
            Err(why) if !crate::machine::is_ci() => return eprintln!("not run: {why}"),
            Err(why) => panic!("{why}"),
        };
        let inside = program::output(enter(way).args(["cat", "/proc/self/net/route"])).unwrap();
        assert_eq!(first_way_out(&inside, ""), None, "{inside}");
        let up = program::output(enter(way).args(["ip", "-o", "link", "show", "up"])).unwrap();
        assert!(up.contains("lo:"), "{up}");
    }
}
