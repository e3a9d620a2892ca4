//! Attacks by paths: every way to a file or folder that the file system knows.

use std::{fs, os::unix::fs::symlink, path::Path};

use agentwire::{hooks::Hooks, protocol::hook::PreToolUseInput};
use serde_json::{Value, json};

use super::super::{
    Place, chain, env_files, held,
    judging::{approved, input_in, refused},
    read_only, sandbox, system_folders,
};

/// Creates a folder with a secret and ways to it, and returns the paths.
fn ways_to(folder: &Path, secret: &str) -> Vec<String> {
    let at = |name: &str| folder.join(name);
    fs::create_dir_all(at("sub/deep")).unwrap();
    fs::create_dir_all(at("keep")).unwrap();
    fs::write(at(secret), "TOKEN=abc\n").unwrap();
    symlink(at(secret), at("sub/absolute")).unwrap();
    symlink(format!("../{secret}"), at("sub/relative")).unwrap();
    symlink("relative", at("sub/twice")).unwrap();
    symlink(folder, at("sub/whole")).unwrap();
    symlink("..", at("sub/up")).unwrap();
    symlink(at("sub/deep"), at("keep/deep")).unwrap();
    let full = folder.to_str().unwrap();
    let mut ways: Vec<String> =
        ["{}", "./{}", "sub/../{}", "sub/deep/../../{}", "sub//..//{}", "sub/./../{}", "./././{}"]
            .iter()
            .map(|way| way.replace("{}", secret))
            .collect();
    ways.extend(
        [
            "sub/whole/{}",
            "sub/up/{}",
            "sub/whole/sub/up/{}",
            "keep/deep/../{}/../../{}",
            "keep/deep/../../{}",
            "nowhere/../{}",
        ]
        .map(|way| way.replace("{}", secret)),
    );
    ways.extend(
        ["sub/absolute", "sub/relative", "sub/twice", "./sub/relative", "sub/whole/sub/twice"]
            .map(str::to_owned),
    );
    ways.extend(
        ["{}", "{}/", "{}/.", " {}", "{} ", "\t{}", "{}\n", "\u{a0}{}"]
            .map(|way| way.replace("{}", &format!("{full}/{secret}"))),
    );
    ways.extend([
        format!("/{full}/{secret}"),
        format!("{full}/sub/../{secret}"),
        format!("/proc/self/root{full}/{secret}"),
        format!("/proc/self/root/proc/self/root{full}/{secret}"),
        format!("~/../../{full}/{secret}"),
        format!("~root/../{full}/{secret}"),
        format!("{full}/{secret}\0"),
        String::new(),
    ]);
    ways
}

/// Calls of the tool by these paths that pass.
fn pass<'a>(
    tools: &[&str],
    cwd: &Path,
    ways: &'a [String],
    is_refused: impl Fn(&PreToolUseInput) -> bool,
) -> Vec<(String, &'a String)> {
    assert!(ways.len() >= 30, "{}", ways.len());
    let mut pass = Vec::new();
    for tool in tools {
        let field = match *tool {
            "NotebookEdit" => "notebook_path",
            "Glob" | "Grep" => "path",
            _ => "file_path",
        };
        for way in ways {
            let call = input_in(cwd.to_str().unwrap(), tool, json!({field: way, "pattern": "x"}));
            if !is_refused(&call) {
                pass.push(((*tool).to_owned(), way));
            }
        }
    }
    pass
}

