//! Checks a tool's input and output against its schemas, which come from the server's own `tools/list`.

mod list;
mod output_schema;
mod schema;
mod violations;

use std::{
    borrow::Cow,
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use agentwire_control::Lock;
use agentwire_protocol::RawJson;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::OnceCell;

use crate::{
    ServerInstance, ServerPolicy, ToolOutput,
    rpc::{self, RpcError},
};
use output_schema::OutputCheck;
use schema::{Objection, Schema};

/// The schemas of a server's tools in one session: listed at the first call, and again after the list changed.
#[derive(Debug, Default)]
pub(crate) struct Schemas {
    current: Lock<Arc<OnceCell<Tools>>>,
    requests: AtomicU64,
    changed: AtomicBool,
}

type Tools = HashMap<Box<str>, ToolSchemas>;

/// The schemas of one tool.
#[derive(Debug)]
struct ToolSchemas {
    input: Schema,
    output: Option<Arc<Schema>>,
}

impl Schemas {
    /// Forgets all schemas, since the list of tools has changed.
    pub(crate) fn forget(&self) {
        self.changed.store(true, Ordering::Release);
        *self.current.lock() = Arc::default();
    }

    /// Returns whether the list of tools has ever changed.
    pub(crate) fn have_changed(&self) -> bool {
        self.changed.load(Ordering::Acquire)
    }

    /// Checks a `tools/call`; `Err` is the response if the tool must not be called.
    ///
    /// A call of an unknown tool passes, since the server refuses it with its own error.
    pub(crate) async fn check(
        &self,
        server: &dyn ServerInstance,
        policy: &ServerPolicy,
        id: &RawJson,
        call: &RawJson,
    ) -> Result<OutputCheck, RawJson> {
        let Ok(Message { params: CallParams { name, arguments } }) = serde_json::from_str(call.as_str())
        else {
            return Err(RpcError::unfit("tools/call").response(id));
        };
        if policy.denies(&name) {
            // An older CLI does not know the policy and would call the tool.
            return Err(rpc::result(id, ToolOutput::error(DENIED)));
        }
        let failed = |why: String| rpc::error(id, rpc::INTERNAL_ERROR, &why);
        let mut tools = self.current();
        if !self.load(&tools, server).await.map_err(failed)?.contains_key(&*name) {
            // A server may have added a tool without a notification.
            self.forget_if(&tools);
            tools = self.current();
        }
        let Some(schemas) = self.load(&tools, server).await.map_err(failed)?.get(&*name) else {
            return Ok(OutputCheck(None));
        };
        match schemas.input.admit(&name, arguments.map(RawValue::get)) {
            Ok(()) => Ok(OutputCheck(schemas.output.clone().map(|schema| (name.into(), schema)))),
            Err(Objection::Unchecked(why)) => Err(failed(why)),
            Err(Objection::Unfit(text)) => Err(rpc::result(id, ToolOutput::error(text))),
        }
    }

    fn current(&self) -> Arc<OnceCell<Tools>> {
        Arc::clone(&self.current.lock())
    }

    /// Forgets these schemas, unless a concurrent call already has.
    fn forget_if(&self, tools: &Arc<OnceCell<Tools>>) {
        let mut current = self.current.lock();
        if Arc::ptr_eq(&current, tools) {
            *current = Arc::default();
        }
    }

    async fn load<'a>(
        &self,
        tools: &'a OnceCell<Tools>,
        server: &dyn ServerInstance,
    ) -> Result<&'a Tools, String> {
        let next_id = || format!("agentwire-tools-{}", self.requests.fetch_add(1, Ordering::Relaxed));
        tools.get_or_try_init(|| list::tools(server, next_id)).await
    }
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    params: CallParams<'a>,
}

#[derive(Deserialize)]
struct CallParams<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
}

/// The text that the model reads after a call that the policy denies.
const DENIED: &str = "this tool may not be called: the program that offers it denies it";
