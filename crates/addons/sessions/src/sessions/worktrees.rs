//! Lists the worktrees of a git repository like `git worktree list`, without running git.

use std::fs;
use std::path::{Path, PathBuf};

use crate::folder::resolve;

/// Returns the worktrees of the repository that contains this folder: the main one, then the others by path.
///
/// Like git, it includes worktrees that no longer exist.
/// Returns nothing outside a repository, and where git fails: in a folder that does not exist, and below a `.git` file
/// that leads to no repository. Unreadable entries are skipped.
pub(super) fn worktrees(folder: &Path) -> Vec<PathBuf> {
    if !folder.is_dir() {
        return Vec::new();
    }
    let git = folder.ancestors().find_map(|folder| match git_folder(folder) {
        None if folder.join(".git").is_file() => Some(None),
        git => git.map(Some),
    });
    git.flatten().map(|git| of_repository(&git)).unwrap_or_default()
}

/// Returns the git folder of the repository to which this folder belongs as a worktree.
fn git_folder(folder: &Path) -> Option<PathBuf> {
    let dot_git = folder.join(".git");
    if is_repository(&dot_git) {
        return Some(resolve(&dot_git));
    }
    if let Some(linked) = pointer(&dot_git, "gitdir: ", folder) {
        let common = pointer(&linked.join("commondir"), "", &linked).unwrap_or(linked);
        return is_repository(&common).then_some(common);
    }
    is_repository(folder).then(|| resolve(folder))
}

/// Returns whether a folder is a git folder, with the same test as git.
fn is_repository(folder: &Path) -> bool {
    folder.join("HEAD").is_file() && folder.join("objects").is_dir() && folder.join("refs").is_dir()
}

fn of_repository(git: &Path) -> Vec<PathBuf> {
    let linked = fs::read_dir(git.join("worktrees")).into_iter().flatten().filter_map(Result::ok);
    let linked = linked.filter_map(|entry| {
        let place = entry.path();
        worktree_of(&pointer(&place.join("gitdir"), "", &place)?)
    });
    let mut linked: Vec<_> = linked.collect();
    linked.sort();
    linked.insert(0, worktree_of(git).unwrap_or_else(|| git.to_owned()));
    linked
}

/// Returns the folder that contains `.git`; `None` if the name differs.
fn worktree_of(dot_git: &Path) -> Option<PathBuf> {
    (dot_git.file_name()? == ".git").then(|| dot_git.parent().map(Path::to_owned))?
}

/// Reads a path after a prefix in a small file; a relative path is resolved against `base`.
fn pointer(file: &Path, word: &str, base: &Path) -> Option<PathBuf> {
    let text = fs::metadata(file).ok().filter(|file| file.is_file() && file.len() < MAX_POINTER);
    let text = text.and_then(|_| fs::read_to_string(file).ok())?;
    // Git strips the line ends; a path may contain others, and blanks.
    let path = text.strip_prefix(word)?.trim_end_matches(['\n', '\r']);
    if path.is_empty() {
        return None;
    }
    Some(if Path::new(path).is_absolute() { path.into() } else { resolve(&base.join(path)) })
}

/// The longest such file that is read, in bytes.
const MAX_POINTER: u64 = 64 * 1024;
