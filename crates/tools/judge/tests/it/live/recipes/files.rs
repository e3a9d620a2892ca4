//! Guards of files: they check the file itself and not its description.

use std::{
    fs,
    os::unix::fs::symlink,
    sync::{Arc, Mutex},
};

use agentwire::{Session, hooks::Hooks};
use serde_json::{Value, json};

use super::{Place, chain, env_files, held, hold, matched, read_only, replies, sandbox, system_folders};

/// Returns a place with a secret, and calls that lead to it.
async fn with_a_secret(calls: &[(&str, Value)], to_secrets: &[Value]) -> Place {
    let marker = json!({"marker": "TOKEN=abc", "in": "last", "replies": to_secrets});
    let place = Place::scripted(&json!({"replies": replies(calls), "match": [marker]}).to_string()).await;
    fs::write(place.file("project/.env"), "TOKEN=abc\n").unwrap();
    symlink("../.env", place.file("project/sub/notes.txt")).unwrap();
    place
}

/// Ways to the secret.
fn readings() -> Vec<(&'static str, Value)> {
    let paths = [
        "${place}/project/.env",
        "sub/../.env",
        "sub/notes.txt",
        " ${place}/project/.env ",
        "~/../project/.env",
    ];
    paths.into_iter().map(|path| ("Read", json!({"file_path": path}))).collect()
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn env_files_are_kept() {
    let mut calls = readings();
    calls.push(("Write", json!({"file_path": "sub/.ENV.local", "content": "x"})));
    calls.push(("Read", json!({"file_path": "${place}/project/a.txt"})));
    calls.push(("Write", json!({"file_path": "${place}/project/environment.txt", "content": "x"})));
    let place = with_a_secret(&calls, &[]).await;
    let seen = held(&place, env_files::protect(Hooks::new())).await;
    assert_eq!(seen.refused(), [true, true, true, true, true, true, false, false], "{seen:#?}");
    let ours =
        |why: &&String| why.contains("files called .env hold secrets") || why.contains("say it plainly");
    assert_eq!(
        seen.outputs.iter().filter_map(|output| output.as_ref().err()).filter(ours).count(),
        6,
        "{seen:#?}"
    );
    assert_eq!(matched(&place, 0), 0);
    assert!(!place.file("project/sub/.ENV.local").exists());
    assert!(place.file("project/environment.txt").exists());
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn without_the_recipe_the_secret_is_read() {
    // A model that sees the secret tries the next call.
    let mut calls = readings();
    let next = replies(&calls.split_off(1));
    let place = with_a_secret(&calls, &next).await;
    let seen = held(&place, Hooks::new()).await;
    let read =
        |output: &&Result<String, String>| output.as_ref().is_ok_and(|text| text.contains("TOKEN=abc"));
    assert_eq!(seen.outputs.iter().filter(read).count(), 5, "{seen:#?}");
    assert!(matched(&place, 0) > 0);
}

/// Ways into a folder beside the project.
fn intrusions() -> Vec<(&'static str, Value)> {
    let write = |path: &str| ("Write", json!({"file_path": path, "content": "x"}));
    vec![
        write("${place}/other/1.txt"),
        write("../other/2.txt"),
        write("${place}/project/sub/../../other/3.txt"),
        write("link/4.txt"),
        write("dangling"),
        write("${place}/other/new/folder/6.txt"),
    ]
}

fn links_into_the_other_folder(place: &Place) {
    symlink("../other", place.file("project/link")).unwrap();
    symlink("../other/5.txt", place.file("project/dangling")).unwrap();
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn system_folders_are_kept() {
    let mut calls = intrusions();
    calls.push(("Write", json!({"file_path": "b.txt", "content": "x"})));
    let place = Place::calling(&calls).await;
    links_into_the_other_folder(&place);
    let hooks = system_folders::protect(Hooks::new(), [place.file("other")]).unwrap();
    let seen = held(&place, hooks).await;
    assert_eq!(seen.refused(), [true, true, true, true, true, true, false], "{seen:#?}");
    assert_eq!(fs::read_dir(place.file("other")).unwrap().count(), 0);
    assert!(place.file("project/b.txt").exists());
    // The dangling link is refused as unclear, and the others with a notice.
    let notices = seen.notices.iter().filter(|text| text.contains("the agent tried to change")).count();
    assert_eq!(notices, 5, "{:#?}", seen.notices);
    assert!(system_folders::protect(Hooks::new(), [place.file("nowhere")]).is_err());
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn without_the_recipe_files_are_written_there() {
    let place = Place::calling(&intrusions()).await;
    links_into_the_other_folder(&place);
    let seen = held(&place, Hooks::new()).await;
    // The CLI asks about links that lead out of its folders, with any rules.
    assert_eq!(seen.refused(), [false, false, false, true, true, false], "{seen:#?}");
    assert_eq!(fs::read_dir(place.file("other")).unwrap().count(), 4);
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn writing_lands_in_the_sandbox() {
    let place = Place::calling(&[
        ("Write", json!({"file_path": "a.txt", "content": "new\n"})),
        ("Write", json!({"file_path": "${place}/box/own.txt", "content": "own\n"})),
        ("Write", json!({"file_path": "${place}/box/../other/b.txt", "content": "b\n"})),
        ("Write", json!({"file_path": "${place}/project/way/out.txt", "content": "out\n"})),
        ("Edit", json!({"file_path": "${place}/project/a.txt", "old_string": "one", "new_string": "two"})),
    ])
    .await;
    let box_ = place.file("box");
    let inside = |name: &str| box_.join(place.file(name).strip_prefix("/").unwrap());
    fs::create_dir_all(inside("project")).unwrap();
    symlink(place.file("other"), inside("project/way")).unwrap();
    let hooks = sandbox::redirect(Hooks::new(), &box_).unwrap();
    // Nothing is permitted but by the hook.
    let options = place.in_project();
    let seen = hold(Session::builder().options(options).hooks(hooks)).await;
    assert_eq!(seen.refused(), [false, false, false, true, true], "{seen:#?}");
    assert!(seen.outputs[4].as_ref().unwrap_err().contains("only files in"), "{seen:#?}");
    assert_eq!(fs::read_to_string(place.file("project/a.txt")).unwrap(), "one\n");
    assert_eq!(fs::read_to_string(inside("project/a.txt")).unwrap(), "new\n");
    assert_eq!(fs::read_to_string(box_.join("own.txt")).unwrap(), "own\n");
    assert_eq!(fs::read_to_string(inside("other/b.txt")).unwrap(), "b\n");
    assert_eq!(fs::read_dir(place.file("other")).unwrap().count(), 0);
    let output = seen.outputs[0].as_ref().unwrap();
    assert!(output.contains(inside("project/a.txt").to_str().unwrap()), "{output}");
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn reading_in_one_folder_needs_no_question() {
    let calls = [
        ("Read", json!({"file_path": "${place}/other/a.txt"})),
        ("Read", json!({"file_path": "${place}/other/../home/b.txt"})),
        ("Read", json!({"file_path": "${place}/other/link.txt"})),
        ("Read", json!({"file_path": "${place}/other/ruled.txt"})),
    ];
    for (with, refused) in [(true, [false, true, true, true]), (false, [true; 4])] {
        let place = Place::calling(&calls).await;
        for name in ["other/a.txt", "home/b.txt", "other/ruled.txt"] {
            fs::write(place.file(name), "text\n").unwrap();
        }
        symlink("../home/b.txt", place.file("other/link.txt")).unwrap();
        let approving = read_only::approve(Hooks::new(), place.file("other")).unwrap();
        let hooks = if with { approving } else { Hooks::new() };
        let ruled = format!("Read(/{})", place.path("other/ruled.txt"));
        let options = place.in_project().disallowed_tools([ruled]);
        // The CLI asks no callback: without a rule or a hook that allows it, the call is denied.
        let seen = hold(Session::builder().options(options).hooks(hooks)).await;
        assert_eq!(seen.refused(), refused, "{with}: {seen:#?}");
    }
}

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn a_chain_of_four_stops_at_the_first_refusal() {
    let write = |path: &str| ("Write", json!({"file_path": path, "content": "new\n"}));
    let place = Place::calling(&[write(".env"), write("${place}/other/x.txt"), write("a.txt")]).await;
    fs::create_dir(place.file("box")).unwrap();
    let watched = Arc::new(Mutex::new(Vec::new()));
    let watching = Arc::clone(&watched);
    let watch = move |path: &std::path::Path| watching.lock().unwrap().push(path.to_owned());
    let hooks = chain::guard(Hooks::new(), &[place.file("other")], place.file("box"), watch).unwrap();
    let seen = held(&place, hooks).await;
    assert_eq!(seen.refused(), [true, true, false], "{seen:#?}");
    let why = |number: usize| seen.outputs[number].as_ref().unwrap_err();
    assert!(why(0).contains("files called .env") && why(1).contains("may be changed"), "{seen:#?}");
    // The last handler sees the input as the one before has changed it.
    let moved = place.file("box").join(place.file("project/a.txt").strip_prefix("/").unwrap());
    assert_eq!(fs::read_to_string(&moved).unwrap(), "new\n");
    assert_eq!(*watched.lock().unwrap(), [moved]);
    assert_eq!(fs::read_to_string(place.file("project/a.txt")).unwrap(), "one\n");
    assert_eq!(fs::read_dir(place.file("other")).unwrap().count(), 0);
}
