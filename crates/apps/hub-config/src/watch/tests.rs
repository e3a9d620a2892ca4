//! Real files, changed in the ways of editors and deployments.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use agentwire_testkit::eventually;
use notify::event::{EventKind, Flag};
use notify::{ErrorKind, RecursiveMode, Watcher, WatcherKind};
use tempfile::TempDir;

use super::{Handler, Settings, Watch};

#[cfg(target_os = "linux")]
mod counted;
mod inside;

/// More than enough for each wait.
const LIMIT: Duration = Duration::from_secs(20);

fn quick() -> Settings {
    let time = Duration::from_millis;
    Settings { quiet: time(40), at_most: time(200), poll: time(20), ..Settings::default() }
}

/// A folder with watched files and a sentinel file to show that nothing more is reported.
struct Place {
    folder: TempDir,
    watch: Watch,
}

impl Place {
    async fn new(settings: Settings, files: &[&str]) -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap(), watch: Watch::new(settings).unwrap() };
        place.set(files).await;
        place
    }

    async fn set(&self, files: &[&str]) {
        let files = files.iter().chain(&[SENTINEL]).map(|file| self.path(file));
        self.watch.set(files).await;
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) -> &Self {
        fs::write(self.path(name), text).unwrap();
        self
    }

    fn create_dir(&self, name: &str) -> &Self {
        fs::create_dir_all(self.path(name)).unwrap();
        self
    }

    fn rename(&self, from: &str, to: &str) -> &Self {
        fs::rename(self.path(from), self.path(to)).unwrap();
        self
    }

    fn remove(&self, name: &str) -> &Self {
        let path = self.path(name);
        if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.unwrap();
        self
    }

    async fn changed(&self) -> BTreeSet<PathBuf> {
        tokio::time::timeout(LIMIT, self.watch.changed()).await.expect("a change is reported")
    }

    /// Returns all files reported up to now, in the order of names.
    async fn reported(&self) -> Vec<String> {
        self.write(SENTINEL, "");
        let mut reported = BTreeSet::new();
        while !reported.contains(&self.path(SENTINEL)) {
            reported.extend(self.changed().await);
        }
        let name =
            |path: &PathBuf| path.strip_prefix(self.folder.path()).unwrap().to_str().unwrap().to_owned();
        reported.iter().map(name).filter(|name| name != SENTINEL).collect()
    }

    fn warning(&self) -> Option<String> {
        self.watch.warnings().first().map(ToString::to_string)
    }

    #[track_caller]
    fn expect(&self, file: &str) -> impl Future<Output = ()> {
        let place = std::panic::Location::caller();
        async move { assert_eq!(self.reported().await, [file], "{place}") }
    }
}

/// The first of all names: changes made before it are seen in the same look.
const SENTINEL: &str = ".sentinel";

#[tokio::test]
async fn every_way_of_writing_a_file_is_reported() {
    let place = Place::new(quick(), &["mcp.json"]).await;
    place.write("mcp.json", "1").expect("mcp.json").await;
    for text in ["2", "3"] {
        place.write("mcp.json.tmp", text).rename("mcp.json.tmp", "mcp.json").expect("mcp.json").await;
    }
    place.remove("mcp.json").expect("mcp.json").await;
    place.write("mcp.json", "4").expect("mcp.json").await;
    place.remove("mcp.json").write("mcp.json", "5").expect("mcp.json").await;
    place.rename("mcp.json", "away").expect("mcp.json").await;
    place.rename("away", "mcp.json").expect("mcp.json").await;
    place.write("mcp.json", "6").expect("mcp.json").await;
    assert_eq!(place.reported().await, [""; 0]);
}

#[tokio::test]
async fn reads_and_changes_of_neighbours_are_not_reported() {
    let place = Place::new(quick(), &["mcp.json"]).await;
    place.write("mcp.json", "1").expect("mcp.json").await;
    for _ in 0..100 {
        fs::read(place.path("mcp.json")).unwrap();
        place.write("other.json", "");
    }
    assert_eq!(place.reported().await, [""; 0]);
}

