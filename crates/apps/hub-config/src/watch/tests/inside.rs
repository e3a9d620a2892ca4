//! Watched folders with the folders in them.

#[cfg(target_os = "linux")]
use agentwire_testkit::eventually;

use super::{NoEvents, Place, Settings, quick};
use crate::watch::look::MAX_FOLDERS;

/// Returns settings without events, as on a network file system.
fn without_events() -> Settings {
    Settings {
        native: |_| Ok(Box::new(NoEvents { is_full: false })),
        remote: |_| Some("nfs4".into()),
        ..quick()
    }
}

#[tokio::test]
async fn folders_in_a_watched_folder_are_followed() {
    for settings in [quick(), without_events()] {
        let place = Place::new(settings, &["src"]).await;
        place.create_dir("src/a/b");
        place.write("src/a/b/file", "1").expect("src").await;
        place.write("src/a/b/file", "22").expect("src").await;
        // A new folder, with a file in it at once, and later.
        place.create_dir("src/new/deep");
        place.write("src/new/deep/file", "1").expect("src").await;
        place.write("src/new/deep/file", "22").expect("src").await;
        // The same folder under another name, and another one under the same name.
        place.rename("src/a", "src/c").expect("src").await;
        place.write("src/c/b/file", "333").expect("src").await;
        place.create_dir("other/b");
        place.rename("src/c", "away");
        place.rename("other", "src/c").expect("src").await;
        place.write("src/c/b/file", "4444").expect("src").await;
        place.write("away/b/file", "55555");
        assert_eq!(place.reported().await, [""; 0]);
        place.remove("src/c").expect("src").await;
        assert_eq!(place.reported().await, [""; 0]);
    }
}

// Otherwise each `git status` would restart a server in a git repository.
#[tokio::test]
async fn folders_that_programs_maintain_are_ignored() {
    for settings in [quick(), without_events()] {
        let place = Place::new(settings, &["src"]).await;
        place.create_dir("src/package").expect("src").await;
        for kept in ["src/.git", "src/package/__pycache__", "src/node_modules"] {
            place.create_dir(&format!("{kept}/inside"));
            place.write(&format!("{kept}/file"), kept);
            place.write(&format!("{kept}/inside/file"), kept);
        }
        assert_eq!(place.reported().await, [""; 0]);
        // Unless the configuration names it.
        place.set(&["src/node_modules/inside", "src/.git"]).await;
        place.write("src/node_modules/inside/file", "again");
        place.write("src/.git/file", "again");
        assert_eq!(place.reported().await, ["src/.git", "src/node_modules/inside"]);
    }
}

/// Watches are counted in the whole process.
#[cfg(target_os = "linux")]
#[test]
fn folders_over_the_limit_are_not_watched_with_a_warning() {
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
    wait_for(&place, "huge").await;
    eventually(|| (MAX_FOLDERS..MAX_FOLDERS + 20).contains(&watches())).await;
    eventually(|| place.warning().is_some_and(|why| why.contains("/huge is watched: it has too many"))).await;
    // Each path itself is watched even if there is no room for the folders in it.
    place.write("huge/file", "");
    wait_for(&place, "huge").await;
    place.create_dir("small");
    wait_for(&place, "small").await;
    place.write("small/file", "");
    wait_for(&place, "small").await;
    place.remove("huge");
    wait_for(&place, "huge").await;
    eventually(|| place.warning().is_none() && watches() < 20).await;
    place.create_dir("small/inside");
    wait_for(&place, "small").await;
    place.write("small/inside/file", "");
    wait_for(&place, "small").await;
}

/// Waits until a path is reported. A folder that takes long to look at may be reported more than once.
#[cfg(target_os = "linux")]
async fn wait_for(place: &Place, name: &str) {
    while !place.changed().await.contains(&place.path(name)) {}
}

/// Returns the number of watches of this process.
#[cfg(target_os = "linux")]
fn watches() -> usize {
    let files = std::fs::read_dir("/proc/self/fdinfo").unwrap().flatten();
    let texts = files.filter_map(|file| std::fs::read_to_string(file.path()).ok());
    texts.map(|text| text.lines().filter(|line| line.starts_with("inotify wd:")).count()).sum()
}
