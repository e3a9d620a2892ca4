//! Who may do what with a file that takes the place of another: never more than before.

use std::fs::{File, Metadata};
use std::io;
use std::path::Path;

#[cfg(target_os = "linux")]
use super::acl;

/// Gives a file the owner and the mode of another, and on Linux its access control list, as far as we may; nobody may do
/// more with it than with the other.
#[cfg(unix)]
pub(super) fn resemble(file: &File, target: &Path, like: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt as _, fchown};
    let own = file.metadata()?;
    if own.uid() != like.uid() {
        // Who may write into the folder may replace the file, but not always give it away.
        _ = fchown(file, Some(like.uid()), None);
    }
    if own.gid() != like.gid() {
        _ = fchown(file, None, Some(like.gid()));
    }
    let own = file.metadata()?;
    let (is_same_user, is_same_group) = (own.uid() == like.uid(), own.gid() == like.gid());
    let mode = mode(like.mode(), is_same_user, is_same_group);
    allow(file, target, mode, is_same_user && is_same_group)
}

/// Sets the mode, and the list that belongs to it.
#[cfg(target_os = "linux")]
fn allow(file: &File, target: &Path, mode: u32, is_same_owner: bool) -> io::Result<()> {
    let list = acl::of(target);
    acl::remove(file)?;
    if matches!(list, Ok(None)) {
        return set_mode(file, mode);
    }
    // Without the list its bits would be the group's.
    set_mode(file, mode & 0o700)?;
    if let Ok(Some(list)) = list
        && is_same_owner
    {
        // If it can't be set, only the owner may do anything.
        _ = acl::set(file, &list);
    }
    Ok(())
}

#[cfg(all(unix, not(target_os = "linux")))]
fn allow(file: &File, _: &Path, mode: u32, _: bool) -> io::Result<()> {
    set_mode(file, mode)
}

#[cfg(unix)]
fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.set_permissions(std::fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
pub(super) fn resemble(file: &File, _: &Path, like: &Metadata) -> io::Result<()> {
    file.set_permissions(like.permissions())
}

/// The mode of a file that is another's or another group's than the one whose mode this is.
///
/// Bits are for whoever they are for: those of a group would be another group's now, and who was in the group before is
/// one of all the others.
#[cfg(unix)]
fn mode(like: u32, is_same_user: bool, is_same_group: bool) -> u32 {
    let like = like & 0o7777;
    if is_same_user && is_same_group {
        return like;
    }
    let (user, mut group, mut other) = (like >> 6 & 7, like >> 3 & 7, like & 7);
    if !is_same_group {
        group &= other;
        other = group;
    }
    if !is_same_user {
        // The owner before may be of the group, or one of the others, now.
        (group, other) = (group & user, other & user);
    }
    user << 6 | group << 3 | other
}

#[cfg(all(test, unix))]
mod tests {
    use super::mode;

    #[test]
    fn what_another_group_gets_is_what_everybody_had() {
        for (like, group_too, user_too, neither) in [
            (0o664, 0o644, 0o664, 0o644),
            (0o660, 0o600, 0o660, 0o600),
            (0o640, 0o600, 0o640, 0o600),
            (0o600, 0o600, 0o600, 0o600),
            (0o666, 0o666, 0o666, 0o666),
            // One who is kept out by his group is not let in as one of the others.
            (0o604, 0o600, 0o604, 0o600),
            (0o464, 0o444, 0o444, 0o444),
            (0o2664, 0o644, 0o664, 0o644),
        ] {
            assert_eq!(mode(like, true, true), like);
            assert_eq!(mode(0o100_000 | like, true, false), group_too, "{like:o}");
            assert_eq!(mode(like, false, true), user_too, "{like:o}");
            assert_eq!(mode(like, false, false), neither, "{like:o}");
        }
    }

    #[test]
    fn nobody_may_do_more_than_before() {
        for like in 0..0o1000 {
            for (is_same_user, is_same_group) in [(true, false), (false, true), (false, false)] {
                let now = mode(like, is_same_user, is_same_group);
                // Whoever is in which group: the classes that he may have been in before, and may be in now.
                let classes = |mode: u32| [mode >> 6 & 7, mode >> 3 & 7, mode & 7];
                let (before, now) = (classes(like), classes(now));
                if !is_same_group {
                    assert_eq!(now[1] & !before[2] | now[2] & !before[1], 0, "{like:o}");
                }
                if !is_same_user {
                    assert_eq!((now[1] | now[2]) & !before[0], 0, "{like:o}");
                }
                assert_eq!(now[1] & !before[1] | now[2] & !before[2], 0, "{like:o}");
            }
        }
    }
}