#[tokio::test]
async fn created_and_removed_folders_are_followed() {
    let place = Place::new(quick(), &["project/.roo/mcp.json"]).await;
    for _ in 0..3 {
        place.create_dir("project");
        place.create_dir("project/.roo");
        assert_eq!(place.reported().await, [""; 0]);
        place.write("project/.roo/mcp.json", "1").expect("project/.roo/mcp.json").await;
        place.remove("project").expect("project/.roo/mcp.json").await;
        // The file exists before its folder is watched.
        place.create_dir("project/.roo");
        place.write("project/.roo/mcp.json", "2").expect("project/.roo/mcp.json").await;
        place.rename("project/.roo", "project/away").expect("project/.roo/mcp.json").await;
        place.write("project/away/mcp.json", "3");
        assert_eq!(place.reported().await, [""; 0]);
        place.rename("project/away", "project/.roo").expect("project/.roo/mcp.json").await;
        place.write("project/.roo/mcp.json", "4").expect("project/.roo/mcp.json").await;
        // Another folder under the same name.
        place.create_dir("project/other");
        place.write("project/other/mcp.json", "5");
        place.rename("project/.roo", "project/away");
        place.rename("project/other", "project/.roo").expect("project/.roo/mcp.json").await;
        place.write("project/.roo/mcp.json", "6").expect("project/.roo/mcp.json").await;
        place.remove("project").expect("project/.roo/mcp.json").await;
    }
}

// `notify` drops the watches of folders inside a watched folder with its own, without an event.
#[tokio::test]
async fn swapped_folders_are_followed() {
    for files in [&["project/.roo/mcp.json"][..], &["project/.roo/mcp.json", "project/mcp.json"]] {
        let place = Place::new(quick(), files).await;
        for project in ["project", "other"] {
            place.create_dir(&format!("{project}/.roo"));
            place.write(&format!("{project}/.roo/mcp.json"), project);
            place.write(&format!("{project}/mcp.json"), project);
        }
        assert_eq!(place.reported().await, files);
        for _ in 0..5 {
            place.rename("project", "away");
            place.rename("other", "project");
            place.rename("away", "other");
            assert_eq!(place.reported().await, files);
            place.write("project/.roo/mcp.json", "again").expect("project/.roo/mcp.json").await;
        }
    }
}

#[cfg(unix)]
#[tokio::test]
async fn switched_links_are_followed() {
    use std::os::unix::fs::symlink;
    let place = Place::new(quick(), &["config/mcp.json"]).await;
    let version = |number: u32| {
        place.create_dir(&format!("config/..{number}"));
        place.write(&format!("config/..{number}/mcp.json"), "same length");
        symlink(format!("..{number}"), place.path("config/..data_tmp")).unwrap();
        place.rename("config/..data_tmp", "config/..data");
    };
    place.create_dir("config");
    version(1);
    symlink("..data/mcp.json", place.path("config/mcp.json")).unwrap();
    place.expect("config/mcp.json").await;
    for number in 2..4 {
        version(number);
        place.expect("config/mcp.json").await;
        place.remove(&format!("config/..{}", number - 1));
        assert_eq!(place.reported().await, [""; 0]);
        place.write(&format!("config/..{number}/mcp.json"), "changed where it is");
        place.expect("config/mcp.json").await;
    }
    place.create_dir("dotfiles");
    place.write("dotfiles/mcp.json", "");
    place.remove("config/mcp.json");
    symlink("../dotfiles/mcp.json", place.path("config/mcp.json")).unwrap();
    place.expect("config/mcp.json").await;
    place.write("dotfiles/mcp.json", "1").expect("config/mcp.json").await;
}

// Regression test: watches were lost with each change of the configuration, and if servers had the same name.
#[tokio::test]
async fn files_stay_watched_when_others_are_added_and_removed() {
    let place = Place::new(quick(), &["kept", "gone"]).await;
    for more in ["new", "newer", "newest"] {
        place.set(&["kept", more]).await;
        place.write("kept", more);
        place.write("gone", more);
        place.write(more, "");
        let mut expected = ["kept", more];
        expected.sort();
        assert_eq!(place.reported().await, expected);
    }
    // A change right before the new set is reported.
    place.write("kept", "once more");
    place.set(&["kept"]).await;
    place.expect("kept").await;
}

#[tokio::test]
async fn changes_in_a_watched_folder_are_reported() {
    let place = Place::new(quick(), &["build"]).await;
    place.create_dir("build").expect("build").await;
    place.write("build/index.js", "1").expect("build").await;
    place.write("build/index.js", "2").expect("build").await;
    place.remove("build/index.js").expect("build").await;
}

