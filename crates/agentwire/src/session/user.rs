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
        let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
        let user = Self::find_in(&users, name);
        user.map_or_else(|| refuse("user", format!("/etc/passwd has no user {name:?}")), Ok)
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
}
