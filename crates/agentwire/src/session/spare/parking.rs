//! An empty directory for a spare process.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicU64, Ordering},
};

use agentwire_transport::TransportError;

use crate::Error;

/// A private directory, removed on drop if it is still empty.
#[derive(Debug)]
pub(super) struct Parking(PathBuf);

impl Parking {
    pub(super) fn new() -> Result<Self, Error> {
        // An earlier program with the same process id may have left the name behind.
        let mut free = (0..ATTEMPTS).map(|_| Self::at(env::temp_dir().join(name())));
        let taken = |made: &io::Result<Self>| matches!(made, Err(error) if error.kind() == io::ErrorKind::AlreadyExists);
        let made = free.find(|made| !taken(made)).unwrap_or_else(|| Err(io::ErrorKind::AlreadyExists.into()));
        let action = "making a directory for the spare process";
        made.map_err(|source| Error::Start(TransportError::Io { action, source }))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    fn at(path: PathBuf) -> io::Result<Self> {
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Parking {
    fn drop(&mut self) {
        // Files that the process left in it belong to the user, so the directory then stays.
        fs::remove_dir(&self.0).unwrap_or_default();
    }
}

fn name() -> String {
    static MADE: AtomicU64 = AtomicU64::new(0);
    format!("agentwire-spare-{}-{}", process::id(), MADE.fetch_add(1, Ordering::Relaxed))
}

const ATTEMPTS: usize = 1000;
