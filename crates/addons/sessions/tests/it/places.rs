//! Tests of where sessions are searched.

use std::fs;
use std::path::Path;

use agentwire_sessions::{Page, Search};

use crate::written::{Config, id, user};

#[test]
fn the_sessions_of_other_worktrees_belong_to_a_project() {
    let (config, folder) = (Config::new(), tempfile::tempdir().unwrap());
    let [main, linked, other] = ["main\n1 ", "linked\n2 ", "other"].map(|name| folder.path().join(name));
    repository(&main, &linked);
    fs::create_dir_all(&other).unwrap();
    for (number, project) in [&main, &linked, &other].into_iter().enumerate() {
        config.write(
            project.to_str().unwrap(),
            &id(number as u32),
            10 - number as u64,
            &[user("a", None, "x")],
        );
    }
    let listed = |project: &Path, sessions: fn(_) -> _| -> Vec<String> {
        let sessions: agentwire_sessions::Sessions = sessions(config.sessions().in_project(project));
        sessions.list(Page::ALL).unwrap().into_iter().map(|info| info.session_id.to_string()).collect()
    };
    assert_eq!(listed(&main, |sessions| sessions), [id(0), id(1)]);
    assert_eq!(listed(&linked, |sessions| sessions), [id(0), id(1)]);
    assert_eq!(listed(&linked.join("inner"), |sessions| sessions), [id(0), id(1)]);
    assert_eq!(listed(&linked, |sessions| sessions.without_worktrees()), [id(1)]);
    assert_eq!(listed(&other, |sessions| sessions), [id(2)]);
    assert!(config.sessions().in_project(&linked).info(&id(0).into()).unwrap().is_some());
    assert!(config.sessions().in_project(&linked).info(&id(2).into()).unwrap().is_none());
}

