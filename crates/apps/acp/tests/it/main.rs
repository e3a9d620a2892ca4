//! The agent over streams in memory, without a CLI or with a shell script as the CLI.

#![expect(clippy::unwrap_used, reason = "what the tests share is test code too")]

use std::{
    fs,
    io::{BufRead as _, Write as _},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use agentwire_acp::{Settings, serve};
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, duplex,
};

/// Sends the lines, ends the input, and returns the agent's lines.
async fn answers(lines: &[&str]) -> Vec<Value> {
    let ((mut input, theirs), (mut output, ours)) = (duplex(1 << 16), duplex(1 << 16));
    let mut settings = Settings::default();
    settings.cli = Some("/no/such/claude".into());
    let served = serve(settings, theirs, ours);
    let client = async {
        for line in lines {
            input.write_all(format!("{line}\n").as_bytes()).await.unwrap();
        }
        drop(input);
        let mut text = String::new();
        output.read_to_string(&mut text).await.unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let (served, answers) =
        tokio::time::timeout(LIMIT, async { tokio::join!(served, client) }).await.unwrap();
    served.unwrap();
    answers
}

fn request(method: &str, params: Value) -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string()
}

/// Returns a request with a text for a session.
fn prompt(session: &Value, text: &str) -> String {
    request("session/prompt", json!({"sessionId": session, "prompt": [{"type": "text", "text": text}]}))
}

const LIMIT: Duration = Duration::from_secs(20);

#[tokio::test]
async fn initialize_reports_what_the_agent_can_do() {
    let answers =
        answers(&[&request("initialize", json!({"protocolVersion": 1, "clientCapabilities": {}}))]).await;
    let result = &answers[0]["result"];
    assert_eq!(result["protocolVersion"], 1);
    assert_eq!(result["agentInfo"]["name"], "agentwire-acp");
    assert_eq!(result["agentCapabilities"]["loadSession"], true);
    assert_eq!(result["agentCapabilities"]["promptCapabilities"]["image"], true);
}

/// As the protocol recommends.
#[tokio::test]
async fn request_before_initialize_is_an_error() {
    let list = request("session/list", json!({}));
    let initialize = request("initialize", json!({"protocolVersion": 1}));
    let answers = answers(&[&list, &initialize, &request("session/later", json!({}))]).await;
    assert_eq!(answers[0]["error"]["code"], -32600);
    assert_eq!(answers[0]["error"]["message"], "send `initialize` before `session/list`");
    assert_eq!(answers[2]["error"]["code"], -32601);
}

#[test]
fn login_ignores_an_empty_configuration_folder() {
    let folder = tempfile::tempdir().unwrap();
    let cli = script(folder.path(), "#!/bin/sh\necho \"$* ${CLAUDE_CONFIG_DIR-unset}\"");
    let mut login = Command::new(env!("CARGO_BIN_EXE_agentwire-acp"));
    let output = login.args(["login", "--cli"]).arg(cli).env("CLAUDE_CONFIG_DIR", "").output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "auth login unset\n", "{output:?}");
}

#[tokio::test]
async fn prompt_to_a_session_that_is_not_open_is_an_error() {
    let initialize = request("initialize", json!({"protocolVersion": 1}));
    let prompt = request("session/prompt", json!({"sessionId": "s", "prompt": []}));
    let answers = answers(&[&initialize, &prompt]).await;
    assert_eq!(answers[1]["error"]["code"], -32002);
}

#[tokio::test]
async fn error_message_names_a_missing_field() {
    let initialize = request("initialize", json!({"protocolVersion": 1}));
    let answers = answers(&[&initialize, &request("session/new", json!({"mcpServers": []}))]).await;
    let error = &answers[1]["error"];
    assert_eq!(error["code"], -32602);
    assert!(error["message"].to_string().contains("missing field `cwd`"), "{error}");
}

