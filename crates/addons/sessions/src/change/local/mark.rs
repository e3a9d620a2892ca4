//! The mark of an archived session.

use std::fs::{self, DirBuilder};
use std::io;
use std::path::Path;

use serde::Serialize;

use super::private_file;
use crate::sessions::{SessionError, SessionFile};
use crate::time;

/// Writes `archived.json` into the session's folder, and creates the folder if necessary.
pub(super) fn write(file: &SessionFile, archived: bool) -> Result<(), SessionError> {
    let folder = file.folder();
    make(&folder).map_err(SessionError::io("making", &folder))?;
    let path = folder.join("archived.json");
    let mark = Mark { archived, at: time::now(), by: "sdk" };
    let text = serde_json::to_vec(&mark).map_err(|error| SessionError::io("writing", &path)(error.into()))?;
    private_file::replace(&path, &text)
}

/// The content of `archived.json`, as the reference SDK for TypeScript writes it.
#[derive(Serialize)]
struct Mark {
    archived: bool,
    at: String,
    by: &'static str,
}

/// Creates the folder, readable by the user alone; fails if the path is a link.
fn make(folder: &Path) -> io::Result<()> {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "elsewhere there is no mode"))]
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let is_folder = fs::symlink_metadata(folder)?.is_dir();
    if is_folder { Ok(()) } else { Err(io::Error::new(io::ErrorKind::NotADirectory, "it is not a folder")) }
}