#[test]
fn every_way_to_a_secret_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().canonicalize().unwrap();
    let mut ways = ways_to(&folder, ".env");
    for name in
        [".ENV", ".Env", ".env.local", ".env.production.local", ".eNv.x", ".env.", "sub/.env", "new/.env"]
    {
        ways.push(name.to_owned());
    }
    let tools = ["Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "Grep"];
    let passed = pass(&tools, &folder, &ways, |call| refused(&env_files::judge(call)));
    assert!(passed.is_empty(), "{passed:#?}");
    // The matches of a search reveal the file's contents, whether or not it prints them.
    for fields in [
        json!({"pattern": "^TOKEN=a", "path": folder}),
        json!({"pattern": "^TOKEN=a"}),
        json!({"pattern": "a", "path": folder, "output_mode": "files_with_matches"}),
        json!({"pattern": "a", "path": folder, "output_mode": "count"}),
        json!({"pattern": "a", "path": folder, "output_mode": "content", "glob": "*.rs"}),
        json!({"pattern": "a", "path": folder, "glob": "**/.e*"}),
        json!({"pattern": "a", "path": folder, "glob": "*", "head_limit": 1}),
        json!({"pattern": "a", "path": folder.join("sub/whole")}),
        json!({"pattern": "a", "path": folder.join("sub/up")}),
        json!({"pattern": "a", "path": "sub/.."}),
    ] {
        let call = input_in(folder.to_str().unwrap(), "Grep", fields);
        assert!(refused(&env_files::judge(&call)), "{call:?}");
    }
    let fine =
        |tool: &str, fields| !refused(&env_files::judge(&input_in(folder.to_str().unwrap(), tool, fields)));
    assert!(fine("Grep", json!({"pattern": "a", "path": folder.join("sub/deep"), "output_mode": "content"})));
    assert!(fine("Read", json!({"file_path": "sub/env.txt"})));
    assert!(fine("Write", json!({"file_path": ".environment"})));
}

#[test]
fn every_way_into_a_folder_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().canonicalize().unwrap();
    fs::create_dir(root.join("system")).unwrap();
    let ways = ways_to(&root, "system/passwd");
    let system = root.join("system");
    // Paths to the file lead into the folder; paths beside it do not.
    let tools = ["Write", "Edit", "MultiEdit", "NotebookEdit"];
    let of = std::slice::from_ref(&system);
    let passed = pass(&tools, &root, &ways, |call| refused(&system_folders::judge(call, of)));
    assert!(passed.is_empty(), "{passed:#?}");
    let fine = |path: &str| {
        !refused(&system_folders::judge(
            &input_in(root.to_str().unwrap(), "Write", json!({"file_path": path})),
            of,
        ))
    };
    assert!(fine("systems/a") && fine("system.txt") && fine("sub/system2/x"));
    assert!(!fine("system") && !fine("system/new/folder/x"));
}

#[test]
fn no_file_is_written_outside_the_sandbox() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().canonicalize().unwrap();
    let sandbox_folder = root.join("keep");
    let ways = ways_to(&root, "victim");
    fs::create_dir_all(sandbox_folder.join(root.strip_prefix("/").unwrap()).join("sub")).unwrap();
    symlink(&root, sandbox_folder.join("out")).unwrap();
    symlink(root.join("victim"), sandbox_folder.join("file")).unwrap();
    let mut ways = ways;
    ways.extend(
        [
            "keep/out/victim",
            "keep/file",
            "keep/../victim",
            "keep/out/new",
            "keepx/a",
            "keep/out/keep/../victim",
        ]
        .map(str::to_owned),
    );
    // Changing tools: refused. `Write`: refused, or it lands in the folder.
    let passed = pass(&["Edit", "MultiEdit", "NotebookEdit"], &root, &ways, |call| {
        refused(&sandbox::judge(call, &sandbox_folder))
    });
    assert!(passed.is_empty(), "{passed:#?}");
    let passed = pass(&["Write"], &root, &ways, |call| {
        let reply = sandbox::judge(call, &sandbox_folder);
        let Ok(reply) = &reply else { return true };
        let moved = reply.output.as_ref().and_then(|output| output.updated_input.as_ref());
        let moved =
            moved.map(|input| input.decode::<Value>().unwrap()["file_path"].as_str().unwrap().to_owned());
        refused(&Ok(reply.clone()))
            || moved.is_some_and(|path| Path::new(&path).starts_with(&sandbox_folder) && !path.contains(".."))
    });
    assert!(passed.is_empty(), "{passed:#?}");
}

