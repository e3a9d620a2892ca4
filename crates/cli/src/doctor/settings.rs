//! The settings files of the CLI: each must be a JSON object.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::Finding;

/// Reports each settings file that exists.
pub(super) fn check(folder: Option<&Path>) -> Vec<Finding> {
    let files = files(folder).into_iter().filter(|file| file.exists());
    files.map(|file| finding(&file)).collect()
}

/// Returns the settings files of the user and of this project.
pub(super) fn files(folder: Option<&Path>) -> Vec<PathBuf> {
    let mut files: Vec<_> = folder.map(|folder| folder.join("settings.json")).into_iter().collect();
    files.extend(["settings.json", "settings.local.json"].map(|name| Path::new(".claude").join(name)));
    files
}

fn finding(file: &Path) -> Finding {
    let check = "settings";
    match read(file) {
        Ok(_) => Finding::good(check, file.display().to_string()),
        Err(why) => {
            Finding::bad(check, format!("{}: {why}", file.display()), "correct the file: the CLI ignores it")
        }
    }
}

/// Returns the settings of a file.
pub(super) fn read(file: &Path) -> Result<Value, String> {
    if !file.is_file() {
        return Err("it is no file".to_owned());
    }
    let text = fs::read(file).map_err(|error| error.to_string())?;
    let settings: Value = serde_json::from_slice(&text).map_err(|error| error.to_string())?;
    if settings.is_object() { Ok(settings) } else { Err("it is no JSON object".to_owned()) }
}