#[tokio::test]
async fn unknown_requests_and_lines_end_nothing() {
    let initialize = request("initialize", json!({"protocolVersion": 1}));
    let later = request("session/later", json!({}));
    let note = json!({"jsonrpc": "2.0", "method": "later", "params": {}}).to_string();
    let answers = answers(&[&initialize, "no JSON", &note, &later, &initialize]).await;
    assert_eq!(answers[1]["error"]["code"], -32700);
    assert_eq!(answers[2]["error"]["code"], -32601);
    assert_eq!(answers[3]["id"], 1);
}

#[tokio::test]
async fn blank_lines_and_a_byte_order_mark_are_ignored() {
    let initialize = request("initialize", json!({"protocolVersion": 1}));
    let answers = answers(&[&format!("\u{feff}{initialize}"), "", " \r"]).await;
    assert!(answers.len() == 1 && answers[0]["result"].is_object(), "{answers:?}");
}

#[tokio::test]
async fn client_that_reads_nothing_does_not_keep_the_agent() {
    // The answer does not fit into the stream.
    let ((mut input, theirs), (_output, ours)) = (duplex(1 << 16), duplex(16));
    let client = async {
        let initialize = request("initialize", json!({"protocolVersion": 1})) + "\n";
        input.write_all(initialize.as_bytes()).await.unwrap();
        drop(input);
    };
    let both = async { tokio::join!(serve(Settings::default(), theirs, ours), client) };
    tokio::time::timeout(LIMIT, both).await.unwrap().0.unwrap();
}

#[tokio::test]
async fn prompt_right_after_a_cancel_is_not_cancelled() {
    in_session(async |session, _, input, lines| {
        let cancel = json!({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}});
        let prompt = prompt(&session, "Do this instead.");
        input.write_all(format!("{cancel}\n{prompt}\n").as_bytes()).await.unwrap();
        assert_eq!(result(lines).await["stopReason"], "end_turn");
    })
    .await;
}

#[tokio::test]
async fn session_goes_on_if_it_cannot_be_opened_again() {
    in_session(async |session, folder, input, lines| {
        // The second folder is valid, but no message of the session is stored.
        for cwd in [json!("relative"), json!(folder)] {
            let load = json!({"sessionId": session, "cwd": cwd, "mcpServers": []});
            input.write_all(format!("{}\n", request("session/load", load)).as_bytes()).await.unwrap();
            let answer = answer(lines).await;
            assert!(answer["error"].is_object(), "{answer}");
        }
        input.write_all(format!("{}\n", prompt(&session, "Go on.")).as_bytes()).await.unwrap();
        assert_eq!(result(lines).await["stopReason"], "end_turn");
    })
    .await;
}

#[tokio::test]
async fn end_of_the_cli_between_turns_is_reported_with_its_cause() {
    in_session(async |session, _, input, lines| {
        let prompt = |text| prompt(&session, text) + "\n";
        input.write_all(prompt("Answer, then die.").as_bytes()).await.unwrap();
        assert_eq!(result(lines).await["stopReason"], "end_turn");
        // The first may be sent before the end is known.
        for _ in 0..2 {
            input.write_all(prompt("Go on.").as_bytes()).await.unwrap();
            let why = answer(lines).await["error"]["message"].to_string();
            assert!(why.contains("signal 9"), "{why}");
        }
    })
    .await;
}

#[tokio::test]
async fn open_call_fails_when_the_cli_ends() {
    in_session(async |session, _, input, lines| {
        let prompt = prompt(&session, "Use a tool, then die.");
        input.write_all(format!("{prompt}\n").as_bytes()).await.unwrap();
        let mut calls = Vec::new();
        loop {
            let message: Value = serde_json::from_str(&lines.next_line().await.unwrap().unwrap()).unwrap();
            let update = &message["params"]["update"];
            if update["toolCallId"] == "t" {
                calls.push((update["sessionUpdate"].clone(), update["status"].clone()));
            } else if message["error"].is_object() {
                break;
            }
        }
        assert_eq!(
            calls,
            [(json!("tool_call"), json!("pending")), (json!("tool_call_update"), json!("failed"))]
        );
    })
    .await;
}

