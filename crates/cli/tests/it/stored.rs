//! Stored sessions: `sessions`, `cost`, `search`, `import`.

use std::{
    fs,
    path::Path,
    process::Command,
    time::{Duration, SystemTime},
};

use serde_json::Value;

use super::{ID, agentwire, output, store, store_three, text, walk, without_reader};

#[test]
fn stored_session_is_listed_shown_renamed_and_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let id = ID;
    let entry = serde_json::json!({
        "type": "user", "uuid": "5f3f4c52-5a35-4f0e-9a51-6d8d0e7b1a10", "sessionId": id, "parentUuid": null,
        "timestamp": "2026-11-01T10:00:00.000Z", "cwd": "/p", "message": {"role": "user", "content": "A walk."},
    });
    store(folder.path(), &[entry]);
    let place = folder.path().to_str().unwrap();
    let sessions = |place: &[&str], arguments: &[&str]| {
        let done = output(&[&["sessions"], place, arguments].concat());
        assert!(done.status.success(), "{arguments:?}: {}", text(&done.stderr));
        text(&done.stdout).to_owned()
    };
    let store = format!("file://{place}/store");
    assert_eq!(sessions(&["--folder", place], &["import", &store]), format!("{id}  -p\n"));
    // What a folder can do, a store can too.
    for place in [&["--folder", place][..], &["--store", &store, "--project", "/p"]] {
        let run = |arguments: &[&str]| sessions(place, arguments);
        let titles = || {
            let list = run(&["list", "--json"]);
            let titles =
                list.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["summary"].clone());
            titles.collect::<Vec<_>>()
        };
        assert_eq!(titles(), ["A walk."]);
        let list = run(&["list"]);
        assert!(list.starts_with(id) && list.ends_with("Z  A walk.\n"), "{list}");
        assert!(run(&["show", id]).starts_with("# A walk."));
        assert!(run(&["show", id, "--json"]).contains("A walk."));
        assert!(run(&["export", id, "--html"]).contains("<html"));
        assert!(run(&["search", "walk"]).starts_with(id));
        assert_eq!(run(&["cost"]), "");
        run(&["rename", id, "In the park"]);
        assert_eq!(titles(), ["In the park"]);
        let copy = run(&["fork", id]);
        assert_eq!(titles().len(), 2);
        run(&["delete", copy.trim()]);
        run(&["delete", id]);
        assert_eq!(titles().len(), 0);
    }
}

#[test]
fn title_that_does_not_fit_on_the_disk_leaves_the_session_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let entry = |text: String| {
        serde_json::json!({
            "type": "user", "uuid": "5f3f4c52-5a35-4f0e-9a51-6d8d0e7b1a10", "sessionId": ID, "parentUuid": null,
            "message": {"role": "user", "content": text},
        })
    };
    let length = serde_json::to_string(&entry(String::new())).unwrap().len() + 1;
    // A limit on files acts like a disk that takes only a part of the line.
    store(folder.path(), &[entry("x".repeat(1014 - length))]);
    let file = folder.path().join(format!("projects/-p/{ID}.jsonl"));
    let before = fs::read_to_string(&file).unwrap();
    assert_eq!(before.len(), 1014);
    let command = "trap '' XFSZ; ulimit -f 2; exec \"$0\" \"$@\"";
    let mut renamed = Command::new("sh");
    renamed.args(["-c", command, env!("CARGO_BIN_EXE_agentwire"), "sessions", "--folder"]);
    let done = renamed.arg(folder.path()).args(["rename", ID, &"x".repeat(2000)]).output().unwrap();
    assert!(!done.status.success() && text(&done.stderr).contains("writing"), "{done:?}");
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
}

