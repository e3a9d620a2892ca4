//! Resolving of variables, with the positions of problems.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use super::{resolve, watched};
use crate::{Configured, Origin, Problem, Resolved, ServerConfig, Sources, Stdio, Variables, file};

/// Returns the server `a` of a text in the format of VS Code.
fn configured(fields: &str, inputs: &str) -> Configured {
    let text = format!("{{\"inputs\": [{inputs}],\n\"servers\": {{\n\"a\": {{{fields}}}}}}}");
    let mut contents = file::parse(&text, &Origin::Project(Arc::new("mcp.json".into())), None);
    assert_eq!(contents.problems, [], "{text}");
    contents.servers.remove(0).configured.unwrap()
}

fn variables() -> Variables {
    let environment = |name: &str| match name {
        "TOKEN" => Some("s3cr3t\"\\${TOKEN}".to_owned()),
        "LINES" => Some("a\r\nX: b".to_owned()),
        "EMPTY" => Some(String::new()),
        _ => None,
    };
    Variables::new().environment(environment).workspace("/w").home("/h")
}

async fn resolved(fields: &str) -> Result<Resolved, Vec<Problem>> {
    resolve(&configured(fields, ""), &variables()).await
}

/// Returns the problems, one per line.
async fn reported(fields: &str) -> Vec<String> {
    let problems = resolved(fields).await.unwrap_err();
    for problem in &problems {
        assert_eq!(problem.server.as_ref().unwrap().as_str(), "a");
        assert!(!format!("{problem:?}{problem}").contains("s3cr3t"), "{problem}");
    }
    problems.iter().map(Problem::to_string).collect()
}