/// It has more updates than may wait for the client.
#[tokio::test]
async fn long_answer_is_shown_to_its_end() {
    let talking = r#"    *'Talk much'*)
        for n in $(seq 600); do
            echo "{\"type\":\"assistant\",\"message\":{\"id\":\"m$n\",\"model\":\"m\",\"content\":[{\"type\":\"text\",\"text\":\"$n\"}]},\"parent_tool_use_id\":null}"
        done
        echo "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"user_message_uuids\":[\"$(field uuid)\"]}" ;;
    *'Use a tool'*)"#;
    let cli = CLI.replacen("    *'Use a tool'*)", talking, 1);
    in_session_of(&cli, async |session, _, input, lines| {
        input.write_all(format!("{}\n", prompt(&session, "Talk much.")).as_bytes()).await.unwrap();
        let mut chunks = 0;
        let answer = loop {
            let message: Value = serde_json::from_str(&lines.next_line().await.unwrap().unwrap()).unwrap();
            if message["params"]["update"]["sessionUpdate"] == "agent_message_chunk" {
                chunks += 1;
            } else if message["id"] == 1 {
                break message;
            }
        };
        assert_eq!((&answer["result"]["stopReason"], chunks), (&json!("end_turn"), 600), "{answer}");
    })
    .await;
}

#[tokio::test]
async fn closed_session_is_interrupted() {
    let noting = "    *'\"subtype\":\"interrupt\"'*) : > interrupted ;;\n    *'Use a tool'*)";
    let cli = CLI.replacen("    *'Use a tool'*)", noting, 1);
    in_session_of(&cli, async |session, folder, input, lines| {
        let close = request("session/close", json!({"sessionId": session}));
        input.write_all(format!("{close}\n").as_bytes()).await.unwrap();
        // Answered after the CLI's exit.
        result(lines).await;
        assert!(folder.join("interrupted").is_file());
    })
    .await;
}

#[tokio::test]
async fn model_of_the_settings_is_the_current_one() {
    let answers = r#"    *'"subtype":"initialize"'*)
        answer '{"models":[{"value":"default","displayName":"Default","resolvedModel":"model-a"},{"value":"b","displayName":"B","resolvedModel":"model-b"}]}' ;;
    *'"subtype":"get_settings"'*) answer '{"applied":{"model":"model-b"}}' ;;
    *'Use a tool'*)"#;
    let cli = CLI.replacen("    *'Use a tool'*)", answers, 1);
    in_folder_of(&cli, async |folder, input, lines| {
        let opened = request("session/new", json!({"cwd": folder, "mcpServers": []}));
        input.write_all(format!("{opened}\n").as_bytes()).await.unwrap();
        let opened = result(lines).await;
        let options = opened["configOptions"].as_array().unwrap();
        let model = options.iter().find(|option| option["id"] == "model").unwrap();
        assert_eq!(model["currentValue"], "b");
    })
    .await;
}

#[tokio::test]
async fn settings_of_the_folder_are_warned_about() {
    in_folder_of(CLI, async |folder, input, lines| {
        let file = folder.canonicalize().unwrap().join(".claude/settings.json");
        fs::create_dir(file.parent().unwrap()).unwrap();
        fs::write(&file, "{}").unwrap();
        let opened = request("session/new", json!({"cwd": folder, "mcpServers": []}));
        input.write_all(format!("{opened}\n").as_bytes()).await.unwrap();
        let session = result(lines).await["sessionId"].clone();
        input.write_all(format!("{}\n", prompt(&session, "Hi.")).as_bytes()).await.unwrap();
        let mut warning = String::new();
        loop {
            let message: Value = serde_json::from_str(&lines.next_line().await.unwrap().unwrap()).unwrap();
            let update = &message["params"]["update"];
            if update["sessionUpdate"] == "agent_thought_chunk" {
                warning.push_str(&update["content"]["text"].to_string());
            }
            if message["result"]["stopReason"].is_string() {
                break;
            }
        }
        assert!(
            warning.contains(file.to_str().unwrap()) && warning.contains("--untrusted-folder"),
            "{warning}"
        );
        // Another session of the connection does not repeat it.
        input.write_all(format!("{opened}\n").as_bytes()).await.unwrap();
        let session = result(lines).await["sessionId"].clone();
        input.write_all(format!("{}\n", prompt(&session, "Hi.")).as_bytes()).await.unwrap();
        loop {
            let line = lines.next_line().await.unwrap().unwrap();
            assert!(!line.contains("Warning"), "{line}");
            if line.contains("stopReason") {
                break;
            }
        }
    })
    .await;
}

