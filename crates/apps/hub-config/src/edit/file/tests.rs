//! Edits of real files, with other programs that change them at the same time.

use std::cell::Cell;
use std::fs;
use std::path::Path;

use super::{Fingerprint, LIMIT, change};
use crate::edit::{Edit, EditError, EditRefusal};
use crate::{ServerConfig, Stdio};

const FILE: &str = "{\"mcpServers\": {\"a\": {\"command\": \"x\"}}}";

fn add() -> Edit {
    Edit::Add(Box::new(ServerConfig::new(Stdio::new("x"))))
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn the_first_server_creates_the_file_and_its_folders() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("new/.vscode/mcp.json");
    let refused = Edit::Disabled(true).write("a", &file).unwrap_err();
    assert!(matches!(refused, EditError::Refused { source: EditRefusal::NoServer { .. }, .. }), "{refused}");
    assert!(!folder.path().join("new").exists());
    assert_eq!(Fingerprint::all([&file].into_iter()), [Fingerprint::Nothing]);
    add().write("a", &file).unwrap();
    assert!(fs::read_to_string(&file).unwrap().contains("\"servers\""));
    #[cfg(unix)]
    assert_eq!(mode(&file), 0o600);
    assert_eq!(names(file.parent().unwrap()), ["mcp.json"]);
}

#[test]
fn an_edit_without_a_change_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mcp.json");
    fs::write(&file, FILE).unwrap();
    // A file written within the same tick of the kernel would have the same time.
    let old = std::time::UNIX_EPOCH;
    fs::File::options().write(true).open(&file).unwrap().set_modified(old).unwrap();
    Edit::AlwaysAllow { tool: "t".into(), allowed: false }.write("a", &file).unwrap();
    assert_eq!(fs::metadata(&file).unwrap().modified().unwrap(), old);
}

#[cfg(unix)]
fn mode(file: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(file).unwrap().permissions().mode() & 0o7777
}

#[cfg(unix)]
#[test]
fn mode_and_links_are_kept() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let folder = tempfile::tempdir().unwrap();
    let real = folder.path().join("dotfiles");
    fs::create_dir(&real).unwrap();
    fs::write(real.join("mcp.json"), FILE).unwrap();
    fs::set_permissions(real.join("mcp.json"), fs::Permissions::from_mode(0o664)).unwrap();
    symlink("dotfiles/mcp.json", folder.path().join("between.json")).unwrap();
    let link = folder.path().join("link.json");
    symlink("between.json", &link).unwrap();
    Edit::Disabled(true).write("a", &link).unwrap();
    assert!(link.is_symlink() && folder.path().join("between.json").is_symlink());
    assert!(fs::read_to_string(real.join("mcp.json")).unwrap().contains("\"disabled\": true"));
    assert_eq!(mode(&real.join("mcp.json")), 0o664);
    assert_eq!(names(&real), ["mcp.json"]);
    // A dangling link is written through too.
    let dangling = folder.path().join("dangling.json");
    symlink("later/mcp.json", &dangling).unwrap();
    add().write("a", &dangling).unwrap();
    assert!(dangling.is_symlink() && folder.path().join("later/mcp.json").is_file());
    let around = folder.path().join("around");
    symlink("around", &around).unwrap();
    assert!(matches!(add().write("a", &around), Err(EditError::Io { .. })));
}

#[test]
fn changes_by_others_are_not_lost() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mcp.json");
    for first in [None, Some("{}")] {
        if let Some(first) = first {
            fs::write(&file, first).unwrap();
        }
        let calls = Cell::new(0);
        let written = change(&file, |text| {
            calls.set(calls.get() + 1);
            if calls.get() == 1 {
                fs::write(&file, "{\"mine\": 1}").unwrap();
            }
            Ok(format!("{text} // changed"))
        });
        written.unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "{\"mine\": 1} // changed");
        assert_eq!(calls.get(), 2);
        assert_eq!(names(folder.path()), ["mcp.json"]);
        fs::remove_file(&file).unwrap();
    }
    let calls = Cell::new(0);
    let contended = change(&file, |text| {
        calls.set(calls.get() + 1);
        fs::write(&file, calls.get().to_string()).unwrap();
        Ok(format!("{text} // changed"))
    });
    assert!(matches!(contended, Err(EditError::Contended { .. })), "{contended:?}");
    assert_eq!(names(folder.path()), ["mcp.json"]);
}

#[test]
fn concurrent_edits_are_all_applied() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mcp.json");
    std::thread::scope(|scope| {
        for server in 0..16 {
            let file = &file;
            scope.spawn(move || add().write(&format!("s{server}"), file).unwrap());
        }
    });
    let text = fs::read_to_string(&file).unwrap();
    for server in 0..16 {
        assert!(text.contains(&format!("\"s{server}\"")), "{text}");
    }
}

#[test]
fn refused_edits_leave_the_file_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mcp.json");
    let cases: [&[u8]; 3] = [b"{\"mcpServers\": {", b"\xff\xfe{\0}\0", b"{\"mcpServers\": 1}"];
    for content in cases {
        fs::write(&file, content).unwrap();
        let refused = Edit::Disabled(true).write("a", &file).unwrap_err();
        assert!(matches!(refused, EditError::Refused { .. }), "{refused:?}");
        assert_eq!(fs::read(&file).unwrap(), content);
    }
    fs::write(&file, FILE).unwrap();
    let mut permissions = fs::metadata(&file).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&file, permissions).unwrap();
    assert!(matches!(Edit::Disabled(true).write("a", &file), Err(EditError::Io { .. })));
    assert!(matches!(Edit::Disabled(true).write("a", folder.path()), Err(EditError::Io { .. })));
    assert_eq!(names(folder.path()), ["mcp.json"]);
}

#[test]
fn a_file_does_not_grow_beyond_the_limit() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mcp.json");
    let text = format!("{FILE}{}", " ".repeat(LIMIT as usize - FILE.len()));
    fs::write(&file, &text).unwrap();
    let refused = Edit::Disabled(true).write("a", &file).unwrap_err();
    assert!(matches!(refused, EditError::Refused { source: EditRefusal::TooLarge { .. }, .. }), "{refused}");
    assert!(fs::read_to_string(&file).unwrap() == text);
    Edit::Remove.write("a", &file).unwrap();
}
