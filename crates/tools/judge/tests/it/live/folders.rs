//! The folder in which the real CLI keeps a project's sessions has the name that we give it.

use std::fs;

use agentwire::Session;
use agentwire_sessions::{Page, Sessions, project_key};

use super::place::{Place, turn};

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn a_project_is_found_by_the_name_that_the_cli_gave_its_folder() {
    for name in [
        "plain.dir_x".to_owned(),
        "emoji-\u{1f600}y".to_owned(),
        "decomposed-e\u{301}x".to_owned(),
        "composed-\u{e9}x".to_owned(),
        format!("{}/{}", "a".repeat(120), "b".repeat(120)),
        format!("{}/{}", "\u{1f600}".repeat(50), "e\u{301}".repeat(60)),
    ] {
        project(&name).await;
    }
}

async fn project(name: &str) {
    let place = Place::new().await;
    let project = place.file("project").join(name);
    fs::create_dir_all(&project).unwrap();
    turn(Session::builder().options(place.options().cwd(&project)), "Hello.").await;
    let folders = fs::read_dir(place.file("home/.claude/projects")).unwrap();
    let names: Vec<_> = folders.map(|folder| folder.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(names, [project_key(&project)]);
    let sessions = Sessions::at(place.file("home/.claude")).in_project(&project);
    assert_eq!(sessions.list(Page::ALL).unwrap().len(), 1, "{name}");
}