#[tokio::test]
async fn prompt_is_marked_as_text_of_a_person() {
    let noting = "user\"'*)\n        case $line in *'\"origin\":{\"kind\":\"human\"}'*) : > human ;; esac\n";
    let cli = CLI.replacen("user\"'*)\n", noting, 1);
    in_session_of(&cli, async |session, folder, input, lines| {
        input.write_all(format!("{}\n", prompt(&session, "Hi.")).as_bytes()).await.unwrap();
        result(lines).await;
        assert!(folder.join("human").is_file());
    })
    .await;
}

#[tokio::test]
async fn prompts_of_a_cli_that_names_none_are_sent_one_by_one() {
    in_session_of(OLD_CLI, async |session, _, input, lines| {
        let prompt = prompt(&session, "Go.");
        input.write_all(format!("{prompt}\n{prompt}\n").as_bytes()).await.unwrap();
        for _ in 0..2 {
            assert_eq!(result(lines).await["stopReason"], "end_turn");
        }
        let cancel = json!({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}});
        input.write_all(format!("{prompt}\n{prompt}\n{cancel}\n").as_bytes()).await.unwrap();
        for _ in 0..2 {
            assert_eq!(result(lines).await["stopReason"], "cancelled");
        }
    })
    .await;
}

#[tokio::test]
async fn prompt_with_a_broken_character_is_answered() {
    in_session(async |session, _, input, lines| {
        let prompt = prompt(&session, "cut HERE");
        let (before, after) = prompt.split_once("HERE").unwrap();
        for broken in [&br"\ud83d"[..], b"\xf0\x9f"] {
            input.write_all(&[before.as_bytes(), broken, after.as_bytes(), b"\n"].concat()).await.unwrap();
            assert_eq!(result(lines).await["stopReason"], "end_turn");
        }
    })
    .await;
}

#[tokio::test]
async fn withdrawn_prompt_is_cancelled() {
    in_session_of(OLD_CLI, async |session, _, input, lines| {
        // No prompt of the session has the id 2.
        for (id, stop) in [(2, "end_turn"), (1, "cancelled")] {
            let (prompt, withdrawn) = (prompt(&session, "Go."), withdrawal(id));
            input.write_all(format!("{prompt}\n{withdrawn}\n").as_bytes()).await.unwrap();
            assert_eq!(result(lines).await["stopReason"], stop);
        }
    })
    .await;
}

#[tokio::test]
async fn withdrawn_session_is_not_opened() {
    let silent =
        "#!/bin/sh\ncase $1 in --version | -v) echo '2.1.330 (Claude Code)'; exit ;; esac\ncat >/dev/null\n";
    in_folder_of(silent, async |folder, input, lines| {
        let opened = request("session/new", json!({"cwd": folder, "mcpServers": []}));
        input.write_all(format!("{opened}\n{}\n", withdrawal(1)).as_bytes()).await.unwrap();
        assert_eq!(answer(lines).await["error"]["code"], -32800);
    })
    .await;
}

