//! Lost, duplicated, reordered and changed messages are detected with every client.

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use agentwire_benches::cli::{Plan, Workload};
use agentwire_benches::{clients::BuiltIn, run::run};

use crate::{cli, client};

const PLAN: Plan = Plan { workload: Workload::Stream, share: 400 };

/// Returns a script that edits the bench CLI's output.
fn spoiled(folder: &Path, edit: &str) -> std::path::PathBuf {
    let path = folder.join("cli");
    let script = format!("#!/bin/sh\n'{}' | sed -u '{edit}'\n", cli().display());
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn changed_messages_are_detected() {
    let edits = [
        ("lost", "40d"),
        ("doubled", "40p"),
        ("in another order", "40{h;d};41{G}"),
        ("changed", r#"s/"text":" [a-z]/"text":" X/"#),
    ];
    for (what, edit) in edits {
        for of in BuiltIn::ALL {
            let folder = tempfile::tempdir().unwrap();
            let error = run(&client(of), &spoiled(folder.path(), edit), PLAN).expect_err(what);
            assert!(error.to_string().contains(" was said, and "), "{of:?}, {what}: {error}");
        }
    }
}

#[test]
fn an_editor_that_does_nothing_changes_nothing() {
    for of in BuiltIn::ALL {
        let folder = tempfile::tempdir().unwrap();
        run(&client(of), &spoiled(folder.path(), ""), PLAN).unwrap();
    }
}

#[test]
fn a_wrong_message_count_is_detected() {
    for (field, wrong) in [("messages", "1"), ("bytes", "1"), ("checksum", "1")] {
        let mut client = client(BuiltIn::FloorTokio);
        let program = client.program.display().to_string();
        let script = format!(r#"'{program}' floor-tokio | sed 's/"{field}":[0-9]*/"{field}":{wrong}/'"#);
        client.program = "/bin/sh".into();
        client.arguments = vec!["-c".into(), script.into()];
        let error = run(&client, cli(), PLAN).expect_err(field);
        assert!(error.to_string().contains(" was said, and "), "{field}: {error}");
    }
}
