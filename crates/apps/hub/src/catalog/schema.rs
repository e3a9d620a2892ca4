//! Validates arguments and structured content against the schemas of tools.

mod applied;

use std::{
    sync::{Arc, Mutex, OnceLock, Weak},
    thread,
    time::Duration,
};

use agentwire_net::excerpt;
use jsonschema::Validator;
use rmcp::model::JsonObject;
use serde_json::Value;
use tokio::{
    sync::{Semaphore, watch},
    time::timeout,
};

use crate::{Violation, lock::locked, size::size};

/// A schema, compiled at its first use.
///
/// Servers choose their schemas, and a short schema can take years to validate. So work runs on a thread with a time
/// limit, except for the verdict about a short value and a plain schema. The search for violations can be slow even there.
#[derive(Debug)]
pub(crate) struct Schema {
    shared: Arc<Shared>,
    threads: Threads,
}

/// Limits the threads of the schemas of one server, so that late ones do not delay the checks of other servers. Clones share
/// the limit.
#[derive(Clone, Debug)]
pub(super) struct Threads(Arc<Semaphore>);

impl Default for Threads {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(MAX_THREADS)))
    }
}

#[derive(Debug)]
struct Shared {
    text: Arc<JsonObject>,
    is_plain: bool,
    /// How many parts of the schema can apply to one value, nested in each other.
    levels: usize,
    compiled: OnceLock<Result<Validator, Violation>>,
    /// Upgradable while a thread works after its time limit.
    late: Mutex<Weak<()>>,
}

impl Schema {
    pub(super) fn new(text: &Arc<JsonObject>, threads: &Threads) -> Self {
        let (compiled, late) = (OnceLock::new(), Mutex::default());
        let (is_plain, levels) = (is_plain(text), levels(text));
        let shared = Shared { text: Arc::clone(text), is_plain, levels, compiled, late };
        Self { shared: Arc::new(shared), threads: threads.clone() }
    }

    /// Returns the violations of a value, at most 21 of them.
    ///
    /// No value is valid for a schema that does not compile, or with which it can't be validated in time.
    /// If only the search for the violations takes too long, the result is a single violation without a place.
    pub(crate) async fn violations(&self, tool: &str, value: &Value) -> Vec<Violation> {
        let is_short = self.shared.is_plain && size(value) <= PLAIN_SIZE;
        if is_short && self.shared.compiled(tool).is_ok_and(|validator| validator.is_valid(value)) {
            return Vec::new();
        }
        let levels = self.shared.levels;
        if levels <= MAX_LEVELS && levels * depth(value) > MAX_LEVELS_OF_VALUE {
            return vec![Violation::whole("it is nested too deeply to be checked against the schema")];
        }
        let (name, value) = (tool.to_owned(), value.clone());
        self.in_time(move |schema, reports| match schema.compiled(&name) {
            Err(why) => _ = reports.send(vec![why.clone()]),
            Ok(validator) if validator.is_valid(&value) => _ = reports.send(Vec::new()),
            Ok(validator) => {
                let why = "it does not fit the schema, which is too intricate to say where";
                let has_receiver = reports.send(vec![Violation::whole(why)]).is_ok();
                let text = Value::Object((*schema.text).clone());
                if has_receiver && applied::is_within(MAX_ERRORS, &text, &value) {
                    _ = reports.send(all(validator, &value));
                }
            }
        })
        .await
    }

    /// Returns whether values can be validated.
    pub(crate) async fn is_usable(&self, tool: &str) -> bool {
        if self.shared.is_plain {
            return self.shared.compiled(tool).is_ok();
        }
        let tool = tool.to_owned();
        let compile = move |schema: &Shared, reports: &watch::Sender<Vec<Violation>>| {
            _ = reports.send(schema.compiled(&tool).err().cloned().into_iter().collect());
        };
        self.in_time(compile).await.is_empty()
    }

    /// Runs work on a thread, and returns its last report within the time limit.
    ///
    /// A thread can't be cancelled, even by dropping the future. While one of this schema is late, no other is started.
    async fn in_time(
        &self,
        work: impl FnOnce(&Shared, &watch::Sender<Vec<Violation>>) + Send + 'static,
    ) -> Vec<Violation> {
        let late = vec![Violation::whole("it can't be checked against the schema in time")];
        if locked(&self.shared.late).strong_count() > 0 {
            return late;
        }
        let (sender, mut reports) = watch::channel(late);
        let (shared, alive) = (Arc::clone(&self.shared), Arc::new(()));
        let thread = Arc::downgrade(&alive);
        let run = async {
            let permit = Arc::clone(&self.threads.0).acquire_owned().await;
            let working = move || {
                let _until_the_end = (permit, alive);
                work(&shared, &sender);
            };
            let builder = thread::Builder::new().name("mcp-schema".to_owned()).stack_size(STACK);
            if builder.spawn(working).is_ok() {
                while reports.changed().await.is_ok() {}
            }
        };
        if timeout(TIME_LIMIT, run).await.is_err() {
            *locked(&self.shared.late) = thread;
        }
        reports.borrow().clone()
    }
}