#[tokio::test]
async fn question_of_the_model_is_a_form() {
    let asking = r#"    *'Ask me'*)
        prompt=$(field uuid)
        echo '{"type":"control_request","request_id":"q","request":{"subtype":"can_use_tool","tool_name":"AskUserQuestion","tool_use_id":"t","input":{"questions":[{"question":"Which tree?","header":"Tree","multiSelect":false,"options":[{"label":"Oak","description":"Hard."},{"label":"Lime","description":"Soft."}]}]}}}' ;;
    *'"control_response"'*)
        printf '%s\n' "$line" > decision
        echo "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"user_message_uuids\":[\"$prompt\"]}" ;;
    *'Use a tool'*)"#;
    let asking = CLI.replacen("while read", "echo \"$*\" > words\nwhile read", 1).replacen(
        "    *'Use a tool'*)",
        asking,
        1,
    );
    let declared = json!({"elicitation": {"form": {}}});
    for (response, behavior, chosen) in [
        (json!({"action": "accept", "content": {"question_0": "Lime"}}), "allow", Some("Lime")),
        (json!({"action": "accept", "content": {"question_0": "Blue"}}), "deny", None),
        (json!({"action": "decline"}), "deny", None),
    ] {
        in_folder_with(&asking, declared.clone(), async |folder, input, lines| {
            let session = open(folder, input, lines).await;
            assert!(!fs::read_to_string(folder.join("words")).unwrap().contains("AskUserQuestion"));
            input.write_all(format!("{}\n", prompt(&session, "Ask me.")).as_bytes()).await.unwrap();
            let asked = loop {
                let message: Value =
                    serde_json::from_str(&lines.next_line().await.unwrap().unwrap()).unwrap();
                if message["method"] == "elicitation/create" {
                    break message;
                }
            };
            let params = &asked["params"];
            assert_eq!((&params["sessionId"], &params["toolCallId"]), (&session, &json!("t")));
            assert_eq!(params["requestedSchema"]["properties"]["question_0"]["oneOf"][1]["const"], "Lime");
            let answer = json!({"jsonrpc": "2.0", "id": asked["id"], "result": response});
            input.write_all(format!("{answer}\n").as_bytes()).await.unwrap();
            assert_eq!(result(lines).await["stopReason"], "end_turn");
            let decision: Value =
                serde_json::from_str(&fs::read_to_string(folder.join("decision")).unwrap()).unwrap();
            let decision = &decision["response"]["response"];
            assert_eq!(decision["behavior"], behavior, "{decision}");
            assert_eq!(decision["updatedInput"]["answers"]["Which tree?"].as_str(), chosen, "{decision}");
        })
        .await;
    }
}

#[tokio::test]
async fn model_has_no_question_tool_if_the_client_shows_no_forms() {
    let noting = CLI.replacen("while read", "echo \"$*\" > words\nwhile read", 1);
    for declared in [json!({}), json!({"elicitation": {"url": {}}})] {
        in_folder_with(&noting, declared, async |folder, input, lines| {
            open(folder, input, lines).await;
            let words = fs::read_to_string(folder.join("words")).unwrap();
            assert!(words.contains("--disallowedTools=AskUserQuestion"), "{words}");
        })
        .await;
    }
}

