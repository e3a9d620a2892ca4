//! The processes of a network namespace.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::{Failure, While as _};

/// Returns every process of our network namespace.
pub fn processes() -> Result<Vec<PathBuf>, Failure> {
    let own = fs::read_link("/proc/self/ns/net").while_doing(|| "reading our namespace".to_owned())?;
    processes_of(&own)
}

/// Returns the folders below `/proc` of the processes in this network namespace.
pub fn processes_of(namespace: &Path) -> Result<Vec<PathBuf>, Failure> {
    // `/proc` also has entries such as `self`.
    let is_process = |name: &OsStr| name.to_str().is_some_and(|name| name.parse::<u32>().is_ok());
    let entries = fs::read_dir("/proc")?.filter_map(Result::ok);
    let folders = entries.filter(|entry| is_process(&entry.file_name())).map(|entry| entry.path());
    // A process that ends meanwhile has no namespace.
    Ok(folders
        .filter(|folder| fs::read_link(folder.join("ns/net")).is_ok_and(|net| net == namespace))
        .collect())
}
