//! Tests of the command line and of a limit of the tool's input.

use std::process::Stdio;

use rmcp::object;

use crate::client::{Client, installed, program};

#[tokio::test]
async fn the_command_line_is_checked() {
    let wrong = program(&[], &["--kernels"]).output().await.unwrap();
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("unexpected argument '--kernels'"));
    let alone = program(&[], &[]).stdin(Stdio::null()).output().await.unwrap();
    assert_eq!(alone.status.code(), Some(1));
    let stderr = String::from_utf8_lossy(&alone.stderr);
    assert!(
        stderr.starts_with("agentwire-jupyter-mcp: the input ended before the handshake: an MCP client"),
        "{stderr}"
    );
    let data = installed("mine", r#"{"argv": ["true"], "display_name": "Of Mine", "language": "none"}"#);
    let listed = program(&[data.path()], &["--list-kernels"]).output().await.unwrap();
    assert!(listed.status.success());
    assert!(String::from_utf8_lossy(&listed.stdout).lines().any(|line| line == "mine (Of Mine)"));
}

#[tokio::test]
async fn tool_schemas_describe_the_inputs() {
    let data = installed("mine", r#"{"argv": ["true"], "display_name": "Of Mine", "language": "none"}"#);
    let client = Client::start(program(&[data.path()], &["--kernel", "mine", "--longest-time", "10"])).await;
    let tools = client.service.list_all_tools().await.unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    assert_eq!(names, ["execute_code", "get_kernel_info", "interrupt_kernel", "restart_kernel"]);
    for timeout in [0.0, -1.0, 11.0, 1e300] {
        let answer = client.call("execute_code", object!({ "code": "1", "timeout": timeout })).await;
        assert!(answer.is_error);
        assert!(answer.text.ends_with("seconds: give more than 0 and at most 10"), "{}", answer.text);
    }
    client.close().await;
}
