//! Workspaces of git, and names that leave a folder.

use super::*;

fn session() -> SessionName {
    SessionName::new("tenant", "0b0e7a3e-57a1-4a4c-9d3f-0d8c5a2f1b11")
}

#[tokio::test]
async fn name_that_leaves_the_root_is_refused() {
    let root = tempfile::tempdir().unwrap();
    let folders = FolderWorkspace::new(root.path());
    for (tenant, id) in [("..", "a"), ("a/b", "a"), ("a", "../b"), ("", "a")] {
        assert!(folders.checkout(&SessionName::new(tenant, id), None).await.is_err(), "{tenant}/{id}");
    }
    assert!(folders.checkout(&session(), None).await.unwrap().starts_with(root.path()));
}

#[tokio::test]
async fn refused_name_is_named_with_the_rule() {
    let root = tempfile::tempdir().unwrap();
    let folders = FolderWorkspace::new(root.path());
    for (name, part) in [
        (SessionName::new("me@example.org", session().session), "the tenant `me@example.org` "),
        (SessionName::new("me", "a b"), "the session id `a b` "),
    ] {
        let error = folders.checkout(&name, None).await.unwrap_err().to_string();
        assert!(error.starts_with(part) && error.contains("ASCII letters, digits, "), "{error}");
    }
}

#[tokio::test]
async fn files_reach_another_machine_through_git() {
    let root = tempfile::tempdir().unwrap();
    let repository = root.path().join("repository.git");
    std::fs::create_dir(&repository).unwrap();
    git(&repository, &["init", "--quiet", "--bare"]).await.unwrap();
    let seed = GitWorkspace::new(repository.display().to_string(), root.path().join("seed"));
    let folder = seed.folders.folder(&session()).await.unwrap();
    git(&folder, &["init", "--quiet"]).await.unwrap();
    git(&folder, &["remote", "add", "origin", &repository.display().to_string()]).await.unwrap();
    std::fs::write(folder.join("a.txt"), "one").unwrap();
    let first = seed.snapshot(&session()).await.unwrap().unwrap();
    std::fs::write(folder.join("a.txt"), "two").unwrap();
    let second = seed.snapshot(&session()).await.unwrap().unwrap();
    assert_ne!(first, second);

    let other = GitWorkspace::new(repository.display().to_string(), root.path().join("other"));
    let folder = other.checkout(&session(), None).await.unwrap();
    assert_eq!(std::fs::read_to_string(folder.join("a.txt")).unwrap(), "two");
    std::fs::write(folder.join("half.txt"), "of a turn that crashed").unwrap();
    let folder = other.checkout(&session(), Some(&first)).await.unwrap();
    assert_eq!(std::fs::read_to_string(folder.join("a.txt")).unwrap(), "one");
    assert!(!folder.join("half.txt").exists());
    assert!(other.checkout(&session(), Some("--help")).await.is_err());

    let away = root.path().join("away.git");
    std::fs::rename(&repository, &away).unwrap();
    let folder = seed.folders.folder(&session()).await.unwrap();
    std::fs::write(folder.join("a.txt"), "three").unwrap();
    assert!(seed.snapshot(&session()).await.is_err(), "there is no repository to push to");
    std::fs::rename(&away, &repository).unwrap();
    let folder = seed.checkout(&session(), None).await.unwrap();
    assert_eq!(std::fs::read_to_string(folder.join("a.txt")).unwrap(), "three", "the snapshot is kept");
}

/// Returns a repository with one file, and a workspace of it whose session has a working directory.
async fn cloned(root: &Path) -> (GitWorkspace, PathBuf) {
    let repository = root.join("repository");
    std::fs::create_dir(&repository).unwrap();
    commit(&repository).await;
    let workspace = GitWorkspace::new(repository.display().to_string(), root.join("folders"));
    let folder = workspace.checkout(&session(), None).await.unwrap();
    (workspace, folder)
}

/// Creates a repository with one file.
async fn commit(folder: &Path) {
    git(folder, &["init", "--quiet"]).await.unwrap();
    std::fs::write(folder.join("seed.txt"), "seed").unwrap();
    git(folder, &["add", "--all"]).await.unwrap();
    git(folder, &["commit", "--quiet", "-m", "Seed"]).await.unwrap();
}

#[tokio::test]
async fn tenant_that_git_does_not_take_is_refused_before_the_turn() {
    let root = tempfile::tempdir().unwrap();
    let (workspace, _) = cloned(root.path()).await;
    for tenant in ["acme..eu", "acme.lock"] {
        let session = SessionName::new(tenant, session().session);
        let error = workspace.checkout(&session, None).await.unwrap_err().to_string();
        assert!(error.contains(tenant), "{error}");
    }
}

