//! Trust in servers of a project's files.

use super::Hub;
use crate::config::Configured;

/// Trust in servers of a project's files.
///
/// A server that is configured in a file of the project is not started, and none of its variables gets a value, before the
/// user or the program has trusted its definition, by its [fingerprint](Configured::fingerprint).
/// Until then it is [`Disabled(Untrusted)`](crate::DisabledBy::Untrusted), or the user's own server of that name counts.
/// A definition that changes is another one: the server ends, and is to be trusted again.
impl Hub {
    /// Trusts the definition with this fingerprint, for as long as the hub is there, and starts its server.
    ///
    /// Returns whether there is a server with this definition now; one that comes later is trusted, too.
    pub fn trust(&self, fingerprint: impl Into<String>) -> bool {
        let is_there = self.inner.servers.trust(fingerprint.into());
        self.inner.follow.applied();
        is_there
    }

    /// The servers of the project's files that are not trusted as they are defined now, switched off or not.
    pub fn untrusted(&self) -> Vec<Configured> {
        self.inner.servers.untrusted()
    }
}
