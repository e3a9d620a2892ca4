//! The tests that need the servers: ignored ones of the crates of the stores, chosen by how they are called.

use std::process::Command;

use crate::built::BuiltTests;
use crate::failure::Failure;

/// Builds the tests of these services, and gives what runs them.
///
/// Where a crate has no such test this fails: nothing would have been tested.
pub(super) fn commands(services: &[&str], called: &str) -> Result<Vec<Command>, Failure> {
    let built = BuiltTests::build()?;
    let command = |package: &str| {
        let chosen = built.chosen(package, called)?;
        let mut command = Command::new(chosen.program);
        command.args(chosen.arguments);
        Ok(command)
    };
    packages(services).into_iter().map(command).collect()
}

/// The folders of the crates that these services are for.
fn packages(services: &[&str]) -> Vec<&'static str> {
    let wanted = |servers: &[&str]| servers.iter().any(|server| services.contains(server));
    PACKAGES.iter().filter(|(_, servers)| wanted(servers)).map(|(package, _)| *package).collect()
}

/// What those are called that need a server and nothing else.
pub(super) const SERVER: &str = "server::";
/// What those are called that need the real CLI too.
pub(super) const PROOF: &str = "proof::";
/// Which crate's tests need which of the servers, one of several.
const PACKAGES: &[(&str, &[&str])] =
    &[("store-redis", &["redis"]), ("store-postgres", &["postgres"]), ("store-object", &["moto", "s3s"])];

#[cfg(test)]
mod tests {
    use super::packages;

    #[test]
    fn a_server_chooses_the_crate_that_needs_it() {
        assert_eq!(packages(&["s3s"]), ["store-object"]);
        assert_eq!(packages(&["redis", "postgres", "moto"]).len(), 3);
    }
}
