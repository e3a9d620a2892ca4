//! Access control lists: with one, a mode's bits for the group say what those who are named in it may do at most, and not
//! what the group may.

use std::fs::File;
use std::io;
use std::path::Path;

use rustix::fs::{XattrFlags, fremovexattr, fsetxattr, getxattr};
use rustix::io::Errno;

/// The list of a file as the system has it; `None` where it has none, or the file system knows none.
pub(super) fn of(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let mut list = vec![0; LARGEST];
    match getxattr(path, NAME, &mut list[..]) {
        Ok(length) => {
            list.truncate(length);
            Ok(Some(list))
        }
        Err(Errno::NODATA | Errno::OPNOTSUPP) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Gives a file this list, and with it the mode's bits.
pub(super) fn set(file: &File, list: &[u8]) -> io::Result<()> {
    Ok(fsetxattr(file, NAME, list, XattrFlags::empty())?)
}

/// Takes from a file the list that its folder has for new ones.
pub(super) fn remove(file: &File) -> io::Result<()> {
    match fremovexattr(file, NAME) {
        Ok(()) | Err(Errno::NODATA | Errno::OPNOTSUPP) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

const NAME: &str = "system.posix_acl_access";
/// The largest that Linux has, in bytes.
const LARGEST: usize = 64 << 10;

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::Path;

    use rustix::fs::{XattrFlags, setxattr};

    use super::{NAME, of};
    use crate::edit::Edit;

    const FILE: &str = "{\"mcpServers\": {\"a\": {\"command\": \"x\"}}}";

    /// A list by which one user more may read and write, and the group may not.
    fn list() -> Vec<u8> {
        let entries: [(u16, u16, u32); 5] =
            [(1, 6, u32::MAX), (2, 6, 1234), (4, 0, u32::MAX), (16, 6, u32::MAX), (32, 0, u32::MAX)];
        let mut list = 2_u32.to_le_bytes().to_vec();
        for (kind, access, whose) in entries {
            list.extend(
                kind.to_le_bytes().into_iter().chain(access.to_le_bytes()).chain(whose.to_le_bytes()),
            );
        }
        list
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    // The bits for the group would have been the group's.
    #[test]
    fn a_list_stays_and_none_comes_from_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("mcp.json");
        fs::write(&file, FILE).unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o660)).unwrap();
        if setxattr(folder.path(), "system.posix_acl_default", &list(), XattrFlags::empty()).is_err() {
            eprintln!(
                "not run: the file system of {} knows no access control lists",
                folder.path().display()
            );
            return;
        }
        Edit::Disabled(true).write("a", &file).unwrap();
        assert_eq!((mode(&file), of(&file).unwrap()), (0o660, None));
        setxattr(&file, NAME, &list(), XattrFlags::empty()).unwrap();
        Edit::Disabled(false).write("a", &file).unwrap();
        assert_eq!((mode(&file), of(&file).unwrap()), (0o660, Some(list())));
        // Of a new file the list of the folder gives nobody anything.
        let new = folder.path().join("new.json");
        let config = crate::ServerConfig::new(crate::Stdio::new("x"));
        Edit::Add(Box::new(config)).write("a", &new).unwrap();
        assert_eq!(mode(&new), 0o600);
    }
}