/// The script asks as the CLI does for a server of the user, and reports the completed page.
#[tokio::test]
async fn question_of_an_mcp_server_reaches_the_client() {
    let asking = r#"    *'Ask me'*)
        prompt=$(field uuid)
        echo '{"type":"control_request","request_id":"q","request":{"subtype":"elicitation","mcp_server_name":"files","message":"Log in.","mode":"url","url":"https://a.b/","elicitation_id":"e"}}' ;;
    *'"control_response"'*)
        printf '%s\n' "$line" > reply
        echo '{"type":"system","subtype":"elicitation_complete","mcp_server_name":"files","elicitation_id":"e"}'
        echo "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"user_message_uuids\":[\"$prompt\"]}" ;;
    *'Use a tool'*)"#;
    let cli = CLI.replacen("    *'Use a tool'*)", asking, 1);
    let pages = json!({"elicitation": {"url": {}}});
    for (declared, action, expected) in
        [(pages, "accept", &["create", "complete"][..]), (json!({}), "cancel", &[])]
    {
        in_folder_with(&cli, declared, async |folder, input, lines| {
            let session = open(folder, input, lines).await;
            input.write_all(format!("{}\n", prompt(&session, "Ask me.")).as_bytes()).await.unwrap();
            let mut methods = Vec::new();
            loop {
                let message: Value =
                    serde_json::from_str(&lines.next_line().await.unwrap().unwrap()).unwrap();
                if message["result"].is_object() {
                    break;
                }
                let method = message["method"].as_str().unwrap();
                if method == "elicitation/create" {
                    assert_eq!(message["params"]["url"], "https://a.b/");
                    let answer =
                        json!({"jsonrpc": "2.0", "id": message["id"], "result": {"action": "accept"}});
                    input.write_all(format!("{answer}\n").as_bytes()).await.unwrap();
                }
                methods.extend(method.strip_prefix("elicitation/").map(ToOwned::to_owned));
            }
            assert_eq!(methods, expected);
            let reply = fs::read_to_string(folder.join("reply")).unwrap();
            assert!(reply.contains(&format!(r#""action":"{action}""#)), "{reply}");
        })
        .await;
    }
}

/// Returns the notification that withdraws a request.
fn withdrawal(id: u32) -> String {
    json!({"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": id}}).to_string()
}

/// Opens a session in a folder, with [`CLI`], and runs a client.
async fn in_session(client: impl AsyncFnOnce(Value, &Path, &mut DuplexStream, &mut Answers)) {
    in_session_of(CLI, client).await;
}

/// Opens a session in a folder, with the script as the CLI, and runs a client.
async fn in_session_of(text: &str, client: impl AsyncFnOnce(Value, &Path, &mut DuplexStream, &mut Answers)) {
    in_folder_of(text, async |folder, input, lines| {
        let session = open(folder, input, lines).await;
        client(session, folder, input, lines).await;
    })
    .await;
}

/// Opens a session in the folder, and returns its id.
async fn open(folder: &Path, input: &mut DuplexStream, lines: &mut Answers) -> Value {
    let opened = request("session/new", json!({"cwd": folder, "mcpServers": []}));
    input.write_all(format!("{opened}\n").as_bytes()).await.unwrap();
    result(lines).await["sessionId"].clone()
}

/// Runs a client without capabilities in a folder, with the script as the CLI.
async fn in_folder_of(text: &str, client: impl AsyncFnOnce(&Path, &mut DuplexStream, &mut Answers)) {
    in_folder_with(text, json!({}), client).await;
}

/// Runs a client with these capabilities in a folder, with the script as the CLI.
async fn in_folder_with(
    text: &str,
    capabilities: Value,
    client: impl AsyncFnOnce(&Path, &mut DuplexStream, &mut Answers),
) {
    let folder = tempfile::tempdir().unwrap();
    let cli = script(folder.path(), text);
    let ((mut input, theirs), (output, ours)) = (duplex(1 << 16), duplex(1 << 16));
    let mut settings = Settings::default();
    settings.cli = Some(cli);
    let client = async {
        let mut lines = BufReader::new(output).lines();
        let initialize =
            request("initialize", json!({"protocolVersion": 1, "clientCapabilities": capabilities})) + "\n";
        input.write_all(initialize.as_bytes()).await.unwrap();
        result(&mut lines).await;
        client(folder.path(), &mut input, &mut lines).await;
        drop(input);
    };
    let both = async { tokio::join!(serve(settings, theirs, ours), client) };
    tokio::time::timeout(LIMIT, both).await.unwrap().0.unwrap();
}

/// Writes a program into the folder.
fn script(folder: &Path, text: &str) -> PathBuf {
    let cli = folder.join("claude");
    fs::write(&cli, text).unwrap();
    fs::set_permissions(&cli, fs::Permissions::from_mode(0o755)).unwrap();
    cli
}

/// The stored session is read from the folder that the environment names, so this runs the program itself.
#[test]
fn plan_of_a_resumed_session_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let (session, first, second) = (
        "0b0e7a3e-57a1-4a4c-9d3f-0d8c5a2f1b11",
        "5f3f4c52-5a35-4f0e-9a51-6d8d0e7b1a10",
        "5f3f4c52-5a35-4f0e-9a51-6d8d0e7b1a11",
    );
    let called = |id: &str, name: &str, input: Value| {
        let block = json!({"type": "tool_use", "id": id, "name": name, "input": input});
        json!({"type": "assistant", "message": {"id": id, "role": "assistant", "content": [block]}})
    };
    let finished = |id: &str, text: &str| {
        let block = json!({"type": "tool_result", "tool_use_id": id, "content": text});
        json!({"type": "user", "message": {"role": "user", "content": [block]}})
    };
    let stored = |mut entry: Value, id: &str, parent: Option<&str>| {
        entry["uuid"] = id.into();
        entry["parentUuid"] = parent.into();
        entry["sessionId"] = session.into();
        format!("{entry}\n")
    };
    fs::create_dir_all(place.join("projects/-p")).unwrap();
    let history = [
        stored(called("t1", "TaskCreate", json!({"subject": "Think"})), first, None),
        stored(finished("t1", "Task #1 created successfully: Think"), second, Some(first)),
    ];
    fs::write(place.join(format!("projects/-p/{session}.jsonl")), history.concat()).unwrap();
    let update = called("t2", "TaskUpdate", json!({"taskId": "1", "status": "completed"}));
    let result = finished("t2", "Updated task #1 status");
    let lines = format!("user\"'*)\n        echo '{update}'\n        echo '{result}'\n");
    let cli = script(place, &CLI.replacen("user\"'*)\n", &lines, 1));

    let mut agent = Command::new(env!("CARGO_BIN_EXE_agentwire-acp"));
    agent.arg("--cli").arg(cli).env("CLAUDE_CONFIG_DIR", place).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut agent = agent.spawn().unwrap();
    let resume = json!({"sessionId": session, "cwd": place, "mcpServers": []});
    let prompt = json!({"sessionId": session, "prompt": [{"type": "text", "text": "Go on."}]});
    let mut input = agent.stdin.take().unwrap();
    let mut plans = Vec::new();
    let mut output = std::io::BufReader::new(agent.stdout.take().unwrap()).lines();
    let initialize = request("initialize", json!({"protocolVersion": 1}));
    for request in [initialize, request("session/resume", resume), request("session/prompt", prompt)] {
        writeln!(input, "{request}").unwrap();
        let answer = loop {
            let message: Value = serde_json::from_str(&output.next().unwrap().unwrap()).unwrap();
            if message["id"] == 1 {
                break message;
            }
            let update = &message["params"]["update"];
            plans.extend((update["sessionUpdate"] == "plan").then(|| update["entries"].clone()));
        };
        assert!(answer["result"].is_object(), "{answer}");
    }
    drop(input);
    assert!(agent.wait().unwrap().success());
    let [plan] = &plans[..] else { panic!("{plans:?}") };
    assert_eq!((&plan[0]["content"], &plan[0]["status"]), (&json!("Think"), &json!("completed")));
}

