//! Precedence of files, and the last valid content of broken files.

use std::{fs, path::Path, time::Duration};

use agentwire_hub_config::{
    Configuration, Edit, EditError, EditRefusal, Files, Launch, Origin, ProblemKind, ServerConfig, Severity,
    Sources, Stdio,
};

fn write(folder: &Path, file: &str, text: &str) {
    let file = folder.join(file);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

/// Returns a file with these servers, each a name and its program.
fn file(key: &str, servers: &[(&str, &str)]) -> String {
    let servers = servers.iter().map(|(name, command)| format!(r#""{name}":{{"command":"{command}"}}"#));
    format!(r#"{{"{key}":{{{}}}}}"#, servers.collect::<Vec<_>>().join(","))
}

/// Returns each server with its program.
fn servers(configuration: &Configuration) -> Vec<(&str, &str)> {
    let servers = configuration.servers.iter().map(|server| match &server.config.launch {
        Launch::Stdio(stdio) => (server.name.as_str(), stdio.command.as_str()),
        other => panic!("{other:?}"),
    });
    servers.collect()
}

/// Returns the kinds of the problems, with the server if there is one.
fn kinds(configuration: &Configuration) -> Vec<(Option<&str>, &ProblemKind)> {
    let problems = configuration.problems.iter();
    problems.map(|problem| (problem.server.as_ref().map(|name| name.as_str()), &problem.kind)).collect()
}

#[test]
fn the_program_precedes_the_project_and_the_project_the_user() {
    let folder = tempfile::tempdir().unwrap();
    let (project, user) = (folder.path().join("project"), folder.path().join("user.json"));
    write(&project, ".vscode/mcp.json", &file("servers", &[("v", "vscode"), ("b", "vscode")]));
    write(&project, ".roo/mcp.json", &file("mcpServers", &[("r", "roo"), ("a", "roo")]));
    write(&project, ".mcp.json", &file("mcpServers", &[("b", "claude"), ("a", "roo")]));
    write(folder.path(), "user.json", &file("mcpServers", &[("g", "user"), ("a", "user"), ("p", "user")]));
    let mut sources = Sources::new()
        .global(&user)
        .project(&project)
        .server("p", ServerConfig::new(Stdio::new("old")))
        .server("p", ServerConfig::new(Stdio::new("program")));
    let configuration = sources.read();
    assert_eq!(
        servers(&configuration),
        [("p", "program"), ("b", "claude"), ("a", "roo"), ("r", "roo"), ("v", "vscode"), ("g", "user")]
    );
    let origins: Vec<_> = configuration.servers.iter().map(|server| &server.origin).collect();
    assert_eq!(*origins[0], Origin::Program);
    assert_eq!(*origins[1], Origin::Project(project.join(".mcp.json").into()));
    assert_eq!(*origins[5], Origin::Global(user.into()));
    // The server of the user is in force until its replacement is trusted.
    let [replaced] = &configuration.replaced[..] else { panic!("{:?}", configuration.replaced) };
    assert_eq!((replaced.name.as_str(), &replaced.origin), ("a", &origins[5].clone()));
    assert!(!configuration.servers[1].is_trusted() && replaced.is_trusted());
    let [problem, takes] = &configuration.problems[..] else { panic!("{:?}", configuration.problems) };
    let of = folder.path().join("user.json").into();
    assert_eq!((&*takes.path, &takes.kind), ("mcpServers.a", &ProblemKind::TakesName { of }));
    assert_eq!(takes.severity(), Severity::Warning);
    assert_eq!(problem.kind, ProblemKind::Shadowed { by: project.join(".mcp.json").into() });
    assert_eq!(problem.path, "servers.b");
    assert_eq!(problem.position.unwrap().line, 1);
    assert_eq!(problem.severity(), Severity::Warning);
}

#[test]
fn servers_of_the_cli_for_the_project_precede_those_for_all_projects() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let (main, linked) = (root.join("main"), root.join("linked"));
    write(&main, ".git/HEAD", "");
    write(&linked, ".git", &format!("gitdir: {}/worktrees/linked\n", main.join(".git").display()));
    let back = format!("{}\n", linked.join(".git").display());
    write(&main, ".git/worktrees/linked/gitdir", &back);
    fs::create_dir(main.join("sub")).unwrap();
    let of_project = file("mcpServers", &[("l", "local"), ("a", "local")]);
    let user = file("mcpServers", &[("a", "user"), ("u", "user")]);
    let text = format!(
        r#"{{"projects": {{{:?}: {of_project}, "/other": {}}}, {}"#,
        main.display().to_string(),
        file("mcpServers", &[("other", "other")]),
        &user[1..]
    );
    write(&root, ".claude.json", &text);
    for project in [&main, &linked, &main.join("sub")] {
        let configuration = Sources::new().project(project).global(root.join(".claude.json")).read();
        assert_eq!(servers(&configuration), [("l", "local"), ("a", "local"), ("u", "user")]);
        let by = root.join(".claude.json").into();
        assert_eq!(kinds(&configuration), [(Some("a"), &ProblemKind::Shadowed { by })]);
        assert!(configuration.servers[0].is_trusted());
    }
    // Other folders, and other files with this key, have only the servers for all projects.
    let user = [("a", "user"), ("u", "user")];
    let foreign = root.join("foreign");
    write(&foreign, "git/gitdir", &format!("{}\n", foreign.join(".git").display()));
    let detour = format!("gitdir: {}/worktrees/../../../foreign/git\n", main.join(".git").display());
    for link in [&fs::read_to_string(linked.join(".git")).unwrap(), &detour] {
        write(&foreign, ".git", link);
        assert_eq!(servers(&Sources::new().project(&foreign).global(root.join(".claude.json")).read()), user);
    }
    assert_eq!(servers(&Sources::new().project(&root).global(root.join(".claude.json")).read()), user);
    write(&root, "user.json", &text);
    assert_eq!(servers(&Sources::new().project(&main).global(root.join("user.json")).read()), user);
}

#[test]
fn linked_working_tree_of_a_bare_repository_has_the_servers_of_the_cli_for_the_repository() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let (bare, linked) = (root.join("bare.git"), root.join("linked"));
    let git = bare.join("worktrees/linked");
    let local = file("mcpServers", &[("l", "local")]);
    write(&root, ".claude.json", &format!(r#"{{"projects": {{{bare:?}: {local}}}}}"#));
    let absolute = (git.display().to_string(), linked.join(".git").display().to_string());
    let relative = ("../bare.git/worktrees/linked".to_owned(), "../../../linked/.git".to_owned());
    for (link, back) in [absolute, relative] {
        write(&linked, ".git", &format!("gitdir: {link}\n"));
        write(&git, "gitdir", &format!("{back}\n"));
        let configuration = Sources::new().project(&linked).global(root.join(".claude.json")).read();
        assert_eq!(servers(&configuration), [("l", "local")], "{link}");
    }
}

#[tokio::test]
async fn servers_that_the_cli_has_disabled_for_the_project_are_disabled_and_not_edited() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let (local, user) =
        (file("mcpServers", &[("l", "local")]), file("mcpServers", &[("a", "user"), ("u", "user")]));
    let state = |off: &str| format!(r#"{{"disabledMcpServers": [{off}], {}"#, &local[1..]);
    let (own, other) = (state(r#""l", "a", 5"#), state(r#""u""#));
    let text = format!(r#"{{"projects": {{{root:?}: {own}, "/other": {other}}}, {}"#, &user[1..]);
    write(&root, ".claude.json", &text);
    let path = root.join(".claude.json");
    let files = Files::new(Sources::new().project(&root).global(&path));
    let read = files.read_now();
    let disabled = read.servers.iter().map(|server| (server.name.as_str(), server.config.disabled));
    assert_eq!(disabled.collect::<Vec<_>>(), [("l", true), ("a", true), ("u", false)]);
    let enable = |server: &str| files.edit(vec![path.clone()], server.into(), Edit::Disabled(false));
    for server in ["l", "a"] {
        let refused = enable(server).await.unwrap_err();
        assert!(
            matches!(refused, EditError::Refused { source: EditRefusal::OfProject { .. }, .. }),
            "{refused}"
        );
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
    enable("u").await.unwrap();
}

#[tokio::test]
async fn servers_of_the_project_that_the_cli_has_disabled_are_disabled_and_not_edited() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let state = |off: &str| format!(r#"{{"projects": {{{root:?}: {{"disabledMcpServers": [{off}]}}}}}}"#);
    write(&root, ".claude.json", &state(r#""p""#));
    write(&root, ".mcp.json", &file("mcpServers", &[("p", "project"), ("q", "project")]));
    let files = Files::new(Sources::new().project(&root).global(root.join(".claude.json")));
    let disabled = || {
        let read = files.read_now();
        let disabled = read.servers.iter().filter(|server| server.config.disabled);
        disabled.map(|server| server.name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(disabled(), ["p"]);
    let edit =
        |is_disabled| files.edit(vec![root.join(".mcp.json")], "p".into(), Edit::Disabled(is_disabled));
    let refused = edit(false).await.unwrap_err();
    let is_named = matches!(
        &refused,
        EditError::Refused { file, source: EditRefusal::OfProject { .. } } if file.ends_with(".claude.json")
    );
    assert!(is_named, "{refused}");
    // A broken file keeps what it has disabled.
    write(&root, ".claude.json", "{");
    assert_eq!(disabled(), ["p"]);
    write(&root, ".claude.json", &state(""));
    assert_eq!(disabled(), [""; 0]);
    edit(true).await.unwrap();
    assert_eq!(disabled(), ["p"]);
}

#[test]
fn servers_of_the_cli_for_the_project_precede_those_of_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let path = root.join(".claude.json");
    let (local, user) = (file("mcpServers", &[("a", "local")]), file("mcpServers", &[("u", "user")]));
    let of_project = file("mcpServers", &[("p", "project"), ("a", "project"), ("u", "project")]);
    write(&root, ".mcp.json", &of_project);
    write(&root, ".claude.json", &format!(r#"{{"projects": {{{root:?}: {local}}}, {}"#, &user[1..]));
    let mut sources = Sources::new().project(&root).global(&path);
    let read = sources.read();
    assert_eq!(servers(&read), [("a", "local"), ("p", "project"), ("u", "project")]);
    let shadowed = ProblemKind::Shadowed { by: path.clone().into() };
    let takes = ProblemKind::TakesName { of: path.clone().into() };
    assert_eq!(kinds(&read), [(Some("a"), &shadowed), (Some("u"), &takes)]);
    // A broken file of the project does not hold them back.
    write(&root, ".mcp.json", "{");
    assert_eq!(servers(&Sources::new().project(&root).global(&path).read()), [("a", "local")]);
    // While they are unknown, no server is used that they may replace.
    write(&root, ".mcp.json", &of_project);
    write(&root, ".claude.json", "{");
    assert!(Sources::new().project(&root).global(&path).read().servers.is_empty());
    assert_eq!(servers(&sources.read()), [("a", "local"), ("p", "project"), ("u", "project")]);
}

#[tokio::test]
async fn server_of_the_cli_for_the_project_is_not_edited() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let (local, user) =
        (file("mcpServers", &[("a", "local")]), file("mcpServers", &[("a", "user"), ("u", "user")]));
    let text = |local: &str| format!(r#"{{"projects": {{{root:?}: {local}}}, {}"#, &user[1..]);
    write(&root, ".claude.json", &text(&local));
    let path = root.join(".claude.json");
    let files = Files::new(Sources::new().project(&root).global(&path));
    files.read_now();
    let disable = |server: &str| files.edit(vec![path.clone()], server.into(), Edit::Disabled(true));
    let refused = disable("a").await.unwrap_err();
    assert!(matches!(refused, EditError::Refused { source: EditRefusal::OfProject { .. }, .. }), "{refused}");
    assert_eq!(fs::read_to_string(&path).unwrap(), text(&local));
    disable("u").await.unwrap();
    // A broken server keeps its own last definition, and not that of its namesake.
    write(&root, ".claude.json", &text(r#"{"mcpServers": {"a": {"command": 1}}}"#));
    assert_eq!(servers(&files.read_now())[0], ("a", "local"));
    let files = Files::new(Sources::new().project(&root).global(&path));
    files.read_now();
    let refused = files.edit(vec![path.clone()], "a".into(), Edit::Remove).await.unwrap_err();
    assert!(matches!(refused, EditError::Refused { source: EditRefusal::OfProject { .. }, .. }), "{refused}");
    // Nor does a new one take that of its namesake.
    write(&root, ".claude.json", &text("{}"));
    assert_eq!(servers(&files.read_now()), [("a", "user"), ("u", "user")]);
    write(&root, ".claude.json", &text(r#"{"mcpServers": {"a": {"command": 1}}}"#));
    assert_eq!(servers(&files.read_now()), [("u", "user")]);
}

#[test]
fn missing_files_have_no_servers() {
    let folder = tempfile::tempdir().unwrap();
    let mut sources =
        Sources::new().project(folder.path().join("none")).global(folder.path().join("no.json"));
    assert_eq!(sources.read(), Configuration::default());
    assert_eq!(sources.files().count(), 4);
    // A file in place of a folder.
    fs::write(folder.path().join("none"), "").unwrap();
    assert_eq!(sources.read(), Configuration::default());
    fs::remove_file(folder.path().join("none")).unwrap();
    write(folder.path(), "none/.roo/mcp.json", &file("mcpServers", &[("a", "c")]));
    assert_eq!(servers(&sources.read()), [("a", "c")]);
    fs::remove_file(folder.path().join("none/.roo/mcp.json")).unwrap();
    assert_eq!(sources.read(), Configuration::default());
}

#[test]
fn a_broken_file_keeps_its_last_content_with_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let mut sources = Sources::new().project(folder.path());
    let good = file("mcpServers", &[("a", "c"), ("b", "c")]);
    write(folder.path(), ".mcp.json", "{");
    let configuration = sources.read();
    assert!(configuration.servers.is_empty());
    assert_eq!(configuration.problems.len(), 1, "nothing was there to be kept");
    write(folder.path(), ".mcp.json", &good);
    let before = sources.read();
    assert_eq!(servers(&before), [("a", "c"), ("b", "c")]);
    // Each time it is broken, in any way.
    for broken in ["", "{", "[]", "{\"mcpServers\":3}", &good[1..]] {
        write(folder.path(), ".mcp.json", broken);
        let configuration = sources.read();
        assert_eq!(configuration.servers, before.servers, "{broken:?}");
        let [error, kept] = &configuration.problems[..] else { panic!("{:?}", configuration.problems) };
        assert_eq!(error.severity(), Severity::Error);
        assert_eq!((&kept.kind, &kept.server, &kept.file), (&ProblemKind::Kept, &None, &error.file));
    }
    fs::remove_file(folder.path().join(".mcp.json")).unwrap();
    fs::create_dir(folder.path().join(".mcp.json")).unwrap();
    let configuration = sources.read();
    assert_eq!(kinds(&configuration), [(None, &ProblemKind::NotAFile), (None, &ProblemKind::Kept)]);
    assert_eq!(configuration.servers, before.servers);
    fs::remove_dir(folder.path().join(".mcp.json")).unwrap();
    write(folder.path(), ".mcp.json", "{}");
    assert_eq!(sources.read(), Configuration::default());
}

#[test]
fn a_broken_server_keeps_its_last_content_with_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let mut sources = Sources::new().project(folder.path());
    write(folder.path(), ".mcp.json", &file("mcpServers", &[("a", "c"), ("b", "c")]));
    sources.read();
    let broken = r#"{"mcpServers":{"b":{"command":"d"},"a":{"command":"","timeout":7},"n":{}}}"#;
    write(folder.path(), ".mcp.json", broken);
    for _ in 0..2 {
        let configuration = sources.read();
        assert_eq!(servers(&configuration), [("b", "d"), ("a", "c")]);
        assert_eq!(configuration.servers[1].config.timeout, Duration::from_secs(60));
        assert_eq!(
            kinds(&configuration),
            [
                (Some("a"), &ProblemKind::Expected("a string that is not empty")),
                (Some("n"), &ProblemKind::NoLaunch),
                (Some("a"), &ProblemKind::Kept)
            ]
        );
    }
    // A removed server does not come back broken.
    write(folder.path(), ".mcp.json", "{}");
    sources.read();
    write(folder.path(), ".mcp.json", broken);
    assert_eq!(servers(&sources.read()), [("b", "d")]);
}

#[test]
fn a_broken_server_is_not_replaced_by_a_namesake() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "user.json", &file("mcpServers", &[("a", "user"), ("b", "user")]));
    write(folder.path(), ".mcp.json", r#"{"mcpServers":{"a":{}}}"#);
    let mut sources = Sources::new().project(folder.path()).global(folder.path().join("user.json"));
    assert_eq!(servers(&sources.read()), [("b", "user")]);
    // Also while the file can't be read.
    write(folder.path(), ".mcp.json", "{");
    let read = sources.read();
    assert_eq!(servers(&read), [("b", "user")]);
    assert!(read.problems.iter().all(|problem| problem.kind != ProblemKind::Kept), "nothing of it was valid");
}

#[test]
fn the_position_of_a_server_does_not_matter() {
    let folder = tempfile::tempdir().unwrap();
    let mut sources = Sources::new().project(folder.path());
    write(folder.path(), ".mcp.json", r#"{"mcpServers":{"a":{"command":"${C}","args":[]}}}"#);
    let before = sources.read();
    let moved =
        "{\n// moved\n\"servers\": {\n\"a\": {\"args\": [], \"disabled\": false, \"command\": \"${C}\"}}}";
    write(folder.path(), ".mcp.json", moved);
    assert_eq!(sources.read(), before);
}

#[test]
fn a_file_that_is_listed_twice_is_read_once() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), ".mcp.json", r#"{"mcpServers":{"a":{"command":"c","x":1}}}"#);
    let mut sources = Sources::new().global(folder.path().join(".mcp.json")).project(folder.path());
    let configuration = sources.read();
    assert!(matches!(configuration.servers[0].origin, Origin::Project(_)));
    assert_eq!((configuration.servers.len(), configuration.problems.len()), (1, 1));
}

#[test]
fn relative_paths_are_made_absolute_at_once() {
    let sources = Sources::new().project("p").global("./g.json").project_file("../f.json");
    let here = std::env::current_dir().unwrap();
    let files: Vec<_> = sources.files().map(|file| file.as_path().to_owned()).collect();
    let expected = ["p/.mcp.json", "p/.roo/mcp.json", "p/.vscode/mcp.json", "g.json", "../f.json"];
    assert_eq!(files, expected.map(|file| here.join(file)));
}

#[cfg(unix)]
mod hostile {
    use std::{os::unix::fs::symlink, process::Command};

    use super::*;
    use crate::cpu;

    /// Returns the problems of a `.mcp.json`.
    fn kind(make: impl FnOnce(&Path)) -> ProblemKind {
        let folder = tempfile::tempdir().unwrap();
        make(&folder.path().join(".mcp.json"));
        let configuration = Sources::new().project(folder.path()).read();
        let [problem] = &configuration.problems[..] else { panic!("{:?}", configuration.problems) };
        problem.kind.clone()
    }

    #[test]
    fn special_files_are_not_opened() {
        assert_eq!(kind(|path| fs::create_dir(path).unwrap()), ProblemKind::NotAFile);
        let pipe = |path: &Path| assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
        assert_eq!(kind(pipe), ProblemKind::NotAFile);
        assert_eq!(kind(|path| symlink("/dev/zero", path).unwrap()), ProblemKind::NotAFile);
        let loops = kind(|path| symlink(path, path).unwrap());
        assert!(matches!(loops, ProblemKind::Unreadable(_)), "{loops:?}");
    }

    #[test]
    fn links_are_followed() {
        let folder = tempfile::tempdir().unwrap();
        symlink("real.json", folder.path().join(".mcp.json")).unwrap();
        let mut sources = Sources::new().project(folder.path());
        assert_eq!(sources.read(), Configuration::default());
        write(folder.path(), "real.json", &file("mcpServers", &[("a", "c")]));
        assert_eq!(servers(&sources.read()), [("a", "c")]);
    }

    #[test]
    fn a_huge_file_is_refused_quickly() {
        let sparse = |path: &Path| fs::File::create(path).unwrap().set_len(1 << 40).unwrap();
        assert_eq!(kind(sparse), ProblemKind::TooLarge { limit: 8 << 20 });
    }

    #[test]
    fn deep_nesting_is_an_error_without_overflow() {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let deep = open.repeat(500_000) + &close.repeat(500_000);
            let reported = kind(|path| fs::write(path, deep).unwrap());
            assert!(matches!(reported, ProblemKind::Syntax(_)), "{reported:?}");
        }
    }

    /// Quadratic work would take hours here.
    #[test]
    fn large_files_of_one_line_are_read_in_time() {
        let many = |unit: &str| unit.repeat((1 << 20) / unit.len());
        let texts = [
            format!(r#"{{"mcpServers":{{"a":{{"command":"c","args":[{}]}}}}}}"#, many(r#""${A}","#)),
            format!(r#"{{"mcpServers":{{"a":{{"command":"c","env":{{{}}}}}}}}}"#, many(r#""A":"b","#)),
            format!(r#"{{"mcpServers":{{{}}}}}"#, many(r#""a":{},"#)),
            format!(r#"{{{}}}"#, many(r#""comand":1,"#)),
        ];
        for text in texts {
            let folder = tempfile::tempdir().unwrap();
            write(folder.path(), ".mcp.json", &text);
            let begin = cpu::time();
            let configuration = Sources::new().project(folder.path()).read();
            let took = cpu::time() - begin;
            assert!(took < Duration::from_secs(60), "{took:?}: {}", &text[..60]);
            assert!(configuration.problems.len() <= 201, "{}", configuration.problems.len());
        }
        let servers =
            (0..20_000).map(|i| format!(r#""s{i}":{{"comand":"c"}}"#)).collect::<Vec<_>>().join(",");
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), ".mcp.json", &format!(r#"{{"mcpServers":{{{servers}}}}}"#));
        let begin = cpu::time();
        let configuration = Sources::new().project(folder.path()).read();
        let took = cpu::time() - begin;
        assert!(took < Duration::from_secs(60), "{took:?}");
        let more = configuration.problems.last().unwrap();
        assert_eq!(more.kind, ProblemKind::More(40_000 - 200));
    }
}

#[test]
fn files_after_an_unknown_file_have_no_effect() {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("project");
    write(folder.path(), "user.json", &file("mcpServers", &[("a", "user"), ("g", "user")]));
    write(&project, ".mcp.json", "{\"mcpServers\": {\"a\": ");
    let mut sources = Sources::new()
        .global(folder.path().join("user.json"))
        .project(&project)
        .server("p", ServerConfig::new(Stdio::new("program")));
    for _ in 0..2 {
        let configuration = sources.read();
        assert_eq!(servers(&configuration), [("p", "program")]);
        let held = ProblemKind::Held { by: project.join(".mcp.json").into() };
        let kinds = kinds(&configuration);
        assert!(kinds.contains(&(Some("a"), &held)) && kinds.contains(&(Some("g"), &held)), "{kinds:?}");
        assert!(configuration.problems.iter().all(|problem| problem.severity() == Severity::Error));
    }
    write(&project, ".mcp.json", &file("mcpServers", &[("a", "project")]));
    assert_eq!(servers(&sources.read()), [("p", "program"), ("a", "project"), ("g", "user")]);
    // From now on its content is known.
    write(&project, ".mcp.json", "{");
    assert_eq!(servers(&sources.read()), [("p", "program"), ("a", "project"), ("g", "user")]);
}
