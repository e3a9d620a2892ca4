//! The user that the CLI runs as, if it differs from this program's.

use std::{io, path::Path};

use crate::{Error, options::refuse};

/// A user of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct User {
    pub(super) id: u32,
    pub(super) group: u32,
}

impl User {
    /// Finds a user by name or number in `/etc/passwd`.
    pub(super) fn find(name: &str) -> Result<Self, Error> {
        Self::find_among(std::fs::read("/etc/passwd"), name)
    }

    fn find_among(users: io::Result<Vec<u8>>, name: &str) -> Result<Self, Error> {
        let missing = match &users {
            Ok(_) => format!("/etc/passwd has no user {name:?}"),
            Err(error) => format!("/etc/passwd can't be read: {error}"),
        };
        // The full names may be in another encoding than UTF-8.
        let user = Self::find_in(&String::from_utf8_lossy(&users.unwrap_or_default()), name);
        user.map_or_else(|| refuse("user", missing), Ok)
    }

    fn find_in(users: &str, name: &str) -> Option<Self> {
        let known = users.lines().find_map(|line| {
            let fields: Vec<&str> = line.split(':').collect();
            let [login, _, id, group, ..] = fields[..] else { return None };
            let user = Self { id: id.parse().ok()?, group: group.parse().ok()? };
            (login == name || id == name).then_some(user)
        });
        // A number needs no entry: users in containers may have none.
        known.or_else(|| name.parse().ok().map(|id| Self { id, group: id }))
    }

    /// Changes the owner of a file to this user; of a link, the link itself.
    pub(super) fn own(&self, path: &Path) -> io::Result<()> {
        std::os::unix::fs::lchown(path, Some(self.id), Some(self.group))
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::User;

    #[test]
    fn users_are_found_by_name_and_by_number() {
        let users = "root:x:0:0:root:/root:/bin/sh\n# odd\nme:x:1000:100::/me:/bin/sh\n";
        let find = |name| User::find_in(users, name).map(|user| (user.id, user.group));
        assert_eq!(find("me"), Some((1000, 100)));
        assert_eq!(find("1000"), Some((1000, 100)));
        assert_eq!(find("4242"), Some((4242, 4242)));
        assert_eq!(find("nobody-here"), None);
    }

    #[test]
    fn users_are_found_beside_a_name_in_another_encoding() {
        let users = b"jos\xe9:x:1001:100:Jos\xe9:/jose:/bin/sh\nme:x:1000:100:Me:/me:/bin/sh\n";
        assert_eq!(User::find_among(Ok(users.to_vec()), "me").unwrap().id, 1000);
    }

    #[test]
    fn unreadable_file_is_the_reason() {
        let denied = || Err(io::Error::from(io::ErrorKind::PermissionDenied));
        let error = User::find_among(denied(), "me").unwrap_err().to_string();
        assert!(error.contains("/etc/passwd can't be read: permission denied"), "{error}");
        // A number needs no entry.
        assert_eq!(User::find_among(denied(), "4242").unwrap().id, 4242);
    }
}
