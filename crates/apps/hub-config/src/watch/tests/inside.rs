//! Folders that are watched with all that is in them.

use super::{Deaf, Place, Settings, quick};
use crate::watch::tree::MAX_FOLDERS;

/// As where nothing is heard of changes.
fn unheard() -> Settings {
    Settings { native: |_| Ok(Box::new(Deaf { is_full: false })), remote: |_| Some("nfs4".into()), ..quick() }
}

#[tokio::test]
async fn a_folder_is_watched_with_the_folders_in_it() {
    for settings in [quick(), unheard()] {
        let place = Place::new(settings, &["src"]).await;
        place.create_dir("src/a/b");
        place.write("src/a/b/file", "1");
        place.expect("src").await;
        place.write("src/a/b/file", "22");
        place.expect("src").await;
        // A new folder, and what is in it when it is heard of, and later.
        place.create_dir("src/new/deep");
        place.write("src/new/deep/file", "1");
        place.expect("src").await;
        place.write("src/new/deep/file", "22");
        place.expect("src").await;
        // The same under another name, and another one under the same name.
        place.rename("src/a", "src/c");
        place.expect("src").await;
        place.write("src/c/b/file", "333");
        place.expect("src").await;
        place.create_dir("other/b");
        place.rename("src/c", "away");
        place.rename("other", "src/c");
        place.expect("src").await;
        place.write("src/c/b/file", "4444");
        place.expect("src").await;
        place.write("away/b/file", "55555");
        assert_eq!(place.told().await, [""; 0]);
        std::fs::remove_dir_all(place.path("src/c")).unwrap();
        place.expect("src").await;
        assert_eq!(place.told().await, [""; 0]);
    }
}

// A server that is a git repository would be restarted by each `git status`.
#[tokio::test]
async fn what_programs_keep_for_themselves_is_no_change() {
    for settings in [quick(), unheard()] {
        let place = Place::new(settings, &["src"]).await;
        place.create_dir("src/package");
        place.expect("src").await;
        for kept in ["src/.git", "src/package/__pycache__", "src/node_modules"] {
            place.create_dir(&format!("{kept}/inside"));
            place.write(&format!("{kept}/file"), kept);
            place.write(&format!("{kept}/inside/file"), kept);
        }
        assert_eq!(place.told().await, [""; 0]);
        // Unless it is what is named.
        place.set(&["src/node_modules/inside", "src/.git"]).await;
        place.write("src/node_modules/inside/file", "again");
        place.write("src/.git/file", "again");
        assert_eq!(place.told().await, ["src/.git", "src/node_modules/inside"]);
    }
}

/// What is counted is counted in the whole process.
#[cfg(target_os = "linux")]
#[test]
fn more_folders_than_there_may_be_are_not_watched_and_it_is_said() {
    super::counted::in_a_process_of_its_own("watch::tests::inside::too_many");
}

#[cfg(target_os = "linux")]
#[tokio::test]
#[ignore = "run by another test, in a process of its own"]
async fn too_many() {
    let place = Place::new(quick(), &["huge", "small"]).await;
    for number in 0..MAX_FOLDERS {
        place.create_dir(&format!("huge/{number}/inside"));
    }
    told_of(&place, "huge").await;
    until(|| (MAX_FOLDERS..MAX_FOLDERS + 20).contains(&watches())).await;
    until(|| place.warning().is_some_and(|why| why.contains("/huge is watched: there are too many"))).await;
    // Each path is watched itself, whatever there is no room for.
    place.write("huge/file", "");
    told_of(&place, "huge").await;
    place.create_dir("small");
    told_of(&place, "small").await;
    place.write("small/file", "");
    told_of(&place, "small").await;
    std::fs::remove_dir_all(place.path("huge")).unwrap();
    told_of(&place, "huge").await;
    until(|| place.warning().is_none() && watches() < 20).await;
    place.create_dir("small/inside");
    told_of(&place, "small").await;
    place.write("small/inside/file", "");
    told_of(&place, "small").await;
}

/// Waits until a path is told of, whatever else is: of what takes long to look at may be told more than once.
#[cfg(target_os = "linux")]
async fn told_of(place: &Place, name: &str) {
    while !place.changed().await.contains(&place.path(name)) {}
}

#[cfg(target_os = "linux")]
async fn until(is_so: impl Fn() -> bool) {
    let so = async {
        while !is_so() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(super::LIMIT, so).await.unwrap();
}

/// How many watches this process has of the system.
#[cfg(target_os = "linux")]
fn watches() -> usize {
    let files = std::fs::read_dir("/proc/self/fdinfo").unwrap().flatten();
    let texts = files.filter_map(|file| std::fs::read_to_string(file.path()).ok());
    texts.map(|text| text.lines().filter(|line| line.starts_with("inotify wd:")).count()).sum()
}
