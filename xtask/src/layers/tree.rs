//! The output of `cargo tree` for one crate.

use std::collections::BTreeSet;

use crate::failure::Failure;
use crate::program;

/// Name and version of a crate.
pub(super) type Id = (String, String);

/// The crates that this one pulls in on this machine, without itself; `args` choose features and depth.
pub(super) fn of(package: &str, edges: &str, args: &[&str]) -> Result<BTreeSet<Id>, Failure> {
    let mut command = program::cargo()?;
    command.args(["tree", "--prefix", "none", "--format", "{p}", "-p", package, "-e", edges]).args(args);
    let mut ids = parse(&program::output(&mut command)?);
    ids.retain(|(name, _)| name != package);
    Ok(ids)
}

/// A line is `name v1.2.3`, and more where the crate is not from a registry or was shown before.
fn parse(text: &str) -> BTreeSet<Id> {
    text.lines()
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            let name = words.next()?;
            let version = words.next()?.strip_prefix('v')?;
            Some((name.to_owned(), version.to_owned()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn counts_a_crate_once_and_each_version_of_it() {
        let text = "agentwire v0.1.0 (/x)\nserde v1.0.1\nserde v1.0.1 (*)\nserde_derive v1.0.1 (proc-macro)\n\
            libc v0.2.1\nlibc v1.0.0\n\n[dev-dependencies]\n";
        let ids = parse(text);
        assert_eq!(ids.len(), 5, "{ids:?}");
    }
}