#[test]
fn flags_of_the_program_reach_the_cli() {
    let noting = CLI.replacen("while read", "echo \"$*\" > words\nwhile read", 1);
    for (flags, may_bypass, is_untrusted) in [
        (&[][..], false, false),
        (&["--allow-bypass"][..], true, false),
        (&["--untrusted-folder"][..], false, true),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let cli = script(folder.path(), &noting);
        let mut agent = Command::new(env!("CARGO_BIN_EXE_agentwire-acp"));
        agent.args(flags).arg("--cli").arg(cli).env("CLAUDE_CONFIG_DIR", folder.path());
        let mut agent = agent.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut input = agent.stdin.take().unwrap();
        let mut output = std::io::BufReader::new(agent.stdout.take().unwrap()).lines();
        let initialize = request("initialize", json!({"protocolVersion": 1}));
        let opened = request("session/new", json!({"cwd": folder.path(), "mcpServers": []}));
        for request in [initialize, opened] {
            writeln!(input, "{request}").unwrap();
            let answer = loop {
                let message: Value = serde_json::from_str(&output.next().unwrap().unwrap()).unwrap();
                if message["id"] == 1 {
                    break message;
                }
            };
            assert!(answer["result"].is_object(), "{answer}");
        }
        drop(input);
        assert!(agent.wait().unwrap().success());
        let words = fs::read_to_string(folder.path().join("words")).unwrap();
        let has = |flag: &str| words.split_whitespace().any(|word| word == flag);
        assert_eq!(has("--allow-dangerously-skip-permissions"), may_bypass, "{words}");
        for flag in ["--setting-sources=user", "--strict-mcp-config"] {
            assert_eq!(has(flag), is_untrusted, "{flag} in {words}");
        }
    }
}

