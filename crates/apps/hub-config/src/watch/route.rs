//! What leads to a file: the folders and links whose change makes the path lead somewhere else.

use std::collections::{BTreeSet, VecDeque};
use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};

use super::tree::Tree;

/// The way from the root to a file, as it is now.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Route {
    /// Every folder, every link and the file itself, each by the path that has no links in front of it.
    pub(super) steps: BTreeSet<PathBuf>,
    /// The folders to watch: that of the file, or the nearest one that is there, those of links, and those inside.
    pub(super) folders: BTreeSet<PathBuf>,
    /// The last step, where the file is or would be.
    pub(super) end: Option<PathBuf>,
    /// The end with the folders in it, where it is a folder itself.
    pub(super) inside: Tree,
}

impl Route {
    /// The way to an absolute path; where that is a folder, with so many folders inside at most.
    pub(super) fn to(path: &Path, most: usize) -> Self {
        let mut route = Self::default();
        let mut here = PathBuf::new();
        let mut rest = VecDeque::new();
        let mut links = 0;
        prepend(path, &mut here, &mut rest);
        while let Some(name) = rest.pop_front() {
            if name == ".." {
                here.pop();
                continue;
            }
            let step = here.join(name);
            route.steps.insert(step.clone());
            let found = fs::symlink_metadata(&step);
            if found.as_ref().is_ok_and(|found| found.is_symlink()) && links < MAX_LINKS {
                links += 1;
                route.folders.insert(here.clone());
                let Ok(target) = fs::read_link(&step) else { break };
                prepend(&target, &mut here, &mut rest);
            } else if rest.is_empty() {
                route.folders.insert(here);
                if found.is_ok_and(|found| found.is_dir()) {
                    route.contain(Tree::of(&step, most));
                }
                route.end = Some(step);
                break;
            } else if found.is_ok_and(|found| found.is_dir()) {
                here = step;
            } else {
                route.folders.insert(here);
                break;
            }
        }
        route
    }

    /// The folders inside are watched, and followed like those on the way.
    fn contain(&mut self, inside: Tree) {
        self.folders.extend(inside.folders.iter().cloned());
        self.steps.extend(inside.folders.iter().cloned());
        self.inside = inside;
    }
}

/// Puts the parts of a path in front of what is left to go; an absolute one begins at the root again.
fn prepend(path: &Path, here: &mut PathBuf, rest: &mut VecDeque<OsString>) {
    if path.is_absolute() {
        here.clear();
    }
    for component in path.components().rev() {
        match component {
            Component::Normal(name) => rest.push_front(name.to_owned()),
            Component::ParentDir => rest.push_front("..".into()),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    for component in
        path.components().take_while(|part| matches!(part, Component::Prefix(_) | Component::RootDir))
    {
        here.push(component);
    }
}

/// As many as Linux follows.
const MAX_LINKS: usize = 40;

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    use super::{Route, Tree};

    #[test]
    fn links_and_missing_folders_are_on_the_way() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("..1")).unwrap();
        fs::write(root.join("..1/mcp.json"), "").unwrap();
        symlink("..1", root.join("..data")).unwrap();
        symlink("..data/../..data/mcp.json", root.join("mcp.json")).unwrap();
        let to = |path: &Path| Route::to(path, 9);
        let route = to(&root.join("./mcp.json"));
        assert_eq!(route.end, Some(root.join("..1/mcp.json")));
        let folders: Vec<_> = route.folders.iter().filter(|folder| folder.starts_with(&root)).collect();
        assert_eq!(folders, [&root, &root.join("..1")]);
        for step in ["mcp.json", "..data", "..1", "..1/mcp.json"] {
            assert!(route.steps.contains(&root.join(step)), "{step}");
        }
        let missing = to(&root.join("a/b/mcp.json"));
        assert_eq!((missing.end, missing.inside), (None, Tree::default()));
        assert!(missing.folders.contains(&root) && missing.steps.contains(&root.join("a")));
        assert!(!missing.steps.contains(&root.join("a/b")));
        fs::create_dir_all(root.join("..1/x")).unwrap();
        let inside = to(&root.join("..data"));
        assert_eq!(inside.inside.folders, [root.join("..1"), root.join("..1/x")]);
        assert!(inside.folders.contains(&root.join("..1/x")) && inside.steps.contains(&root.join("..1/x")));
        let under_a_file = to(&root.join("mcp.json/x"));
        assert_eq!(under_a_file.end, None);
        assert!(under_a_file.folders.contains(&root.join("..1")));
        symlink("round", root.join("round")).unwrap();
        assert!(to(&root.join("round")).folders.contains(&root));
    }
}
