//! The check of a tool's input and output against its schemas, which come from the server's own `tools/list`.

mod list;
mod promise;
mod violations;

use std::{
    borrow::Cow,
    collections::HashMap,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use agentwire_protocol::RawJson;
use jsonschema::Validator;
use serde::Deserialize;
use serde_json::{Value, value::RawValue};
use tokio::sync::OnceCell;

use crate::{Session, rpc};
use promise::Promise;
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
        session: &dyn Session,
        id: &RawJson,
        call: &RawJson,
    ) -> Result<Promise, RawJson> {
        let Ok(Message { params: Call { name, arguments } }) = serde_json::from_str(call.as_str()) else {
            return Ok(Promise::none());
        };
        let failed = |why: String| rpc::error(id, rpc::INTERNAL_ERROR, &why);
        let mut tools = self.current();
        if !self.load(&tools, session).await.map_err(failed)?.contains_key(&*name) {
            // A server may have a new tool and not have said so.
            self.forget_if(&tools);
            tools = self.current();
        }
        let Some(schemas) = self.load(&tools, session).await.map_err(failed)?.get(&*name) else {
            return Ok(Promise::none());
        };
        let validator = schemas.input.compiled().map_err(|error| {
            failed(format!("the input schema of the tool `{name}` can't be used: {error}"))
        })?;
        let input = match arguments.map(|arguments| serde_json::from_str(arguments.get())) {
            None | Some(Ok(Value::Null)) => Value::Object(serde_json::Map::new()),
            Some(Ok(input)) => input,
            Some(Err(error)) => {
                return Err(failed(format!("the input of the tool `{name}` can't be read: {error}")));
            }
        };
        match violations::list(validator, &input, "the input itself") {
            None => Ok(Promise::of(name.into(), schemas.output.clone())),
            Some(violations) => {
                let text = format!(
                    "The input does not match the schema of the tool `{name}`; it was not called.{violations}"
                );
                Err(rpc::result(id, ToolError::new(text)))
            }
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

    async fn load<'a>(&self, tools: &'a OnceCell<Tools>, session: &dyn Session) -> Result<&'a Tools, String> {
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

/// A schema, compiled when it is first used.
#[derive(Debug)]
struct Schema {
    text: Value,
    compiled: OnceLock<Result<Validator, String>>,
}

impl Schema {
    fn new(text: Value) -> Self {
        Self { text, compiled: OnceLock::new() }
    }

    fn compiled(&self) -> Result<&Validator, &str> {
        // Offline, whatever features another crate turns on: a schema must not make the host fetch anything.
        let compile = || jsonschema::options().offline().build(&self.text).map_err(|error| error.to_string());
        self.compiled.get_or_init(compile).as_ref().map_err(String::as_str)
    }
}