impl Shared {
    fn compiled(&self, tool: &str) -> Result<&Validator, &Violation> {
        let compiled = self.compiled.get_or_init(|| {
            self.compile().map_err(|why| {
                let why = excerpt(&why).into_owned();
                tracing::warn!(tool, error = %why, "a schema of a tool can't be used");
                Violation::whole(&format!(
                    "they can't be checked, as the schema of the tool can't be used: {why}"
                ))
            })
        });
        compiled.as_ref()
    }

    fn compile(&self) -> Result<Validator, String> {
        let bytes = size(&*self.text);
        if bytes > MAX_SIZE {
            return Err(format!("it has {bytes} bytes, more than {MAX_SIZE}"));
        }
        if self.levels > MAX_LEVELS {
            return Err("it has too many references".to_owned());
        }
        let schema = Value::Object((*self.text).clone());
        // Offline, regardless of features that other crates enable: a schema must not cause requests.
        jsonschema::options().offline().build(&schema).map_err(|error| error.to_string())
    }
}

/// Returns whether the schema is short, and has no keyword that can make validation slow.
fn is_plain(schema: &JsonObject) -> bool {
    fn is_bounded((key, value): (&String, &Value)) -> bool {
        let key = key.as_str();
        !REFERENCES.contains(&key) && !UNBOUNDED.contains(&key) && is_bounded_value(value)
    }
    fn is_bounded_value(value: &Value) -> bool {
        match value {
            Value::Object(fields) => fields.iter().all(is_bounded),
            Value::Array(items) => items.iter().all(is_bounded_value),
            _ => true,
        }
    }
    size(schema) <= PLAIN_SIZE && schema.iter().all(is_bounded)
}

/// Returns the depth of the schema plus the depths of all its references: the parts on the way to a reference apply
/// within each other, and so do those of its target, up to the next reference.
fn levels(schema: &JsonObject) -> usize {
    fn references((key, value): (&String, &Value), depth: usize) -> usize {
        usize::from(REFERENCES.contains(&key.as_str())) * depth + inside(value, depth + 1)
    }
    fn inside(value: &Value, depth: usize) -> usize {
        match value {
            Value::Object(fields) => fields.iter().map(|field| references(field, depth)).sum(),
            Value::Array(items) => items.iter().map(|item| inside(item, depth + 1)).sum(),
            _ => 0,
        }
    }
    let deepest = schema.values().map(depth).max().unwrap_or(0);
    schema.iter().map(|field| references(field, 1)).sum::<usize>() + deepest
}

/// Returns how deeply a value is nested; 1 for a text or a number.
fn depth(value: &Value) -> usize {
    1 + match value {
        Value::Object(fields) => fields.values().map(depth).max().unwrap_or(0),
        Value::Array(items) => items.iter().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

fn all(validator: &Validator, value: &Value) -> Vec<Violation> {
    let mut violations: Vec<_> =
        validator.iter_errors(value).take(MAX_VIOLATIONS + 1).map(violation).collect();
    if violations.len() > MAX_VIOLATIONS {
        violations.truncate(MAX_VIOLATIONS);
        violations.push(Violation::whole("and more"));
    }
    violations
}

fn violation(error: jsonschema::ValidationError<'_>) -> Violation {
    let mut problem = error.to_string();
    if problem.len() > MAX_QUOTED {
        // It quotes the value.
        problem = error.masked().to_string();
    }
    Violation { pointer: error.instance_path().as_str().to_owned(), problem: excerpt(&problem).into_owned() }
}

/// The threads of one server. There is no limit for all servers: a late thread can't be ended, and would block the others.
const MAX_THREADS: usize = 2;
const TIME_LIMIT: Duration = Duration::from_millis(900);
/// The largest schema, in bytes of JSON.
const MAX_SIZE: usize = 1 << 20;
/// The limits for the levels of a schema, and for those times the depth of a value. Each level takes a part of the stack,
/// and an overflow would end the process. Without optimisation it is up to 600 bytes in a check, and 180 in the drop of a
/// compiled schema, which may happen on a thread with 2 MiB.
const MAX_LEVELS: usize = 6_000;
const MAX_LEVELS_OF_VALUE: usize = 60_000;
/// The stack of a check, in bytes. Only the used part takes memory, but all of it takes address space.
const STACK: usize = 128 << 20;
/// The length of a plain schema and of a value for it, in bytes of JSON.
const PLAIN_SIZE: usize = 4096;
/// The keywords that apply other parts of a schema.
const REFERENCES: [&str; 3] = ["$dynamicRef", "$recursiveRef", "$ref"];
/// The other keywords that repeat work, and those with regular expressions or parsers.
const UNBOUNDED: [&str; 5] =
    ["format", "pattern", "patternProperties", "unevaluatedItems", "unevaluatedProperties"];
const MAX_VIOLATIONS: usize = 20;
/// The limit for the bytes of the parts that apply within a value: each may become an error with a copy of the part, and all
/// are made before the first is read.
const MAX_ERRORS: usize = 8_000_000;
/// The longest text, in bytes, that may quote the value.
const MAX_QUOTED: usize = 200;

#[cfg(test)]
mod tests;
