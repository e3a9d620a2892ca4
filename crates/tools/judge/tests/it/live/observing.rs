//! Observed activities with the real CLI: a hook, a permission request and an MCP call, each in order.

use std::collections::BTreeMap;

use agentwire::{
    Activity, Decision, Observation, RawJson, Session,
    hooks::{Hooks, Matcher, PermissionHandler},
    mcp::{McpServers, Server, Tool},
    protocol::hook::{HookReply, PreToolUse},
};

use super::Place;

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn hook_question_and_mcp_call_belong_to_their_tool_uses() {
    let place = Place::scripted(SCRIPT).await;
    let hooks = Hooks::new().on_matching(PreToolUse, Matcher::tools(["Bash"]), async |input, _cx| {
        if input.tool_input.as_str().contains("broken") {
            return Err("out of order");
        }
        let closed = input.tool_input.as_str().contains("closed");
        Ok(if closed { HookReply::deny("not today") } else { HookReply::proceed() })
    });
    let permissions = PermissionHandler::new(async |_, _cx| Decision::allow());
    let schema = RawJson::parse(r#"{"type":"object"}"#).unwrap();
    let ping = Tool::with_schema("ping", "Answers.", &schema, async |_, _cx| "pong").unwrap();
    let server = Server::new("s", "1").with(ping);
    let mut session = Session::builder()
        .options(place.in_project().allowed_tools(["mcp__s__ping"]))
        .hooks(hooks)
        .permissions(permissions)
        .mcp_servers(McpServers::new().with("s", server))
        .connect()
        .await
        .unwrap();
    let mut observations = session.observe();
    session.ask("Go.").await.unwrap().finish().await.unwrap();
    session.close().await.unwrap();
    let mut ended = BTreeMap::new();
    while let Some(observation) = observations.next().await {
        if let Observation::Ended(end) = observation {
            assert!(end.began.input.is_none() && end.output.is_none(), "{end:?}");
            ended.insert(end.began.id, end);
        }
    }
    let path = |id: u64| {
        let mut path = Vec::new();
        let mut at = Some(id);
        while let Some(end) = at.and_then(|id| ended.get(&id)) {
            path.push(format!("{} {}", end.began.activity.name(), end.outcome.as_str()));
            at = end.began.parent;
        }
        path.join(" < ")
    };
    let of_tools = ended.values().filter(|end| {
        matches!(
            &end.began.activity,
            Activity::Hook { .. } | Activity::Permission { .. } | Activity::Mcp { tool: Some(_), .. }
        )
    });
    let of_tools: Vec<_> = of_tools.map(|end| path(end.began.id)).collect();
    let expected = [
        "hook done < tool_use done < turn done < session done",
        "permission allow < tool_use done < turn done < session done",
        "hook deny < tool_use deny < turn done < session done",
        "hook failed < tool_use deny < turn done < session done",
        "mcp done < tool_use done < turn done < session done",
    ];
    assert_eq!(of_tools, expected, "{ended:#?}");
    let totals = ended.values().find_map(|end| end.totals.as_ref()).unwrap();
    assert_eq!(totals.prompts.len(), 1, "{totals:?}");
}

const SCRIPT: &str = r#"{"replies": [
    {"blocks": [{"tool_use": {"name": "Bash", "input": {"command": "touch one.txt", "description": "Make"}}}]},
    {"blocks": [{"tool_use": {"name": "Bash", "input": {"command": "touch closed", "description": "Make"}}}]},
    {"blocks": [{"tool_use": {"name": "Bash", "input": {"command": "touch broken", "description": "Make"}}}]},
    {"blocks": [{"tool_use": {"name": "mcp__s__ping", "input": {}}}]},
    {"blocks": [{"text": "Done."}]}
]}"#;
