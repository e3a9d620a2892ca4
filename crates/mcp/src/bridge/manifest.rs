//! Asks a server what the CLI would ask it, so that the handshake can say it.

use agentwire_hooks::{catch_panic, excerpt};
use agentwire_protocol::{RawJson, control::SdkServerManifest};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{ServerInstance, rpc};

/// What a server says of itself and of its tools, as the CLI would hear it.
///
/// # Errors
///
/// Why it can't be told, in words for a log; the CLI then asks by itself.
pub(super) async fn capture(session: &dyn ServerInstance) -> Result<SdkServerManifest, String> {
    let hello = Hello { protocol_version: VERSION, capabilities: Empty {}, client_info: CLIENT };
    let initialized = ask(session, "initialize", hello).await?;
    let Ok(said) = initialized.decode::<Said>() else {
        return Err("its answer to `initialize` is no object of the right shape".to_owned());
    };
    if *said.protocol_version != *VERSION {
        return Err(format!("it speaks version {} of MCP, not {VERSION}", excerpt(&said.protocol_version)));
    }
    tell(session, "notifications/initialized").await?;
    let tools = match said.capabilities.tools {
        None | Some(Value::Null) => None,
        Some(_) => Some(ask(session, "tools/list", Empty {}).await?),
    };
    // A list of several pages is the CLI's to read.
    let tools = tools.filter(|tools| tools.decode::<Page>().is_ok_and(|page| page.next_cursor.is_none()));
    Ok(SdkServerManifest::new(initialized, tools))
}

/// Asks a server, and gives the result as it wrote it.
async fn ask(session: &dyn ServerInstance, method: &str, params: impl Serialize) -> Result<RawJson, String> {
    let request = rpc::request(&format!("agentwire-{method}"), method, params);
    let answer = catch_panic(async { session.handle(request).await }).await;
    let answer = answer.map_err(|_| format!("it panicked at `{method}`"))?;
    let answer = answer.ok_or_else(|| format!("it gave no answer to `{method}`"))?;
    match answer.decode::<Answer>() {
        Ok(Answer { result: Some(result) }) => Ok(result),
        _ => Err(format!("it answered `{method}` with an error")),
    }
}

async fn tell(session: &dyn ServerInstance, method: &str) -> Result<(), String> {
    let told = catch_panic(async { session.handle(rpc::notification(method, None)).await }).await;
    told.map(|_| ()).map_err(|_| format!("it panicked at `{method}`"))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Hello {
    protocol_version: &'static str,
    capabilities: Empty,
    client_info: Client,
}

#[derive(Serialize)]
struct Client {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct Empty {}

#[derive(Deserialize)]
struct Answer {
    result: Option<RawJson>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Said {
    protocol_version: Box<str>,
    #[serde(default)]
    capabilities: Capabilities,
}

#[derive(Default, Deserialize)]
struct Capabilities {
    tools: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page {
    next_cursor: Option<Value>,
}

/// The version that the CLI asks servers of its host for; with another it uses no manifest.
const VERSION: &str = "2025-11-25";
/// As the CLI names itself, since it is the CLI that the answers are for.
const CLIENT: Client = Client { name: "claude-code", version: env!("CARGO_PKG_VERSION") };
