//! Tests of changes on this machine: their effect on reading, and the files that they must not modify.

use std::fs::{self, File};
use std::io::Write as _;
use std::sync::Barrier;
use std::thread;

use agentwire_protocol::{SessionId, Uuid};
use agentwire_sessions::{ChangeError, Page, SessionError, Sessions};
use serde_json::{Value, json};

use crate::written::{Config, id, user};

/// Returns messages in turn; the id of each is its text.
fn chain(texts: &[&str]) -> Vec<Value> {
    let mut parent = None;
    let mut entries = Vec::new();
    for text in texts {
        entries.push(user(text, parent, text));
        parent = Some(*text);
    }
    entries
}

fn message_texts(sessions: &Sessions, id: &SessionId) -> Vec<String> {
    let messages = sessions.messages(id, Page::ALL).unwrap().unwrap();
    let text = |message: Value| message["content"].as_str().unwrap().to_owned();
    messages.into_iter().map(|message| text(message.message.decode().unwrap())).collect()
}

#[test]
fn titles_and_tags_are_listed() {
    let config = Config::new();
    let path = config.write("/w", &id(1), 10, &chain(&["a", "b"]));
    let (sessions, session) = (config.sessions(), id(1).into());
    let before = fs::read_to_string(&path).unwrap();
    let info = || sessions.info(&session).unwrap().unwrap();
    sessions.rename(&session, " A \"walk\"\n").unwrap();
    sessions.tag(&session, Some("to\u{200b}do ")).unwrap();
    assert_eq!((&*info().summary, info().tag.as_deref()), ("A \"walk\"", Some("todo")));
    sessions.rename(&session, "Another").unwrap();
    sessions.in_project("/w").tag(&session, None).unwrap();
    assert_eq!((info().custom_title.as_deref(), info().tag), (Some("Another"), None));
    assert_eq!(message_texts(&sessions, &session), ["a", "b"]);
    let lines = [
        format!(r#"{{"type":"custom-title","customTitle":"A \"walk\"","sessionId":"{session}"}}"#),
        format!(r#"{{"type":"tag","tag":"todo","sessionId":"{session}"}}"#),
        format!(r#"{{"type":"custom-title","customTitle":"Another","sessionId":"{session}"}}"#),
        format!(r#"{{"type":"tag","tag":"","sessionId":"{session}"}}"#),
    ];
    assert_eq!(fs::read_to_string(&path).unwrap(), before + &lines.join("\n") + "\n");
}

#[test]
fn an_incomplete_line_stays_separate() {
    let config = Config::new();
    let path = config.write("/w", &id(1), 10, &chain(&["a"]));
    File::options().append(true).open(&path).unwrap().write_all(br#"{"type":"user","uu"#).unwrap();
    let (sessions, session) = (config.sessions(), id(1).into());
    sessions.rename(&session, "A walk").unwrap();
    sessions.tag(&session, Some("todo")).unwrap();
    let info = sessions.info(&session).unwrap().unwrap();
    assert_eq!((&*info.summary, info.tag.as_deref()), ("A walk", Some("todo")));
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!((lines.len(), lines[1]), (4, r#"{"type":"user","uu"#));
    let fork = sessions.fork(&session, None, None).unwrap();
    assert_eq!(message_texts(&sessions, &fork), ["a"]);
}

#[test]
fn missing_sessions_are_not_created() {
    let config = Config::new();
    let empty = config.write("/w", &id(2), 10, &[]);
    let sessions = config.sessions();
    type Change<'a> = &'a dyn Fn(&SessionId) -> Result<(), SessionError>;
    let changes: [(&str, Change<'_>); 6] = [
        ("rename", &|id| sessions.rename(id, "A walk")),
        ("tag", &|id| sessions.tag(id, None)),
        ("archive", &|id| sessions.archive(id)),
        ("unarchive", &|id| sessions.unarchive(id)),
        ("delete", &|id| sessions.delete(id)),
        ("fork", &|id| sessions.fork(id, None, None).map(drop)),
    ];
    for (name, change) in changes {
        for missing in [id(1), id(2)] {
            let error = change(&SessionId::from(&*missing)).unwrap_err();
            assert!(
                matches!(&error, SessionError::NotFound { session, .. } if session.as_str() == missing),
                "{name}"
            );
            assert!(error.to_string().contains(&missing), "{error}");
        }
        for bad in ["", "..", "../../x"] {
            assert!(matches!(change(&bad.into()), Err(SessionError::Id(_))), "{name} {bad}");
        }
    }
    assert_eq!(fs::metadata(&empty).unwrap().len(), 0);
    assert_eq!(fs::read_dir(empty.parent().unwrap()).unwrap().count(), 1);
}

#[test]
fn invalid_changes_change_nothing() {
    let config = Config::new();
    let path = config.write("/w", &id(1), 10, &chain(&["a"]));
    config.write("/w", &id(2), 10, &[json!({"type": "mode"})]);
    let before = fs::read(&path).unwrap();
    let (sessions, session) = (config.sessions(), SessionId::from(id(1)));
    let change = |result: Result<(), SessionError>| match result {
        Err(SessionError::Change(error)) => error,
        other => panic!("{other:?}"),
    };
    assert!(matches!(change(sessions.rename(&session, " \n")), ChangeError::EmptyTitle));
    assert!(matches!(change(sessions.tag(&session, Some("\u{feff}\u{200b} "))), ChangeError::EmptyTag));
    let unknown = Uuid::from("z");
    let fork = |id: &SessionId, up_to| change(sessions.fork(id, up_to, None).map(drop));
    assert!(matches!(fork(&session, Some(&unknown)), ChangeError::UnknownMessage(id) if id == unknown));
    assert!(matches!(fork(&id(2).into(), None), ChangeError::NoMessages));
    assert_eq!(fs::read(&path).unwrap(), before);
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 2);
}

#[test]
fn a_file_that_cant_be_written_is_an_error_with_its_path() {
    let config = Config::new();
    let path = config.write("/w", &id(1), 10, &chain(&["a"]));
    let mut permissions = fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions.clone()).unwrap();
    // The superuser can write to read-only files.
    let may_write = File::options().append(true).open(&path).is_ok();
    match config.sessions().rename(&id(1).into(), "A walk") {
        Ok(()) => assert!(may_write),
        Err(error) => {
            assert!(!may_write && error.to_string().ends_with(&format!("{}.jsonl", id(1))), "{error}");
            assert!(std::error::Error::source(&error).is_some());
        }
    }
    #[expect(clippy::permissions_set_readonly_false, reason = "Windows deletes no file that is read-only")]
    permissions.set_readonly(false);
    fs::set_permissions(&path, permissions).unwrap();
    // A folder can't be written as a file, even by the superuser.
    let folder = path.with_extension("");
    fs::write(&folder, "in the way").unwrap();
    let error = config.sessions().archive(&id(1).into()).unwrap_err();
    assert!(error.to_string().ends_with(&id(1)), "{error}");
}

#[test]
fn lines_do_not_interleave_with_other_writers() {
    let config = Config::new();
    let path = config.write("/w", &id(1), 10, &chain(&["a"]));
    let (sessions, session) = (config.sessions(), SessionId::from(id(1)));
    let start = Barrier::new(5);
    thread::scope(|scope| {
        for writer in 0..4 {
            let (sessions, session, start) = (&sessions, &session, &start);
            scope.spawn(move || {
                start.wait();
                for number in 0..100 {
                    sessions.rename(session, &format!("{writer} {number} {}", "x".repeat(2000))).unwrap();
                }
            });
        }
        // Like a CLI: one line in each write, at the end of the file.
        let mut cli = File::options().append(true).open(&path).unwrap();
        start.wait();
        for number in 0..400 {
            let entry = user(&format!("u{number}"), Some("a"), &"y".repeat(3000));
            cli.write_all(format!("{entry}\n").as_bytes()).unwrap();
        }
    });
    let text = fs::read_to_string(&path).unwrap();
    let mut kinds = std::collections::BTreeMap::<String, usize>::new();
    // There may be empty lines, from a line that was terminated twice.
    for line in text.lines().filter(|line| !line.is_empty()) {
        let entry: Value = serde_json::from_str(line).unwrap();
        *kinds.entry(entry["type"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    assert_eq!(
        kinds.into_iter().collect::<Vec<_>>(),
        [("custom-title".to_owned(), 400), ("user".to_owned(), 401)]
    );
}

#[test]
fn a_session_goes_into_the_archive_and_comes_out() {
    let config = Config::new();
    let path = config.write("/w", &id(1), 10, &chain(&["a"]));
    let before = fs::read(&path).unwrap();
    let (sessions, session) = (config.sessions(), id(1).into());
    let archived = || sessions.info(&session).unwrap().unwrap().archived;
    assert_eq!(archived(), None);
    sessions.archive(&session).unwrap();
    assert_eq!(archived(), Some(true));
    let mark = fs::read(path.with_extension("").join("archived.json")).unwrap();
    let mark: Value = serde_json::from_slice(&mark).unwrap();
    assert_eq!((&mark["archived"], &mark["by"]), (&json!(true), &json!("sdk")));
    sessions.unarchive(&session).unwrap();
    assert_eq!(archived(), Some(false));
    sessions.archive(&session).unwrap();
    assert_eq!(archived(), Some(true));
    // The user's message is later than any mark of this test.
    let mut later = user("b", Some("a"), "b");
    later["timestamp"] = "2999-01-01T00:00:00.000Z".into();
    assert_eq!(fs::read(&path).unwrap(), before);
    writeln!(File::options().append(true).open(&path).unwrap(), "{later}").unwrap();
    assert_eq!(archived(), Some(false));
    assert_eq!(fs::read_dir(path.with_extension("")).unwrap().count(), 1);
}

#[test]
fn a_deletion_that_fails_can_be_repeated() {
    let config = Config::new();
    let path = config.write("/a", &id(1), 10, &chain(&["a"]));
    let beside = path.with_extension("");
    // Cannot be deleted as a folder.
    fs::write(&beside, "").unwrap();
    let (sessions, session) = (config.sessions(), id(1).into());
    for _ in 0..2 {
        let error = sessions.delete(&session).unwrap_err();
        assert!(matches!(&error, SessionError::Io { path, .. } if *path == beside), "{error}");
    }
    fs::remove_file(&beside).unwrap();
    sessions.delete(&session).unwrap();
    assert!(!path.exists());
}

#[test]
fn a_deleted_session_is_gone_from_all_projects_and_nothing_else() {
    let config = Config::new();
    let first = config.write("/a", &id(1), 10, &chain(&["a"]));
    let second = config.write("/b", &id(1), 20, &chain(&["a"]));
    let other = config.write("/a", &id(2), 10, &chain(&["a"]));
    fs::create_dir_all(first.with_extension("").join("subagents/workflows")).unwrap();
    fs::write(first.with_extension("").join("subagents/agent-1.jsonl"), "{}").unwrap();
    let (sessions, session) = (config.sessions(), id(1).into());
    sessions.in_project("/b").delete(&session).unwrap();
    assert!(first.exists() && !second.exists());
    config.write("/b", &id(1), 20, &chain(&["a"]));
    sessions.delete(&session).unwrap();
    assert!(!first.exists() && !first.with_extension("").exists() && !second.exists());
    assert!(other.exists());
    assert!(matches!(sessions.delete(&session), Err(SessionError::NotFound { .. })));
}

#[test]
fn a_fork_is_another_session_with_the_same_words() {
    let config = Config::new();
    let mut entries = chain(&["a", "b", "c"]);
    // Rewinds to `b`, and continues from there.
    entries.extend([user("d", Some("b"), "d"), user("e", Some("d"), "e")]);
    let path = config.write("/w", &id(1), 10, &entries);
    let before = fs::read(&path).unwrap();
    let (sessions, session) = (config.sessions(), SessionId::from(id(1)));
    let original = sessions.messages(&session, Page::ALL).unwrap().unwrap();
    for (at, message) in original.iter().enumerate() {
        let fork = sessions.fork(&session, Some(&message.uuid), Some("Elsewhere")).unwrap();
        let forked = sessions.messages(&fork, Page::ALL).unwrap().unwrap();
        assert_eq!(forked.len(), at + 1);
        for (forked, original) in forked.iter().zip(&original) {
            assert_eq!((&forked.kind, &forked.message), (&original.kind, &original.message));
            assert_ne!(forked.uuid, original.uuid);
            assert_eq!(forked.session_id, fork);
        }
        let info = sessions.in_project("/w").info(&fork).unwrap().unwrap();
        assert_eq!((&*info.summary, info.first_prompt.as_deref()), ("Elsewhere", Some("a")));
    }
    let whole = sessions.fork(&session, None, None).unwrap();
    assert_eq!(message_texts(&sessions, &whole), ["a", "b", "d", "e"]);
    let aside = sessions.fork(&session, Some(&"c".into()), None).unwrap();
    assert_eq!(message_texts(&sessions, &aside), ["a", "b", "c"]);
    assert_eq!(sessions.info(&aside).unwrap().unwrap().summary, "a (fork)");
    assert_eq!(fs::read(&path).unwrap(), before);
    // The session, a fork up to each of its messages, and two more; no temporary file remains.
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1 + original.len() + 2);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let fork = path.with_file_name(format!("{whole}.jsonl"));
        assert_eq!(fs::metadata(fork).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn a_fork_has_the_title_or_the_first_prompt_of_its_session() {
    let config = Config::new();
    let sessions = config.sessions();
    let title = |title: &str| json!({"type": "custom-title", "customTitle": title});
    let filler = || vec![json!({"type": "progress", "text": "x".repeat(1000)}); 200];
    let made = json!({"type": "ai-title", "aiTitle": "Made"});
    let cases = [
        (vec![title("Mine"), title("")], "a"),
        (vec![title("Mine"), made.clone(), title("")], "Made"),
        (vec![title("Mine"), title("Other")], "Other"),
        // Entries between the ends of a long file are not read.
        ([filler(), vec![title("Mine"), made], filler()].concat(), "a"),
        ([vec![title("Mine")], filler(), filler()].concat(), "Mine"),
    ];
    for (number, (more, called)) in cases.into_iter().enumerate() {
        let session = SessionId::from(id(number as u32));
        config.write("/w", session.as_str(), 10, &[chain(&["a"]), more].concat());
        assert_eq!(sessions.info(&session).unwrap().unwrap().summary, called);
        let fork = sessions.fork(&session, None, None).unwrap();
        assert_eq!(sessions.info(&fork).unwrap().unwrap().summary, format!("{called} (fork)"));
    }
    // The list leaves out a session that begins with a sidechain.
    let session = SessionId::from(id(9));
    let mut aside = user("x", None, "aside");
    aside["isSidechain"] = true.into();
    config.write("/w", session.as_str(), 10, &[vec![aside], chain(&["a"]), vec![title("Mine")]].concat());
    assert_eq!(sessions.info(&session).unwrap(), None);
    let fork = sessions.fork(&session, None, None).unwrap();
    assert_eq!(sessions.info(&fork).unwrap().unwrap().summary, "Mine (fork)");
}

#[cfg(unix)]
#[test]
fn no_link_is_followed_out_of_the_folder() {
    use std::os::unix::fs::symlink;

    let config = Config::new();
    let outside = Config::new();
    let target = outside.write("/w", &id(1), 10, &chain(&["a"]));
    let before = fs::read(&target).unwrap();
    let project = config.project("/w");
    symlink(&target, project.join(format!("{}.jsonl", id(1)))).unwrap();
    symlink(target.parent().unwrap(), config.path().join("projects/elsewhere")).unwrap();
    let (sessions, session) = (config.sessions(), id(1).into());
    assert!(matches!(sessions.rename(&session, "A walk"), Err(SessionError::NotFound { .. })));
    assert!(matches!(sessions.delete(&session), Err(SessionError::NotFound { .. })));
    assert!(matches!(sessions.fork(&session, None, None), Err(SessionError::NotFound { .. })));
    // The session is inside the folder, but the folder beside it leads outside.
    let here = config.write("/x", &id(2), 10, &chain(&["a"]));
    let kept = outside.path().join("kept");
    fs::create_dir(&kept).unwrap();
    fs::write(kept.join("file"), "kept").unwrap();
    symlink(&kept, here.with_extension("")).unwrap();
    let error = sessions.archive(&id(2).into()).unwrap_err();
    assert!(matches!(&error, SessionError::Io { path, .. } if *path == here.with_extension("")), "{error}");
    sessions.delete(&id(2).into()).unwrap();
    assert!(!here.exists() && fs::symlink_metadata(here.with_extension("")).is_err());
    // A mark that is a link is replaced.
    let here = config.write("/x", &id(3), 10, &chain(&["a"]));
    fs::create_dir(here.with_extension("")).unwrap();
    symlink(kept.join("file"), here.with_extension("").join("archived.json")).unwrap();
    sessions.archive(&id(3).into()).unwrap();
    assert_eq!(sessions.info(&id(3).into()).unwrap().unwrap().archived, Some(true));
    assert_eq!(fs::read_to_string(kept.join("file")).unwrap(), "kept");
    assert_eq!(fs::read(&target).unwrap(), before);
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 2);
}