#[tokio::test]
async fn failed_commit_is_named() {
    let root = tempfile::tempdir().unwrap();
    let (workspace, folder) = cloned(root.path()).await;
    std::fs::write(folder.join("a.txt"), "one").unwrap();
    std::fs::write(folder.join(".git/HEAD.lock"), "").unwrap();
    let error = workspace.snapshot(&session()).await.unwrap_err().to_string();
    assert!(error.starts_with("git commit: "), "{error}");
}

#[tokio::test]
async fn files_that_cannot_be_committed_stay() {
    let root = tempfile::tempdir().unwrap();
    let (workspace, folder) = cloned(root.path()).await;
    let nested = folder.join("nested");
    std::fs::create_dir(&nested).unwrap();
    git(&nested, &["init", "--quiet"]).await.unwrap();
    std::fs::write(nested.join("inner.txt"), "inner").unwrap();
    std::fs::write(folder.join("outer.txt"), "outer").unwrap();
    let error = workspace.snapshot(&session()).await.unwrap_err().to_string();
    assert!(error.contains("nested"), "{error}");
    workspace.checkout(&session(), None).await.unwrap();
    assert!(nested.join("inner.txt").exists() && folder.join("outer.txt").exists());

    let other = GitWorkspace::new(workspace.repository.as_str(), root.path().join("other"));
    let elsewhere = other.checkout(&session(), None).await.unwrap();
    assert!(elsewhere.join("outer.txt").exists(), "other files are in the revision");

    commit(&nested).await;
    assert!(workspace.snapshot(&session()).await.unwrap().is_some());
    std::fs::write(nested.join("inner.txt"), "changed").unwrap();
    assert!(workspace.snapshot(&session()).await.unwrap().is_some(), "the link has not changed");
    std::fs::write(folder.join("half.txt"), "of a turn that crashed").unwrap();
    workspace.checkout(&session(), None).await.unwrap();
    assert!(nested.join("inner.txt").exists() && !folder.join("half.txt").exists());
}

#[tokio::test]
async fn submodule_that_cannot_be_fetched_keeps_no_files_away() {
    let root = tempfile::tempdir().unwrap();
    let (workspace, folder) = cloned(root.path()).await;
    let inner = root.path().join("inner");
    std::fs::create_dir(&inner).unwrap();
    commit(&inner).await;
    let inner = inner.display().to_string();
    let submodule = ["-c", "protocol.file.allow=always", "submodule", "--quiet"];
    git(&folder, &[&submodule[..], &["add", &inner, "inner"]].concat()).await.unwrap();
    workspace.snapshot(&session()).await.unwrap();
    let other = GitWorkspace::new(workspace.repository.as_str(), root.path().join("other"));
    let elsewhere = other.checkout(&session(), None).await.unwrap();
    git(&elsewhere, &[&submodule[..], &["update", "--init"]].concat()).await.unwrap();
    git(&elsewhere.join("inner"), &["commit", "--quiet", "--allow-empty", "-m", "Local"]).await.unwrap();
    std::fs::write(elsewhere.join("outer.txt"), "outer").unwrap();
    other.snapshot(&session()).await.unwrap();
    workspace.checkout(&session(), None).await.unwrap();
    assert!(folder.join("outer.txt").exists());
}

#[tokio::test]
async fn killed_commands_leave_a_usable_folder() {
    let root = tempfile::tempdir().unwrap();
    let half = root.path().join("folders/tenant").join(format!(".{}.clone", session().session));
    std::fs::create_dir_all(half.join(".git")).unwrap();
    let (workspace, folder) = cloned(root.path()).await;
    assert!(folder.join("seed.txt").exists() && !half.exists());
    workspace.snapshot(&session()).await.unwrap();
    let own = folder.join(".git").join(format!("{}.lock", reference(&session())));
    for lock in [folder.join(".git/index.lock"), folder.join(".git/HEAD.lock"), own] {
        std::fs::create_dir_all(lock.parent().unwrap()).unwrap();
        std::fs::write(lock, "").unwrap();
    }
    std::fs::remove_file(folder.join("seed.txt")).unwrap();
    workspace.checkout(&session(), None).await.unwrap();
    assert!(folder.join("seed.txt").exists());
    let error = workspace.checkout(&session(), Some("missing")).await.unwrap_err().to_string();
    assert!(error.starts_with("git rev-parse: fatal"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn hanging_command_times_out() {
    let root = tempfile::tempdir().unwrap();
    let hang = ["-c", "protocol.ext.allow=always", "ls-remote", "ext::sleep 5"];
    let error = git(root.path(), &hang).await.unwrap_err().to_string();
    assert!(error.ends_with("not finished after 600s"), "{error}");
}

#[test]
fn repository_of_the_environment_is_not_used() {
    let command = command(Path::new("."), &["status"]);
    let removed = command.as_std().get_envs().filter(|(_, value)| value.is_none());
    let removed: Vec<_> = removed.map(|(name, _)| name.to_str().unwrap()).collect();
    assert!(removed.contains(&"GIT_DIR") && removed.contains(&"GIT_INDEX_FILE"), "{removed:?}");
}