#[tokio::test]
async fn continuous_writing_is_reported_within_the_limit() {
    let settings = Settings { quiet: Duration::from_secs(600), ..quick() };
    let place = Place::new(settings, &["busy"]).await;
    let stop = Arc::new(AtomicBool::new(false));
    let writer = std::thread::spawn({
        let (file, stop) = (place.path("busy"), Arc::clone(&stop));
        move || {
            while !stop.load(Ordering::Relaxed) {
                fs::write(&file, "again").unwrap();
            }
        }
    });
    let reported = tokio::time::timeout(LIMIT, place.watch.changed()).await;
    stop.store(true, Ordering::Relaxed);
    writer.join().unwrap();
    assert_eq!(reported.unwrap(), BTreeSet::from([place.path("busy")]));
}

/// A watcher without watches left, or without events.
struct NoEvents {
    is_full: bool,
}

impl Watcher for NoEvents {
    fn new<F: notify::EventHandler>(_: F, _: notify::Config) -> notify::Result<Self> {
        unreachable!("it is made by hand")
    }

    fn watch(&mut self, _: &Path, _: RecursiveMode) -> notify::Result<()> {
        if self.is_full { Err(notify::Error::new(ErrorKind::MaxFilesWatch)) } else { Ok(()) }
    }

    fn unwatch(&mut self, _: &Path) -> notify::Result<()> {
        Ok(())
    }

    fn kind() -> WatcherKind {
        WatcherKind::NullWatcher
    }
}

#[tokio::test]
async fn unwatchable_files_are_polled_with_a_warning() {
    let cases: [(Settings, &str); 3] = [
        (
            Settings { native: |_| Err(notify::Error::generic("too many open files")), ..quick() },
            "too many open files",
        ),
        (Settings { native: |_| Ok(Box::new(NoEvents { is_full: true })), ..quick() }, "no more watches"),
        (
            Settings {
                native: |_| Ok(Box::new(NoEvents { is_full: false })),
                remote: |_| Some("nfs4".into()),
                ..quick()
            },
            "the file system is nfs4",
        ),
    ];
    for (settings, why) in cases {
        let place = Place::new(settings, &["new/mcp.json"]).await;
        assert!(place.warning().is_some_and(|text| text.contains(why)), "{:?}", place.warning());
        place.create_dir("new");
        assert_eq!(place.reported().await, [""; 0]);
        for text in ["1", "2"] {
            place.write("new/mcp.json", text).expect("new/mcp.json").await;
        }
        place.remove("new").expect("new/mcp.json").await;
    }
    let place = Place::new(quick(), &["mcp.json"]).await;
    assert_eq!(place.warning(), None);
}

#[tokio::test]
async fn polling_stops_when_watches_are_available_again() {
    static FULL: AtomicBool = AtomicBool::new(true);
    let native = |handler: Handler| {
        if FULL.load(Ordering::Relaxed) {
            return Err(notify::Error::generic("full"));
        }
        super::native(handler)
    };
    let place = Place::new(Settings { native, ..quick() }, &["mcp.json"]).await;
    assert!(place.warning().is_some());
    FULL.store(false, Ordering::Relaxed);
    eventually(|| place.warning().is_none()).await;
    place.write("mcp.json", "1").expect("mcp.json").await;
}

#[tokio::test]
async fn lost_events_make_all_files_be_compared() {
    static HANDLER: Mutex<Option<Handler>> = Mutex::new(None);
    let native = |handler: Handler| {
        *HANDLER.lock().unwrap() = Some(handler);
        Ok(Box::new(NoEvents { is_full: false }) as super::Native)
    };
    let place = Place::new(Settings { native, ..quick() }, &["a", "b", "c"]).await;
    for text in ["1", "2", "3"] {
        place.write("a", text);
        place.write("c", text);
        let overflow = notify::Event::new(EventKind::Other).set_flag(Flag::Rescan);
        HANDLER.lock().unwrap().as_ref().unwrap()(Ok(overflow));
        assert_eq!(place.changed().await, BTreeSet::from([place.path("a"), place.path("c")]));
        place.write("b", text);
        HANDLER.lock().unwrap().as_ref().unwrap()(Err(notify::Error::generic("lost")));
        assert_eq!(place.changed().await, BTreeSet::from([place.path("b")]));
    }
}
