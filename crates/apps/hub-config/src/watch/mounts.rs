//! Which folders are on file systems where others make changes that the operating system does not hear of.

use std::path::{Path, PathBuf};

/// The kind of the file system that a folder is on, where changes made elsewhere are not told; only Linux says.
pub(super) fn remote(folder: &Path) -> Option<String> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    remote_in(&std::fs::read_to_string(MOUNTS).ok()?, folder)
}

fn remote_in(mounts: &str, folder: &Path) -> Option<String> {
    // The last one of the deepest: it hides those before it.
    let (_, kind) = mounts
        .lines()
        .filter_map(mount)
        .filter(|(point, _)| folder.starts_with(point))
        .max_by_key(|(point, _)| point.components().count())?;
    REMOTE.contains(&kind).then(|| kind.to_owned())
}

/// Where a file system is mounted, and its kind.
fn mount(line: &str) -> Option<(PathBuf, &str)> {
    let (mount, kind) = line.split_once(" - ")?;
    Some((unescaped(mount.split(' ').nth(4)?).into(), kind.split(' ').next()?))
}

/// Spaces and the like are written as octal numbers.
fn unescaped(text: &str) -> String {
    let mut parts = text.split('\\');
    let mut result = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let number = part.get(..3).and_then(|number| u8::from_str_radix(number, 8).ok());
        match number {
            Some(number) => result.extend([char::from(number)].into_iter().chain(part[3..].chars())),
            None => result.extend(['\\'].into_iter().chain(part.chars())),
        }
    }
    result
}

const MOUNTS: &str = "/proc/self/mountinfo";
/// Those over a network, or over the wall of a virtual machine.
const REMOTE: &[&str] = &[
    "9p",
    "afs",
    "ceph",
    "cifs",
    "drvfs",
    "fakeowner",
    "fuse.gcsfuse",
    "fuse.glusterfs",
    "fuse.grpcfuse",
    "fuse.rclone",
    "fuse.s3fs",
    "fuse.sshfs",
    "fuse.vmhgfs-fuse",
    "gfs2",
    "lustre",
    "ncpfs",
    "nfs",
    "nfs4",
    "ocfs2",
    "prl_fs",
    "smb3",
    "smbfs",
    "vboxsf",
    "virtiofs",
    "vmhgfs",
];

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::remote_in;

    #[test]
    fn the_deepest_mount_counts() {
        let mounts = "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n\
                      40 22 0:35 / /home\\040of/me rw - nfs4 server:/me rw\n\
                      41 40 0:36 / /home\\040of/me/tmp rw - tmpfs tmpfs rw\n";
        let remote = |folder: &str| remote_in(mounts, Path::new(folder));
        assert_eq!(remote("/home of/me/project"), Some("nfs4".into()));
        assert_eq!(remote("/home of/me"), Some("nfs4".into()));
        assert_eq!(remote("/home of/me/tmp/x"), None);
        assert_eq!(remote("/home of/mean"), None);
        assert_eq!(remote("/"), None);
        assert_eq!(remote_in("", Path::new("/")), None);
    }
}
