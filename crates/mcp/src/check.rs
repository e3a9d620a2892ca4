//! The check of a tool's input and output against its schemas, which come from the server's own `tools/list`.

mod list;
mod promise;
mod quick;
mod schema;
mod violations;

use std::{
    borrow::Cow,
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use agentwire_protocol::RawJson;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::OnceCell;

use crate::{ServerInstance, rpc};
use promise::OutputCheck;
#[cfg(feature = "rmcp")]
pub(crate) use promise::hold;
pub(crate) use schema::{Objection, Schema};
pub(crate) use violations::ToolError;

/// The tools of a server in one session, listed when they are first needed, and again after they changed.
#[derive(Debug, Default)]
pub(crate) struct Schemas {
    current: Mutex<Arc<OnceCell<Tools>>>,
    requests: AtomicU64,
    changed: AtomicBool,
}

type Tools = HashMap<Box<str>, ToolSchemas>;

/// The schemas of a tool.
#[derive(Debug)]
struct ToolSchemas {
    input: Schema,
    output: Option<Arc<Schema>>,
}

impl Schemas {
    /// The tools have changed.
    pub(crate) fn forget(&self) {
        self.changed.store(true, Ordering::Release);
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = Arc::default();
    }

    /// Whether the tools have ever changed.
    pub(crate) fn have_changed(&self) -> bool {
        self.changed.load(Ordering::Acquire)
    }

    /// Checks a `tools/call`: `Err` is the response where the tool must not be called.
    ///
    /// A call that names no tool, or one that the server does not list, is the server's to refuse.
    pub(crate) async fn check(
        &self,
        session: &dyn ServerInstance,
        id: &RawJson,
        call: &RawJson,
    ) -> Result<OutputCheck, RawJson> {
        let Ok(Message { params: Call { name, arguments } }) = serde_json::from_str(call.as_str()) else {
            return Ok(OutputCheck::none());
        };
        let failed = |why: String| rpc::error(id, rpc::INTERNAL_ERROR, &why);
        let mut tools = self.current();
        if !self.load(&tools, session).await.map_err(failed)?.contains_key(&*name) {
            // A server may have a new tool and not have said so.
            self.forget_if(&tools);
            tools = self.current();
        }
        let Some(schemas) = self.load(&tools, session).await.map_err(failed)?.get(&*name) else {
            return Ok(OutputCheck::none());
        };
        match schemas.input.admit(&name, arguments.map(RawValue::get)) {
            Ok(_) => Ok(OutputCheck::of(name.into(), schemas.output.clone())),
            Err(Objection::Unchecked(why)) => Err(failed(why)),
            Err(Objection::Unfit(text)) => Err(rpc::result(id, ToolError::new(text))),
        }
    }

    fn current(&self) -> Arc<OnceCell<Tools>> {
        Arc::clone(&self.current.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Forgets these tools, unless others have forgotten them already.
    fn forget_if(&self, tools: &Arc<OnceCell<Tools>>) {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if Arc::ptr_eq(&current, tools) {
            *current = Arc::default();
        }
    }

    async fn load<'a>(
        &self,
        tools: &'a OnceCell<Tools>,
        session: &dyn ServerInstance,
    ) -> Result<&'a Tools, String> {
        let next_id = || format!("agentwire-tools-{}", self.requests.fetch_add(1, Ordering::Relaxed));
        tools.get_or_try_init(|| list::tools(session, next_id)).await
    }
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    params: Call<'a>,
}

#[derive(Deserialize)]
struct Call<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
}
