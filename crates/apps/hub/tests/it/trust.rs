//! Servers of a project's files count once they are trusted.

use std::{
    fs,
    sync::{Arc, Mutex},
};

use agentwire_hub::{
    Approval, CallDecision, CallError, CallRequest, Change, DisabledBy, Hub, HubBuilder, ServerState,
    config::{Origin, ProblemKind, ServerConfig, Sources, Variables},
};
use futures_util::StreamExt as _;
use serde_json::{Value, json};

use crate::{
    call::text,
    project::{DEBOUNCE, Project, is_connected, until},
    server::{LIMIT, program},
};

fn is_untrusted(hub: &Hub, server: &str) -> bool {
    let state = hub.server(server).map(|server| server.state);
    matches!(state, Some(ServerState::Disabled(DisabledBy::Untrusted)))
}

fn trusting_nothing(builder: HubBuilder) -> HubBuilder {
    builder.trust_projects(false)
}

fn fingerprint(hub: &Hub, server: &str) -> String {
    hub.untrusted().iter().find(|untrusted| untrusted.name.as_str() == server).unwrap().fingerprint()
}

#[tokio::test]
async fn servers_of_a_project_do_not_start_and_none_of_their_variables_is_looked_up() {
    let project = Project::new();
    let looked_up = Arc::new(Mutex::new(Vec::new()));
    let environment = {
        let looked_up = Arc::clone(&looked_up);
        move |name: &str| {
            looked_up.lock().unwrap().push(name.to_owned());
            None
        }
    };
    let asked = Arc::clone(&looked_up);
    let variables = Variables::new().environment(environment).input(move |input| {
        asked.lock().unwrap().push(input.id);
        async { None }
    });
    for (file, name) in [(".mcp.json", "a"), (".roo/mcp.json", "b"), (".vscode/mcp.json", "c")] {
        let server = json!({
            "env": {"T": "${env:T} ${input:i} ${T}"}, "envFile": "${env:T}", "watchPaths": ["${T}/x"],
            "alwaysAllow": ["*"],
        });
        let remote = json!({"type": "http", "url": "http://127.0.0.1:9/${T}", "headers": {"X": "${env:T}"}});
        project
            .configure(file, json!({ name: project.server(name, server), format!("{name}-http"): remote }));
    }
    let hub = project.hub(|builder| trusting_nothing(builder).variables(variables)).await;
    for server in ["a", "b", "c", "a-http", "b-http", "c-http"] {
        assert!(is_untrusted(&hub, server), "{:?}", hub.server(server).unwrap().state);
        let refused = hub.call(CallRequest::new(server, "echo")).await;
        assert!(
            matches!(refused, Err(CallError::ServerDisabled { by: DisabledBy::Untrusted, .. })),
            "{refused:?}"
        );
    }
    // No other call that normally starts a server starts these.
    for server in ["a", "b", "c", "a-http", "b-http", "c-http"] {
        hub.restart(server).await;
        hub.refresh(server).await;
    }
    hub.set_enabled(false);
    hub.set_enabled(true);
    hub.reload().await;
    #[cfg(feature = "auth")]
    {
        let request = agentwire_hub::auth::AuthorizationRequest::new("http://127.0.0.1:9/callback");
        let refused = hub.authorize("a-http", request).await.map(drop).unwrap_err();
        assert!(refused.to_string().contains("not trusted"), "{refused}");
    }
    assert_eq!(hub.untrusted().len(), 6);
    assert_eq!(*looked_up.lock().unwrap(), Vec::<String>::new());
    assert_eq!(project.starts("a"), Vec::<String>::new());
}

#[tokio::test]
async fn server_starts_when_its_definition_is_trusted_and_ends_when_that_changes() {
    let project = Project::new();
    let write = |more: Value| project.configure(".mcp.json", json!({"a": project.server("a", more)}));
    write(json!({}));
    let hub = project.hub(trusting_nothing).await;
    assert!(!hub.trust("0".repeat(64)) && is_untrusted(&hub, "a"));
    let first = fingerprint(&hub, "a");
    assert!(hub.trust(&first));
    until(&hub, || is_connected(&hub, "a")).await;
    assert!(hub.untrusted().is_empty());
    for change in [
        json!({"alwaysAllow": ["echo"]}),
        json!({"env": {"TOKEN": "${env:SECRET}"}}),
        json!({"cwd": "/"}),
        json!({"envFile": "env"}),
        json!({"args": ["-c", "exit 1"]}),
        json!({"watchPaths": ["x"]}),
        json!({"enabledTools": ["*"]}),
    ] {
        write(change.clone());
        until(&hub, || is_untrusted(&hub, "a")).await;
        assert_ne!(fingerprint(&hub, "a"), first, "{change}");
        // The definition is the same, so it is still trusted.
        write(json!({}));
        until(&hub, || is_connected(&hub, "a")).await;
    }
    // These changes do not allow any call that was not allowed before.
    write(json!({"timeout": 5, "disabled": true}));
    until(&hub, || matches!(hub.server("a").unwrap().state, ServerState::Disabled(DisabledBy::Config))).await;
    write(json!({"timeout": 7}));
    until(&hub, || is_connected(&hub, "a")).await;
}