#[test]
fn program_ends_in_order_at_a_signal() {
    for signal in ["TERM", "INT", "HUP"] {
        let mut agent = Command::new(env!("CARGO_BIN_EXE_agentwire-acp"));
        let mut agent = agent.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut input = agent.stdin.take().unwrap();
        let mut output = std::io::BufReader::new(agent.stdout.take().unwrap()).lines();
        writeln!(input, "{}", request("initialize", json!({"protocolVersion": 1}))).unwrap();
        output.next().unwrap().unwrap();
        Command::new("kill").args(["-s", signal, &agent.id().to_string()]).status().unwrap();
        assert!(agent.wait().unwrap().success(), "{signal}");
    }
}

type Answers = Lines<BufReader<DuplexStream>>;

/// Returns the result of the next answer.
async fn result(lines: &mut Answers) -> Value {
    let mut message = answer(lines).await;
    assert!(message["result"].is_object(), "{message}");
    message["result"].take()
}

/// Returns the next answer.
async fn answer(lines: &mut Answers) -> Value {
    loop {
        let line = lines.next_line().await.unwrap().unwrap();
        let message: Value = serde_json::from_str(&line).unwrap();
        if message["id"] == 1 && message["method"].is_null() {
            return message;
        }
    }
}

/// Answers each request with an empty success, and each prompt with a result.
const CLI: &str = r#"#!/bin/sh
case $1 in --version | -v) echo '2.1.330 (Claude Code)'; exit ;; esac
field() { printf '%s' "$line" | sed "s/.*\"$1\":\"\([^\"]*\)\".*/\1/"; }
answer() {
    echo "{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\",\"request_id\":\"$(field request_id)\",\"response\":$1}}"
}
while read -r line; do
    case $line in
    *'Use a tool'*)
        echo '{"type":"assistant","message":{"id":"m","model":"m","content":[{"type":"tool_use","id":"t","name":"Read","input":{}}]},"parent_tool_use_id":null}'
        kill -KILL $$ ;;
    *'"type":"user"'*)
        echo "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"user_message_uuids\":[\"$(field uuid)\"]}"
        case $line in *'then die'*) kill -KILL $$ ;; esac ;;
    *) answer '{}' ;;
    esac
done
"#;

/// Takes all prompts that are sent within half a second into one turn, and names none in its result, as CLI 2.1.197.
const OLD_CLI: &str = r#"#!/usr/bin/env bash
case $1 in --version | -v) echo '2.1.197 (Claude Code)'; exit ;; esac
while read -r line; do
    case $line in
    *'"type":"user"'*)
        while read -r -t 0.5 line; do :; done
        echo '{"type":"result","subtype":"success","is_error":false}' ;;
    *)
        id=$(printf '%s' "$line" | sed 's/.*"request_id":"\([^"]*\)".*/\1/')
        echo "{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\",\"request_id\":\"$id\",\"response\":{}}}" ;;
    esac
done
"#;
