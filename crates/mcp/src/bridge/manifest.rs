//! Queries a server as the CLI would, for the manifests of the handshake.

use agentwire_control::panics::{catch_panic, excerpt};
use agentwire_protocol::{RawJson, control::SdkServerManifest};
use serde_json::{Value, json};

use crate::{
    ServerInstance,
    rpc::{self, Response},
};

/// Returns the server's `initialize` result and list of tools.
/// The error is the reason for the log, if the server fails; the CLI then queries it.
pub(super) async fn capture(server: &dyn ServerInstance) -> Result<SdkServerManifest, String> {
    // The CLI's own name, since the answers are for the CLI.
    let client = json!({"name": "claude-code", "version": env!("CARGO_PKG_VERSION")});
    let initialize = json!({"protocolVersion": VERSION, "capabilities": {}, "clientInfo": client});
    let initialized = request(server, "initialize", initialize).await?;
    let reply: Value = initialized.decode().unwrap_or_default();
    let Some(version) = reply["protocolVersion"].as_str() else {
        return Err("its answer to `initialize` is not an object of the right shape".to_owned());
    };
    if version != VERSION {
        return Err(format!("it speaks version {} of MCP, not {VERSION}", excerpt(version)));
    }
    notify(server, "notifications/initialized").await?;
    let tools = match &reply["capabilities"]["tools"] {
        Value::Null => None,
        _ => Some(request(server, "tools/list", json!({})).await?),
    };
    // The CLI reads a list of several pages itself.
    let is_whole = |tools: &RawJson| {
        tools.decode::<Value>().is_ok_and(|page| page.is_object() && page["nextCursor"].is_null())
    };
    let tools = tools.filter(is_whole);
    Ok(SdkServerManifest::new(initialized, tools))
}

/// Sends a request to the server, and returns the result unchanged.
async fn request(server: &dyn ServerInstance, method: &str, params: Value) -> Result<RawJson, String> {
    let message = rpc::request(&format!("agentwire-{method}"), method, params);
    let answer = catch_panic(async { server.handle(message).await }).await;
    let answer = answer.map_err(|_| format!("it panicked at `{method}`"))?;
    let answer = answer.ok_or_else(|| format!("it did not answer `{method}`"))?;
    match answer.decode() {
        Ok(Response { result: Some(result), .. }) => Ok(result),
        Ok(Response { error: Some(error), .. }) => {
            Err(format!("it answered `{method}` with an error: {}", excerpt(&error.message)))
        }
        _ => Err(format!("its answer to `{method}` has no result")),
    }
}

async fn notify(server: &dyn ServerInstance, method: &str) -> Result<(), String> {
    let notified = catch_panic(async { server.handle(rpc::notification(method, None)).await }).await;
    notified.map(|_| ()).map_err(|_| format!("it panicked at `{method}`"))
}

/// The version that the CLI requests from in-process servers; it ignores a manifest of another version.
const VERSION: &str = "2025-11-25";

#[cfg(test)]
mod tests {
    use agentwire_protocol::RawJson;

    use super::capture;
    use crate::{ResponseFuture, ServerInstance, rpc};

    struct Refuses;

    impl ServerInstance for Refuses {
        fn handle(&self, message: RawJson) -> ResponseFuture {
            Box::pin(async move { Some(rpc::error(&rpc::id(&message), rpc::INTERNAL_ERROR, "no database")) })
        }
    }

    #[tokio::test]
    async fn failure_contains_the_servers_own_text() {
        let why = capture(&Refuses).await.unwrap_err();
        assert_eq!(why, "it answered `initialize` with an error: no database");
    }
}
