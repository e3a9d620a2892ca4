//! A client for the official conformance suite of MCP (`@modelcontextprotocol/conformance`): a program with a hub of one
//! server, which does what a scenario wants a program to do. `cargo xtask mcp-conformance` runs it.
//!
//! The suite gives the address of the server as last argument, and the scenario in the environment.

#![expect(clippy::print_stderr, reason = "it is a program for a terminal")]

use std::{error::Error, process::ExitCode, time::Duration};

use agentwire_hub::{
    Approval, CallError, CallRequest, ClientHandlers, Hub, PromptRequest, ReadRequest, ServerState,
    auth::{AuthorizationRequest, Grant, IdentityProvider, Loopback, RegisteredClient, SigningKey},
    config::{Endpoint, Launch, Patterns, ServerConfig, Sources},
};
use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction, Tool};
use serde_json::{Map, Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

type Failure = Box<dyn Error + Send + Sync>;

#[tokio::main]
async fn main() -> ExitCode {
    let Some(url) = std::env::args().next_back().filter(|last| last.starts_with("http")) else {
        eprintln!("usage: conformance_client URL");
        return ExitCode::from(2);
    };
    let scenario = std::env::var("MCP_CONFORMANCE_SCENARIO").unwrap_or_default();
    let context = std::env::var("MCP_CONFORMANCE_CONTEXT").unwrap_or_default();
    let context = serde_json::from_str(&context).unwrap_or_default();
    let grant = grant(&scenario, &context);
    let result = match grant {
        Ok(grant) => play(url, grant, &scenario, &context).await,
        Err(error) => Err(error),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let mut cause = Some(&*error as &(dyn Error + 'static));
            while let Some(error) = cause {
                eprintln!("{error}");
                cause = error.source();
            }
            ExitCode::FAILURE
        }
    }
}

async fn play(url: String, grant: Option<Grant>, scenario: &str, context: &Value) -> Result<(), Failure> {
    let hub = hub(url, grant);
    let result = run(&hub, scenario, context).await;
    hub.close().await;
    result
}

/// Returns the grant of the scenarios without a user.
fn grant(scenario: &str, context: &Value) -> Result<Option<Grant>, Failure> {
    let text = |name: &str| context[name].as_str().unwrap_or_default().to_owned();
    let with_secret = || RegisteredClient::with_secret(text("client_id"), text("client_secret"));
    // The suite issues one token for all audiences.
    let issued = |name: &str| {
        let token = text(name);
        move |_| std::future::ready(Ok::<_, Failure>(token.clone()))
    };
    Ok(match scenario {
        "auth/client-credentials-basic" => Some(Grant::client_credentials(with_secret())),
        "auth/client-credentials-jwt" => {
            let key = SigningKey::from_pem(&text("private_key_pem"))?;
            Some(Grant::client_credentials(RegisteredClient::with_key(text("client_id"), key)))
        }
        "auth/wif-jwt-bearer" => {
            Some(Grant::jwt_bearer(RegisteredClient::public(text("client_id")), issued("valid_jwt")))
        }
        "auth/enterprise-managed-authorization" => {
            let client = RegisteredClient::public(text("idp_client_id"));
            let provider = IdentityProvider::new(text("idp_token_endpoint"), client, issued("idp_id_token"));
            Some(Grant::enterprise(with_secret(), provider))
        }
        _ => None,
    })
}

/// Returns a hub with the server of the suite. Its user agrees to everything.
fn hub(url: String, grant: Option<Grant>) -> Hub {
    let mut builder = Hub::builder();
    if let Some(grant) = grant {
        builder = builder.grant(&url, grant);
    }
    let mut config = ServerConfig::new(Launch::Http(Endpoint::new(url)));
    config.always_allow = Patterns::from_iter(["*"]);
    let accepts = ClientHandlers::new().elicitation(async |question| accepted(&question.request));
    builder
        .sources(Sources::new().server(SERVER, config))
        .handlers(accepts)
        .approval(Approval::default())
        .build()
}

/// Returns the form with all defaults, as a user submits it unchanged.
fn accepted(question: &ElicitRequestParams) -> ElicitResult {
    let mut form = Map::new();
    if let ElicitRequestParams::FormElicitationParams { requested_schema, .. } = question {
        let schema = serde_json::to_value(requested_schema).unwrap_or_default();
        for (name, field) in schema["properties"].as_object().into_iter().flatten() {
            if let Some(default) = field.get("default") {
                form.insert(name.clone(), default.clone());
            }
        }
    }
    let mut accepted = ElicitResult::new(ElicitationAction::Accept);
    accepted.content = Some(Value::Object(form));
    accepted
}

/// Connects, calls every tool, and authorizes if required.
async fn run(hub: &Hub, scenario: &str, context: &Value) -> Result<(), Failure> {
    hub.wait_until_ready(LIMIT).await;
    let mut times = 0;
    loop {
        let refused = match hub.server(SERVER).ok_or("the server is gone")?.state {
            ServerState::Connected { .. } => match use_all(hub, context).await {
                Ok(()) => return Ok(()),
                Err(error) if scenario.starts_with("auth/") => error.into(),
                // The suite's own checks decide whether this is a failure.
                Err(error) => {
                    eprintln!("{error}");
                    return Ok(());
                }
            },
            ServerState::NeedsAuthentication { challenge } => {
                format!("the server refuses us: {}", challenge.unwrap_or_default()).into()
            }
            other => return Err(format!("{other:?}").into()),
        };
        if times == AUTHORIZATIONS {
            return Err(refused);
        }
        times += 1;
        authorize(hub, context).await?;
    }
}

/// Makes the calls of the scenario, or calls every tool, and uses all resources and prompts of the server.
async fn use_all(hub: &Hub, context: &Value) -> Result<(), CallError> {
    let catalog = hub.catalog(SERVER).unwrap_or_default();
    for call in context["toolCalls"].as_array().into_iter().flatten() {
        let name = call["name"].as_str().unwrap_or_default();
        call_tool(hub, name, call["arguments"].clone()).await?;
    }
    // If a tool takes the schema of another tool, the suite calls only that one.
    let echo = |tool: &&Tool| tool.input_schema.get("properties").is_some_and(|all| !all["schema"].is_null());
    let has_echo = catalog.tools().iter().any(|tool| echo(&tool));
    let is_wanted = |tool: &&Tool| context["toolCalls"].is_null() && (!has_echo || echo(tool));
    for tool in catalog.tools().iter().filter(is_wanted) {
        call_tool(hub, &tool.name, arguments(tool, catalog.tools())).await?;
    }
    for resource in catalog.resources() {
        hub.read_resource(ReadRequest::new(SERVER, &*resource.uri)).await?;
    }
    for prompt in catalog.prompts() {
        hub.get_prompt(PromptRequest::new(SERVER, &*prompt.name)).await?;
    }
    Ok(())
}

async fn call_tool(hub: &Hub, name: &str, arguments: Value) -> Result<(), CallError> {
    let outcome = hub.call(CallRequest::new(SERVER, name).arguments(arguments)).await?;
    eprintln!("{name}: {:?}", outcome.content);
    Ok(())
}

/// Returns a value for each required argument of a tool.
fn arguments(tool: &Tool, tools: &[Tool]) -> Value {
    let empty = Map::new();
    let properties = tool.input_schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    let arguments = properties.iter().map(|(name, schema)| {
        let value = match (name.as_str(), schema["type"].as_str()) {
            // The suite checks how the client read the schema of its other tool.
            ("schema", _) => {
                let other = tools.iter().find(|other| other.name != tool.name);
                other.map_or(Value::Null, |other| Value::Object((*other.input_schema).clone()))
            }
            (_, Some("number" | "integer")) => json!(2),
            (_, Some("boolean")) => json!(true),
            (_, Some("array")) => json!([]),
            (_, Some("object")) => json!({}),
            _ => json!("text"),
        };
        (name.clone(), value)
    });
    Value::Object(arguments.collect())
}

/// Authorizes with a user that agrees at once.
async fn authorize(hub: &Hub, context: &Value) -> Result<(), Failure> {
    let loopback = Loopback::bind().await?;
    let mut request = AuthorizationRequest::new(loopback.redirect_uri())
        .with_client_metadata_url("https://conformance-test.local/client-metadata.json");
    if let Some(id) = context["client_id"].as_str() {
        request = request.with_preregistered_client(id);
    }
    if let Some(secret) = context["client_secret"].as_str() {
        request = request.with_client_secret(secret);
    }
    let authorization = hub.authorize(SERVER, request).await?;
    let url = authorization.url().to_owned();
    let comes_back = async { Ok(loopback.redirect(&authorization).await?) };
    let both = async { tokio::try_join!(comes_back, open(url)) };
    let (redirect, ()) = tokio::time::timeout(LIMIT, both).await??;
    authorization.finish(&redirect).await?;
    Ok(())
}

/// Plays the browser: opens a page of this machine, and follows redirects.
async fn open(mut url: String) -> Result<(), Failure> {
    loop {
        let rest = url.strip_prefix("http://").ok_or("not a page of this machine")?;
        let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let mut page = TcpStream::connect(host).await?;
        let request = format!("GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
        page.write_all(request.as_bytes()).await?;
        let mut answer = String::new();
        page.read_to_string(&mut answer).await?;
        let location = answer.lines().take_while(|line| !line.is_empty()).find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("location").then(|| value.trim().to_owned())
        });
        match location {
            Some(next) => url = next,
            None => return Ok(()),
        }
    }
}

const SERVER: &str = "suite";
const LIMIT: Duration = Duration::from_secs(20);
/// The maximum number of authorizations, for a server that always requires another one.
const AUTHORIZATIONS: u32 = 3;