/// Creates a repository with a linked worktree, as git does.
fn repository(main: &Path, linked: &Path) {
    let git = main.join(".git");
    let place = git.join("worktrees/linked");
    for folder in [git.join("objects"), git.join("refs"), place.clone(), linked.join("inner")] {
        fs::create_dir_all(folder).unwrap();
    }
    fs::write(git.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(linked.join(".git"), format!("gitdir: {}\n", place.display())).unwrap();
    fs::write(place.join("gitdir"), format!("{}\n", linked.join(".git").display())).unwrap();
    fs::write(place.join("commondir"), "../..\n").unwrap();
}

#[test]
fn folder_that_is_not_part_of_the_repository_around_it_has_only_its_own_sessions() {
    let (config, folder) = (Config::new(), tempfile::tempdir().unwrap());
    let main = folder.path().join("main");
    let linked = main.join("linked");
    repository(&main, &linked);
    for (number, project) in [&main, &linked].into_iter().enumerate() {
        config.write(project.to_str().unwrap(), &id(number as u32), 10, &[user("a", None, "x")]);
    }
    let sessions = config.sessions().in_project(&linked);
    let has_only_its_own = || {
        let listed = sessions.list(Page::ALL).unwrap();
        assert_eq!(listed.iter().map(|info| info.session_id.as_str()).collect::<Vec<_>>(), [id(1)]);
        assert!(sessions.info(&id(0).into()).unwrap().is_none());
        assert!(sessions.delete(&id(0).into()).is_err());
    };
    assert!(sessions.info(&id(0).into()).unwrap().is_some());
    // Git ignores further line ends.
    let pointer = fs::read_to_string(linked.join(".git")).unwrap();
    fs::write(linked.join(".git"), pointer + "\n\r\n").unwrap();
    assert!(sessions.info(&id(0).into()).unwrap().is_some());
    fs::write(linked.join(".git"), "gitdir: /nowhere\n").unwrap();
    has_only_its_own();
    fs::remove_dir_all(&linked).unwrap();
    has_only_its_own();
}

#[test]
fn projects_that_share_a_folder_list_their_own_sessions() {
    let (config, folder) = (Config::new(), tempfile::tempdir().unwrap());
    let root = folder.path().canonicalize().unwrap();
    let [dash, dot, gone] = ["my-app", "my.app", "my_app"].map(|name| root.join(name));
    repository(&dash, &root.join("linked"));
    for (number, project) in [&dash, &dot, &gone].into_iter().enumerate() {
        let mut entry = user("a", None, "needle");
        entry["cwd"] = project.to_str().unwrap().into();
        config.write(dash.to_str().unwrap(), &id(number as u32), 10 - number as u64, &[entry]);
    }
    fs::create_dir_all(&dot).unwrap();
    let sessions = |project: &Path| config.sessions().in_project(project);
    let listed = |project: &Path| -> Vec<String> {
        let listed = sessions(project).list(Page::ALL).unwrap();
        assert_eq!(sessions(project).list(Page::first(9)).unwrap(), listed);
        let found = sessions(project).search(&Search::new("needle")).unwrap();
        let found: Vec<_> = found.map(|hit| hit.unwrap().session_id.to_string()).collect();
        let listed: Vec<_> = listed.into_iter().map(|info| info.session_id.to_string()).collect();
        assert_eq!(found, listed);
        listed
    };
    // The folder of the third project is gone, so nothing shows that it was another one.
    assert_eq!(listed(&dash), [id(0), id(2)]);
    assert_eq!(listed(&dot), [id(1), id(2)]);
    // Another worktree of the project is not another project.
    fs::write(dash.join(".git/worktrees/linked/gitdir"), format!("{}\n", dot.join(".git").display()))
        .unwrap();
    assert_eq!(listed(&dash), [id(0), id(1), id(2)]);
    assert_eq!(config.sessions().list(Page::ALL).unwrap().len(), 3);
}

#[test]
fn a_long_name_with_another_hash_is_found_if_its_sessions_ran_there() {
    let config = Config::new();
    let project = format!("/{}", "long/".repeat(60));
    let project = project.trim_end_matches('/');
    let named = config.project(project);
    let name = named.file_name().unwrap().to_str().unwrap();
    let other = named.with_file_name(format!("{}-other", &name[..200]));
    let foreign = named.with_file_name(format!("{}-foreign", &name[..200]));
    for (folder, cwd, number) in [(other, project, 1), (foreign, "/elsewhere", 2)] {
        fs::create_dir_all(&folder).unwrap();
        let mut entry = user("a", None, "x");
        entry["cwd"] = cwd.into();
        fs::write(folder.join(format!("{}.jsonl", id(number))), entry.to_string()).unwrap();
    }
    let listed = config.sessions().in_project(project).list(Page::ALL).unwrap();
    assert_eq!(listed.iter().map(|info| info.session_id.as_str()).collect::<Vec<_>>(), [id(1)]);
}

#[cfg(unix)]
#[test]
fn no_link_is_followed_that_leads_out() {
    use std::os::unix::fs::symlink;

    let (config, outside) = (Config::new(), Config::new());
    let inner = config.write("/inside", &id(1), 10, &[user("a", None, "inside")]);
    let secret = outside.write("/outside", &id(2), 10, &[user("a", None, "outside")]);
    let projects = config.path().join("projects");
    symlink(secret.parent().unwrap(), projects.join("-linked")).unwrap();
    symlink(&secret, inner.with_file_name(format!("{}.jsonl", id(3)))).unwrap();
    symlink(&inner, inner.with_file_name(format!("{}.jsonl", id(4)))).unwrap();
    let listed = config.sessions().list(Page::ALL).unwrap();
    assert_eq!(listed.iter().map(|info| info.session_id.as_str()).collect::<Vec<_>>(), [id(4), id(1)]);
    for number in [2, 3] {
        assert!(config.sessions().info(&id(number).into()).unwrap().is_none());
    }
}

#[test]
fn a_folder_within_a_repository_lists_its_own_sessions_and_finds_those_of_the_whole() {
    let (config, folder) = (Config::new(), tempfile::tempdir().unwrap());
    let (whole, within) = (folder.path().join("whole"), folder.path().join("whole/within"));
    for name in ["objects", "refs"] {
        fs::create_dir_all(whole.join(".git").join(name)).unwrap();
    }
    fs::write(whole.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::create_dir_all(&within).unwrap();
    for (number, project) in [&whole, &within].into_iter().enumerate() {
        config.write(project.to_str().unwrap(), &id(number as u32), 10, &[user("a", None, "x")]);
    }
    let sessions = config.sessions().in_project(&within);
    let listed = sessions.list(Page::ALL).unwrap();
    assert_eq!(listed.iter().map(|info| info.session_id.as_str()).collect::<Vec<_>>(), [id(1)]);
    assert!(sessions.info(&id(0).into()).unwrap().is_some());
}