#[tokio::test]
async fn a_program_is_resolved() {
    let fields = r#""command": "${userHome}/bin/x", "args": ["--token=${TOKEN}", "$A"],
            "cwd": "sub", "env": {"T": "${TOKEN}", "U": "${U:-u}", "W": "${workspaceFolder}"}"#;
    let Ok(Resolved::Stdio { command, args, cwd, env }) = resolved(fields).await else {
        panic!("not resolved")
    };
    assert_eq!(command, "/h/bin/x");
    assert_eq!(args, ["--token=s3cr3t\"\\${TOKEN}", "$A"]);
    assert_eq!(cwd, Some(PathBuf::from("/w/sub")));
    let env: Vec<_> = env.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(env, [("T", "s3cr3t\"\\${TOKEN}"), ("U", "u"), ("W", "/w")]);
    // By default it runs in the workspace.
    let Ok(Resolved::Stdio { cwd, .. }) = resolved(r#""command": "c""#).await else { panic!("not resolved") };
    assert_eq!(cwd, Some(PathBuf::from("/w")));
    let bare = resolve(&configured(r#""command": "c""#, ""), &Variables::new()).await;
    assert!(matches!(bare, Ok(Resolved::Stdio { cwd: None, .. })));
}

#[tokio::test]
async fn an_address_is_resolved() {
    let fields = r#""type": "http", "url": "${U:-https}://h/${TOKEN}", "headers": {"A": "Bearer ${TOKEN}"}"#;
    let Ok(Resolved::Http { url, headers }) = resolved(fields).await else { panic!("not resolved") };
    assert_eq!(url, "https://h/s3cr3t\"\\${TOKEN}");
    assert_eq!(headers, [("A".to_owned(), "Bearer s3cr3t\"\\${TOKEN}".to_owned())]);
    let shown = format!("{:?}", Resolved::Sse { url, headers });
    assert_eq!(shown, "Sse(…)");
}

#[tokio::test]
async fn missing_values_are_reported_with_their_positions() {
    let fields = r#""command": "${NO}", "args": ["x", "${TOKEN} ${NO2}"], "cwd": "${NO3}",
            "env": {"a b": "${x", "OK": "${TOKEN}"}, "envFile": "${NO4}", "watchPaths": ["${NO5}"]"#;
    assert_eq!(
        reported(fields).await,
        [
            "error: mcp.json:3:18: servers.a.command: the variable `NO` is not set",
            "error: mcp.json:3:41: servers.a.args[1]: the variable `NO2` is not set",
            "error: mcp.json:3:68: servers.a.cwd: the variable `NO3` is not set",
            r#"error: mcp.json:4:28: servers.a.env["a b"]: a `${` that is not a variable: write `$${` for the text itself"#,
            "error: mcp.json:4:65: servers.a.envFile: the variable `NO4` is not set",
            "error: mcp.json:4:90: servers.a.watchPaths[0]: the variable `NO5` is not set",
        ]
        .map(str::to_owned)
        .as_slice()
    );
    let program = Configured::new("p".into(), Origin::Program, ServerConfig::new(Stdio::new("${NO}")));
    let problems = resolve(&program, &variables()).await.unwrap_err();
    assert_eq!(problems[0].to_string(), "error: server p: command: the variable `NO` is not set");
}

#[tokio::test]
async fn unusable_values_are_reported() {
    let address = "url: must be an address that begins with http:// or https://";
    for (fields, error) in [
        (r#""command": "${EMPTY}""#, "command: must be a string that is not empty"),
        (r#""command": "c", "cwd": "${EMPTY} ""#, "cwd: must be a string that is not empty"),
        (r#""command": "c", "args": ["\u0000"]"#, "args[0]: must be text without the character NUL"),
        (r#""type": "sse", "url": "${TOKEN}""#, address),
        (r#""type": "sse", "url": "file://${TOKEN}""#, address),
        (
            r#""type": "http", "url": "http://h", "headers": {"A-B": "${LINES}"}"#,
            "headers.A-B: must be one line of text",
        ),
    ] {
        // An address without variables is checked when its file is read.
        let fields = fields.replace("file://", "file${EMPTY}://");
        let reported = reported(&fields).await;
        assert_eq!(reported.len(), 1, "{reported:?}");
        assert!(reported[0].ends_with(&format!("servers.a.{error}")), "{reported:?}");
    }
}

#[tokio::test]
async fn an_input_is_asked_for_once_with_its_description() {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let variables = variables().input({
        let asked = Arc::clone(&asked);
        move |input| {
            asked.lock().unwrap().push(input.clone());
            async move { (input.id != "declined").then(|| format!("<{}${{TOKEN}}>", input.id)) }
        }
    });
    let inputs = r#"{"type": "promptString", "id": "key", "description": "A key", "password": true},
            {"id": "pick", "options": ["a", {"label": "B", "value": "b"}], "default": "a"}"#;
    let fields = r#""command": "c", "args": ["${input:key}", "${input:key}", "${TOKEN:-${input:not}}",
            "${NO:-${input:pick}}", "${input:declined:-d${input:late}}"]"#;
    let configured = configured(fields, inputs);
    let Ok(Resolved::Stdio { args, .. }) = resolve(&configured, &variables).await else {
        panic!("not resolved")
    };
    // An answer is literal text.
    let key = "<key${TOKEN}>";
    assert_eq!(args, [key, key, "s3cr3t\"\\${TOKEN}", "<pick${TOKEN}>", "d<late${TOKEN}>"]);
    let asked = std::mem::take(&mut *asked.lock().unwrap());
    let ids: Vec<_> = asked.iter().map(|input| input.id.as_str()).collect();
    assert_eq!(ids, ["key", "pick", "declined", "late"]);
    assert!(asked.iter().all(|input| input.server.as_str() == "a"));
    assert_eq!((asked[0].description.as_deref(), asked[0].password), (Some("A key"), true));
    assert_eq!(
        (&asked[1].options[..], asked[1].default.as_deref()),
        (&["a".into(), "b".into()][..], Some("a"))
    );
}

#[tokio::test]
async fn no_input_is_asked_for_a_server_that_cannot_start() {
    let unasked = variables().input(|input| async move { panic!("asked for {}", input.id) });
    let broken = configured(r#""command": "${input:x}", "args": ["${NO}"]"#, "");
    let problems = resolve(&broken, &unasked).await.unwrap_err();
    assert_eq!(problems.len(), 1, "{problems:?}");
    for variables in [variables(), variables().input(|_| async { None })] {
        let problems = resolve(&configured(r#""command": "${input:x}""#, ""), &variables).await.unwrap_err();
        let [problem] = &problems[..] else { panic!("{problems:?}") };
        assert_eq!(problem.kind.to_string(), "no value was given for the input `x`");
        assert_eq!(problem.path, "servers.a.command");
    }
}

#[tokio::test]
async fn no_input_is_asked_for_watched_paths() {
    let variables = variables().input(|input| async move { panic!("asked for {}", input.id) });
    let with = |paths: &str| configured(&format!(r#""command": "c", "watchPaths": [{paths}]"#), "");
    let problems = resolve(&with(r#""a", "${input:x}""#), &variables).await.unwrap_err();
    let [problem] = &problems[..] else { panic!("{problems:?}") };
    assert_eq!(problem.kind.to_string(), "must be a path without `${input:…}`");
    assert_eq!(problem.path, "servers.a.watchPaths[1]");
    assert!(resolve(&with(r#""${input:x:-a}""#), &variables).await.is_ok());
}

#[tokio::test]
async fn variables_of_the_server_override_those_of_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let variables = variables().workspace(folder.path());
    let text = "\u{feff}# c\nA=file\nB=file\nexport B=\"again ${TOKEN}\"\r\n";
    fs::write(folder.path().join(".env"), text).unwrap();
    for file in [".env", "${workspaceFolder}/.env"] {
        let fields =
            format!(r#""command": "c", "envFile": "{file}", "env": {{"A": "server", "C": "server"}}"#);
        let Ok(Resolved::Stdio { env, .. }) = resolve(&configured(&fields, ""), &variables).await else {
            panic!("not resolved")
        };
        let env: Vec<_> = env.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(env, [("A", "server"), ("B", "again ${TOKEN}"), ("C", "server")]);
    }
    fs::write(folder.path().join("bad"), "A=b\ns3cr3t\n=s3cr3t\n").unwrap();
    fs::write(folder.path().join("latin"), b"A=\xe9").unwrap();
    for (file, errors) in [
        ("none", vec!["the file of variables: there is no such file"]),
        (".", vec!["the file of variables: the path is not a regular file"]),
        ("latin", vec!["the file of variables: the file is not UTF-8"]),
        (
            "bad",
            vec![
                "line 2 of the file of variables is no `NAME=value`",
                "line 3 of the file of variables is no `NAME=value`",
            ],
        ),
    ] {
        let configured = configured(&format!(r#""command": "c", "envFile": "{file}""#), "");
        let problems = resolve(&configured, &variables).await.unwrap_err();
        let kinds: Vec<_> = problems.iter().map(|problem| problem.kind.to_string()).collect();
        assert_eq!(kinds, errors);
        assert!(problems.iter().all(|problem| problem.path == "servers.a.envFile"));
        assert!(problems.iter().all(|problem| problem.position.unwrap().line == 3));
    }
}

#[tokio::test]
async fn the_project_folder_is_absolute_and_the_default_workspace() {
    let configured =
        configured(r#""command": "${workspaceFolderBasename}", "args": ["${workspaceFolder}"]"#, "");
    let here = std::env::current_dir().unwrap();
    let sources = Sources::new().project(".").project("other");
    let bare = Variables::new().or_workspace(sources.folder());
    let given = Variables::new().workspace(".").or_workspace(Sources::new().project("/p").folder());
    for variables in [bare, given] {
        let Ok(Resolved::Stdio { command, args, cwd, .. }) = resolve(&configured, &variables).await else {
            panic!("not resolved")
        };
        assert_eq!(command, here.file_name().unwrap().to_str().unwrap());
        assert_eq!((args, cwd), (vec![here.to_str().unwrap().to_owned()], Some(here.clone())));
    }
}

#[test]
fn watched_paths_are_absolute() {
    let fields = r#""command": "node", "cwd": "${userHome}/s",
            "args": ["build/index.js", "${workspaceFolder}/t/build/index.js", "x.js", "${NO}/build/index.js"],
            "watchPaths": ["a", "/b", "${userHome}/c", "${NO}"]"#;
    let paths = ["/h/s/a", "/b", "/h/c", "/h/s/build/index.js", "/w/t/build/index.js"].map(PathBuf::from);
    assert_eq!(watched(&configured(fields, ""), &variables()), paths);
    let fields = r#""command": "node", "watchPaths": ["a"]"#;
    assert_eq!(watched(&configured(fields, ""), &variables()), [Path::new("/w/a")]);
    assert_eq!(watched(&configured(fields, ""), &Variables::new()), [Path::new("a")]);
    let panics = Variables::new().environment(|_| panic!("no")).workspace("/w");
    let fields = r#""command": "c", "watchPaths": ["${X}", "a"]"#;
    assert_eq!(watched(&configured(fields, ""), &panics), [Path::new("/w/a")]);
}