#[test]
fn reading_elsewhere_needs_a_question() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().canonicalize().unwrap();
    let mut ways = ways_to(&root, "victim");
    let folder = root.join("keep");
    symlink("../victim", folder.join("file")).unwrap();
    ways.extend(
        ["keep/file", "keep/../victim", "keep/deep/../../victim", "keepx", "keep/deep"].map(str::to_owned),
    );
    let unapproved = |call: &_| !approved(&read_only::judge(call, &folder));
    let passed = pass(&["Read", "Glob", "Grep"], &root, &ways, unapproved);
    assert!(passed.is_empty(), "{passed:#?}");
    for pattern in [
        "/etc/*",
        "../*",
        "a/../../*",
        "~/*",
        "{/etc,a}/*",
        "{..,a}/*",
        "./../*",
        "**/../../*",
        "//etc/*",
        "~root/*",
        "a/{b,../..}/*",
    ] {
        for (tool, field) in [("Glob", "pattern"), ("Grep", "glob")] {
            let call = input_in(root.to_str().unwrap(), tool, json!({"path": folder, field: pattern}));
            let reply = read_only::judge(&call, &folder);
            assert!(reply.is_ok() && !approved(&reply), "{tool} {pattern}: {reply:?}");
        }
    }
    fs::write(folder.join("own"), "x").unwrap();
    let call = |tool: &str, fields| input_in(root.to_str().unwrap(), tool, fields);
    assert!(!unapproved(&call("Read", json!({"file_path": "keep/own"}))));
    assert!(!unapproved(&call("Glob", json!({"path": folder, "pattern": "**/*.rs"}))));
    // Without a path, the working directory is searched, which is another folder here.
    let elsewhere = read_only::judge(&call("Grep", json!({"pattern": "x"})), &folder);
    assert!(elsewhere.is_ok() && !approved(&elsewhere), "{elsewhere:?}");
}

/// The chain calls each handler: a refusal of one holds against the others.
#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn a_chain_refuses_what_each_of_its_guards_refuses() {
    let write = |path: String| ("Write", json!({"file_path": path, "content": "new\n"}));
    let edit = |path: String| ("Edit", json!({"file_path": path, "old_string": "one", "new_string": "two"}));
    let refused = [
        ".env",
        ".ENV",
        "sub/.env.local",
        "sub/../.env",
        "${place}/project/.env",
        " .env ",
        "~/../project/.env",
        "up/.env",
        "${place}/other/x",
        "../other/x",
        "sub/../../other/x",
        "link/x",
        "${place}/other/new/x",
        "/proc/self/root${place}/other/x",
        "${place}/project/../other/x",
    ];
    let calls: Vec<_> =
        refused.iter().flat_map(|path| [write((*path).to_owned()), edit((*path).to_owned())]).collect();
    assert!(calls.len() >= 30);
    let place = Place::calling(&calls).await;
    fs::create_dir(place.file("box")).unwrap();
    fs::write(place.file("project/.env"), "one\n").unwrap();
    fs::write(place.file("other/x"), "one\n").unwrap();
    symlink("../other", place.file("project/link")).unwrap();
    symlink(".", place.file("project/up")).unwrap();
    let hooks = chain::guard(Hooks::new(), &[place.file("other")], place.file("box"), |_| {}).unwrap();
    let seen = held(&place, hooks).await;
    assert_eq!(seen.refused(), vec![true; calls.len()], "{seen:#?}");
    for name in ["project/.env", "other/x"] {
        assert_eq!(fs::read_to_string(place.file(name)).unwrap(), "one\n");
    }
    assert_eq!(fs::read_dir(place.file("other")).unwrap().count(), 1);
}