#[test]
fn cost_is_computed_from_a_file_of_prices() {
    let folder = tempfile::tempdir().unwrap();
    let entry = serde_json::json!({
        "type": "assistant", "uuid": "5f3f4c52-5a35-4f0e-9a51-6d8d0e7b1a10", "parentUuid": null,
        "timestamp": "2026-11-01T10:00:00.000Z",
        "message": {"id": "m", "role": "assistant", "model": "some-model", "content": [],
            "usage": {"input_tokens": 1_000_000, "output_tokens": 500_000}},
    });
    store(folder.path(), &[entry]);
    let prices = folder.path().join("prices.json");
    fs::write(&prices, r#"{"some-model": {"input": 3, "output": 15}}"#).unwrap();
    let place = ["sessions", "--folder", folder.path().to_str().unwrap()];
    let done = output(&[&place[..], &["cost", "--json", "--prices", prices.to_str().unwrap()]].concat());
    let cost: Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!((&cost["tokens"], &cost["cost_usd"]), (&Value::from(1_500_000), &Value::from(10.5)));
    fs::write(&prices, r#"{"some-model": {"inputs": 3}}"#).unwrap();
    let done = output(&[&place[..], &["cost", "--prices", prices.to_str().unwrap()]].concat());
    assert_eq!(done.status.code(), Some(2));
}

#[test]
fn cost_needs_a_price_for_each_kind_of_tokens() {
    let folder = tempfile::tempdir().unwrap();
    let cached = serde_json::json!({"ephemeral_1h_input_tokens": 1_000_000, "ephemeral_5m_input_tokens": 0});
    let usage = serde_json::json!({
        "input_tokens": 0, "output_tokens": 1_000_000,
        "cache_creation_input_tokens": 1_000_000, "cache_creation": cached,
    });
    let answer = serde_json::json!({
        "type": "assistant", "uuid": "5f3f4c52-5a35-4f0e-9a51-6d8d0e7b1a10", "parentUuid": null,
        "timestamp": "2026-11-01T10:00:00.000Z",
        "message": {"id": "m", "role": "assistant", "model": "some-model", "content": [], "usage": usage},
    });
    let recorded = serde_json::json!({"type": "cost-state", "sessionId": ID, "totalCostUSD": 25.5});
    store(folder.path(), &[answer, recorded]);
    let prices = folder.path().join("prices.json");
    let printed = |price: &str, options: &[&str]| {
        fs::write(&prices, format!(r#"{{"some-model": {price}}}"#)).unwrap();
        let (folder, prices) = (folder.path().to_str().unwrap(), prices.to_str().unwrap());
        let command = ["sessions", "--folder", folder, "cost", "--prices", prices];
        text(&output(&[&command[..], options].concat()).stdout).to_owned()
    };
    let cost = |price| printed(price, &[]);
    let tokens = "some-model: 2000000 tokens in 1 answers (input 0, output 1000000, cache read 0, cache written 1000000)";
    let recorded = "\nthe CLI has recorded $25.5000 (a fork includes what its original had cost)\n";
    assert_eq!(cost(r#"{"output": 15, "cache_write": 3.75}"#), format!("{tokens}{recorded}"));
    assert_eq!(cost(r#"{"output": 15, "cache_write_1h": 6}"#), format!("{tokens}, $21.0000{recorded}"));
    let lines = printed(r#"{"output": 15, "cache_write": 3.75}"#, &["--json"]);
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&lines[0]["cost_usd"], &lines[1]["recorded_usd"]), (&Value::Null, &Value::from(25.5)));
}

#[test]
fn search_continues_after_a_file_that_can_not_be_read() {
    let folder = tempfile::tempdir().unwrap();
    store(folder.path(), &[walk(ID)]);
    let agent = folder.path().join(format!("projects/-p/{ID}/subagents/agent-a1.jsonl"));
    fs::create_dir_all(agent.parent().unwrap()).unwrap();
    fs::write(
        &agent,
        r#"{"type":"user","isSidechain":true,"message":{"role":"user","content":"A walk of the agent."}}"#,
    )
    .unwrap();
    // Its only line is too long. The newest file is searched first.
    let unreadable = folder.path().join("projects/-p/5f3f4c52-5a35-4f0e-9a51-6d8d0e7b1a12.jsonl");
    fs::File::create(&unreadable).unwrap().set_len(65 << 20).unwrap();
    let arguments = ["sessions", "--folder", folder.path().to_str().unwrap(), "search", "walk"];
    let done = output(&arguments);
    let found = text(&done.stdout);
    assert!(found.contains(&format!("{ID}  user: A walk.")), "{found}");
    assert!(found.contains(&format!("{ID} (subagent a1)  user: A walk of the agent.")), "{found}");
    let error = text(&done.stderr);
    assert!(error.starts_with("agentwire: ") && error.contains(unreadable.to_str().unwrap()), "{error}");
    assert_eq!(done.status.code(), Some(2));
    assert_eq!(without_reader(&mut agentwire(&arguments)).status.code(), Some(2));
}

#[test]
fn project_folder_that_can_not_be_read_is_named() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().unwrap();
    store(folder.path(), &[walk(ID)]);
    let (unreadable, other) = (folder.path().join("projects/-q"), "0b0e7a3e-57a1-4a4c-9d3f-0d8c5a2f1b12");
    fs::create_dir(&unreadable).unwrap();
    let file = folder.path().join(format!("projects/-p/{ID}.jsonl"));
    fs::copy(file, unreadable.join(format!("{other}.jsonl"))).unwrap();
    fs::set_permissions(&unreadable, fs::Permissions::from_mode(0o000)).unwrap();
    let (place, url) = (folder.path().to_str().unwrap(), format!("file://{}/store", folder.path().display()));
    let sessions = |arguments: &[&str]| {
        let arguments = [&["sessions", "--folder", place][..], arguments].concat();
        unprivileged(&unreadable, &arguments).output().unwrap()
    };
    for (arguments, printed) in [
        (&["search", "walk"][..], 1),
        (&["cost"][..], 0),
        (&["import", &*url][..], 1),
        (&["import", &*url, other][..], 0),
        (&["show", other][..], 0),
        (&["cost", other][..], 0),
        (&["delete", other][..], 0),
    ] {
        let done = sessions(arguments);
        let error = text(&done.stderr);
        let is_named = error.contains(unreadable.to_str().unwrap()) && error.contains("Permission denied");
        assert!(error.starts_with("agentwire: ") && is_named, "{arguments:?}: {error}");
        assert_eq!((error.lines().count(), done.status.code()), (1, Some(2)), "{arguments:?}: {error}");
        assert_eq!(text(&done.stdout).lines().count(), printed, "{arguments:?}");
    }
    let listed = sessions(&["list"]);
    assert!(listed.status.success() && listed.stderr.is_empty(), "{}", text(&listed.stderr));
    assert_eq!(text(&listed.stdout).lines().count(), 1);
    // Otherwise it can't be removed.
    fs::set_permissions(&unreadable, fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn import_names_a_file_that_can_not_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let [_, unreadable, _] = store_three(folder.path());
    let file = folder.path().join(format!("projects/-p/{unreadable}.jsonl"));
    fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o000)).unwrap();
    let (place, url) = (folder.path().to_str().unwrap(), format!("file://{}/store", folder.path().display()));
    let done = unprivileged(&file, &["sessions", "--folder", place, "import", &url]).output().unwrap();
    let error = text(&done.stderr);
    assert!(error.starts_with("agentwire: ") && error.contains(file.to_str().unwrap()), "{error}");
    assert_eq!((error.lines().count(), done.status.code()), (1, Some(2)), "{error}");
    assert_eq!(text(&done.stdout).lines().count(), 2);
}

/// Returns the program. If this test can read the path in spite of its mode, as root can, the program can't.
fn unprivileged(unreadable: &Path, arguments: &[&str]) -> Command {
    let command = agentwire(arguments);
    if fs::File::open(unreadable).is_err() {
        return command;
    }
    let mut bounded = Command::new("setpriv");
    let capabilities = "-dac_override,-dac_read_search";
    bounded.args([format!("--inh-caps={capabilities}"), format!("--bounding-set={capabilities}")]);
    bounded.arg(command.get_program()).args(command.get_args()).env_clear();
    bounded.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    bounded
}

#[test]
fn stored_session_is_viewed_by_its_id() {
    let folder = tempfile::tempdir().unwrap();
    let entry = |number: u32, kind: &str, message: Value| {
        serde_json::json!({
            "type": kind, "uuid": format!("5f3f4c52-5a35-4f0e-9a51-6d8d0e7b1a1{number}"), "sessionId": ID,
            "parentUuid": number.checked_sub(1).map(|before| format!("5f3f4c52-5a35-4f0e-9a51-6d8d0e7b1a1{before}")),
            "timestamp": "2026-11-01T10:00:00.000Z", "message": message,
        })
    };
    let tool = serde_json::json!([{"type": "tool_use", "id": "toolu_1", "name": "Walk", "input": {}}]);
    let result =
        serde_json::json!([{"type": "tool_result", "tool_use_id": "toolu_1", "content": "In the park."}]);
    let entries = [
        entry(0, "user", serde_json::json!({"role": "user", "content": "A walk."})),
        entry(1, "system", Value::Null),
        entry(2, "assistant", serde_json::json!({"id": "m", "role": "assistant", "content": tool})),
        entry(3, "user", serde_json::json!({"role": "user", "content": result})),
    ];
    store(folder.path(), &entries);
    let page = folder.path().join("sub/page.html");
    let done =
        output(&["view", ID, "--folder", folder.path().to_str().unwrap(), "-o", page.to_str().unwrap()]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    let page = fs::read_to_string(page).unwrap();
    assert!(page.contains("A walk.") && page.contains("In the park."));
    assert!(page.contains("Prompt") && !page.contains("Written by the CLI as the user"));
    assert!(!page.contains("system/"));
}

#[test]
fn session_without_messages_is_viewed() {
    let folder = tempfile::tempdir().unwrap();
    store(folder.path(), &[serde_json::json!({"type": "mode", "mode": "default", "sessionId": ID})]);
    let page = folder.path().join("page.html");
    let view = |id: &str| {
        output(&["view", id, "--folder", folder.path().to_str().unwrap(), "-o", page.to_str().unwrap()])
    };
    let done = view(ID);
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert!(fs::read_to_string(&page).unwrap().contains(ID));
    let done = view("5f3f4c52-5a35-4f0e-9a51-6d8d0e7b1a10");
    assert_eq!(done.status.code(), Some(2));
    assert!(text(&done.stderr).contains("no stored session"), "{}", text(&done.stderr));
}

#[test]
fn newest_session_is_the_newest_in_a_store_too() {
    let folder = tempfile::tempdir().unwrap();
    let ids = store_three(folder.path());
    let (place, url) = (folder.path().to_str().unwrap(), format!("file://{}/store", folder.path().display()));
    output(&["sessions", "--folder", place, "import", &url]);
    let listed = output(&["sessions", "--store", &url, "--project", "/p", "list"]);
    let listed: Vec<_> = text(&listed.stdout).lines().map(|line| &line[..ID.len()]).collect();
    assert_eq!(listed, ids);
}

#[test]
fn import_continues_after_a_session_that_can_not_be_imported() {
    let folder = tempfile::tempdir().unwrap();
    let [newest, _, oldest] = store_three(folder.path());
    let (place, url) = (folder.path().to_str().unwrap(), format!("file://{}/store", folder.path().display()));
    let import =
        |ids: &[&str]| agentwire(&[&["sessions", "--folder", place, "import", &*url][..], ids].concat());
    assert!(import(&[oldest]).output().unwrap().status.success());
    // The store now lacks the entry before the one that it has.
    let file = folder.path().join(format!("projects/-p/{oldest}.jsonl"));
    let before = walk(oldest);
    fs::write(&file, format!("{before}\n{}", fs::read_to_string(&file).unwrap())).unwrap();
    let written = SystemTime::now() - Duration::from_secs(7200);
    fs::File::options().append(true).open(&file).unwrap().set_modified(written).unwrap();
    let unknown = "0b0e7a3e-57a1-4a4c-9d3f-0d8c5a2f1b19";
    for (ids, failed) in [(&[unknown, newest][..], unknown), (&[][..], oldest)] {
        let done = import(ids).output().unwrap();
        let error = text(&done.stderr);
        assert!(error.starts_with("agentwire: ") && error.contains(failed), "{error}");
        assert_eq!((error.lines().count(), done.status.code()), (1, Some(2)), "{error}");
        assert_eq!(without_reader(&mut import(ids)).status.code(), Some(2));
    }
    let listed = output(&["sessions", "--store", &url, "--project", "/p", "list"]);
    assert_eq!(text(&listed.stdout).lines().count(), 3);
}

#[test]
fn folder_that_the_environment_names_belongs_to_every_project() {
    let folder = tempfile::tempdir().unwrap();
    store_three(folder.path());
    let listed = |name: &str| {
        let mut list = agentwire(&["sessions", "--project", "/elsewhere", "list"]);
        list.env("CLAUDE_CONFIG_DIR", folder.path()).env("CLAUDE_CODE_PROJECT_DIR_NAME", name);
        text(&list.output().unwrap().stdout).lines().count()
    };
    // The CLI ignores names with other characters than letters, digits, `-` and `_`.
    assert_eq!([listed("-p"), listed("./-p")], [3, 0]);
}