#[tokio::test]
async fn untrusted_project_server_does_not_replace_the_users_server() {
    let project = Project::new();
    project.configure("global.json", json!({"a": project.server("user", json!({}))}));
    project.configure(".mcp.json", json!({"a": project.server("project", json!({"alwaysAllow": ["*"]}))}));
    let hub = project.hub(trusting_nothing).await;
    assert!(is_connected(&hub, "a"));
    assert!(matches!(hub.server("a").unwrap().configured.origin, Origin::Global(_)));
    let denied = hub.call(CallRequest::new("a", "echo").arguments(json!({"text": "x"}))).await;
    assert!(matches!(denied, Err(CallError::Denied { .. })), "{denied:?}");
    let [problem] = &hub.problems()[..] else { panic!("{:?}", hub.problems()) };
    assert_eq!(problem.kind, ProblemKind::TakesName { of: project.path("global.json").into() });
    assert_eq!((project.starts("user").len(), project.starts("project").len()), (1, 0));

    assert!(hub.trust(fingerprint(&hub, "a")));
    until(&hub, || is_connected(&hub, "a") && !project.starts("project").is_empty()).await;
    assert!(matches!(hub.server("a").unwrap().configured.origin, Origin::Project(_)));
    // When the definition changes, the user's server gets the name back.
    project.configure(".mcp.json", json!({"a": project.server("other", json!({}))}));
    until(&hub, || project.starts("user").len() == 2).await;
    assert_eq!(project.starts("other").len(), 0);
}

#[tokio::test]
async fn edit_by_the_program_stays_trusted() {
    let project = Project::new();
    project.configure(".mcp.json", json!({"a": project.server("a", json!({"disabledTools": ["echo"]}))}));
    let approval = Approval::asked(async |_| CallDecision::AllowAlways);
    let hub = project.hub(|builder| trusting_nothing(builder).approval(approval)).await;
    hub.set_tool_enabled("a", "other", false).await.unwrap();
    assert!(is_untrusted(&hub, "a"), "an edit trusts nothing");
    hub.trust(fingerprint(&hub, "a"));
    until(&hub, || is_connected(&hub, "a")).await;
    let mut events = hub.events();
    hub.set_tool_enabled("a", "echo", true).await.unwrap();
    for _ in 0..2 {
        let outcome = hub.call(CallRequest::new("a", "echo").arguments(json!({"text": "x"}))).await;
        assert_eq!(text(&outcome.unwrap()), "x");
    }
    assert!(project.read(".mcp.json").contains("alwaysAllow"));
    hub.set_always_allow("a", "echo", false).await.unwrap();
    // So does a server that the program adds.
    hub.add(project.path(".roo/mcp.json"), "b", ServerConfig::new(program())).await.unwrap();
    until(&hub, || is_connected(&hub, "b")).await;
    hub.close().await;
    let mut states = Vec::new();
    while let Some(Some(event)) = futures_util::FutureExt::now_or_never(events.next()) {
        if let (Change::State(state), Some("a")) = (event.change, event.server.as_ref().map(|it| it.as_str()))
        {
            states.push(state);
        }
    }
    assert!(!states.iter().any(|state| matches!(state, ServerState::Disabled(_))), "{states:?}");
}

#[tokio::test]
async fn edit_does_not_trust_other_changes_of_the_file() {
    let project = Project::new();
    let file = project.path(".mcp.json");
    project.configure(".mcp.json", json!({"a": project.server("a", json!({}))}));
    // The debounce is so long that only the hub's own edit reads the file.
    let hub = project.hub(|builder| trusting_nothing(builder).debounce(LIMIT * 10)).await;
    hub.trust(fingerprint(&hub, "a"));
    until(&hub, || is_connected(&hub, "a")).await;
    fs::write(&file, project.read(".mcp.json").replace("\"args\"", "\"alwaysAllow\": [\"*\"], \"args\""))
        .unwrap();
    hub.set_always_allow("a", "echo", true).await.unwrap();
    assert!(is_untrusted(&hub, "a"));
}

#[tokio::test]
async fn program_can_trust_definitions_from_the_start_or_a_whole_folder() {
    let project = Project::new();
    let servers = json!({"a": project.server("a", json!({})), "b": project.server("b", json!({}))});
    project.configure(".mcp.json", servers);
    let hub = project.hub(trusting_nothing).await;
    let known = fingerprint(&hub, "a");
    hub.close().await;
    let hub = project.hub(|builder| trusting_nothing(builder).trusted([known.clone()])).await;
    assert!(is_connected(&hub, "a") && is_untrusted(&hub, "b"));
    hub.close().await;
    let hub = project.hub(|builder| builder).await;
    assert!(is_connected(&hub, "a") && is_connected(&hub, "b"));
    hub.close().await;
    // Applying a configuration that was read without a hub does not make it trusted.
    let hub = Hub::builder().debounce(DEBOUNCE).build();
    hub.apply(Sources::new().project(project.folder.path()).read());
    assert!(is_untrusted(&hub, "a") && is_untrusted(&hub, "b"));
    // The same server in another folder has another definition.
    let other = Project::new();
    other.write(".mcp.json", &project.read(".mcp.json"));
    let hub = other.hub(|builder| trusting_nothing(builder).trusted([known.clone()])).await;
    assert!(is_untrusted(&hub, "a"));
}
