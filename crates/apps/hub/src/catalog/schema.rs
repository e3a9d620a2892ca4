//! Validates arguments and structured content against the schemas of tools.

use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicUsize, Ordering},
        mpsc::{RecvTimeoutError, SyncSender, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};

use agentwire_net::excerpt;
use jsonschema::Validator;
use rmcp::model::JsonObject;
use serde_json::Value;
use tokio::task::spawn_blocking;

use crate::{Violation, size::size};

/// A schema, compiled at its first use.
///
/// Servers choose their schemas, and a short schema can take years to validate. So work runs on a thread with a time
/// limit, except for the verdict about a short value and a plain schema. The search for violations can be slow even there.
#[derive(Debug)]
pub(crate) struct Schema(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    text: Arc<JsonObject>,
    is_plain: bool,
    compiled: OnceLock<Result<Validator, Violation>>,
    /// Threads that still work after their time limit.
    late: AtomicUsize,
}

/// What a validating thread reports.
enum Report {
    /// The value is invalid; the violations follow.
    Invalid,
    Violations(Vec<Violation>),
}

impl Schema {
    pub(super) fn new(text: &Arc<JsonObject>) -> Self {
        let (compiled, late) = (OnceLock::new(), AtomicUsize::new(0));
        Self(Arc::new(Shared { text: Arc::clone(text), is_plain: is_plain(text), compiled, late }))
    }

    /// Returns the violations of a value as [`violations`](Self::violations) does, without blocking the runtime.
    pub(crate) async fn check(&self, tool: &str, value: &Value) -> Vec<Violation> {
        if self.is_soon_valid(tool, value) {
            return Vec::new();
        }
        let (name, value) = (tool.to_owned(), value.clone());
        self.apart(move |schema| schema.violations(&name, &value)).await.unwrap_or_else(late)
    }

    /// Returns whether values can be validated, without blocking the runtime.
    pub(crate) async fn can_check(&self, tool: &str) -> bool {
        if self.0.is_plain || self.0.compiled.get().is_some() {
            return self.0.compiled(tool).is_ok();
        }
        let name = tool.to_owned();
        self.apart(move |schema| schema.is_usable(&name)).await.unwrap_or(false)
    }

    /// Runs work that waits for a validating thread; `None` if the runtime shuts down.
    ///
    /// The work goes on if the future is dropped, so that late threads are counted.
    async fn apart<T: Send + 'static>(&self, work: impl FnOnce(&Self) -> T + Send + 'static) -> Option<T> {
        let schema = Self(Arc::clone(&self.0));
        spawn_blocking(move || work(&schema)).await.ok()
    }

    /// Returns whether a short value is valid for a plain schema.
    fn is_soon_valid(&self, tool: &str, value: &Value) -> bool {
        self.0.is_plain
            && size(value) <= PLAIN_SIZE
            && self.0.compiled(tool).is_ok_and(|validator| validator.is_valid(value))
    }

    /// Returns the violations of a value, at most 21 of them.
    ///
    /// No value is valid for a schema that does not compile, or with which it can't be validated in time.
    /// If only the search for the violations takes too long, the result is a single violation without a place.
    fn violations(&self, tool: &str, value: &Value) -> Vec<Violation> {
        if self.is_soon_valid(tool, value) {
            return Vec::new();
        }
        let (name, value) = (tool.to_owned(), value.clone());
        self.in_time(move |schema, reports| match schema.compiled(&name) {
            Err(why) => reports.send(Report::Violations(vec![why.clone()])).is_ok(),
            Ok(validator) if validator.is_valid(&value) => {
                reports.send(Report::Violations(Vec::new())).is_ok()
            }
            Ok(validator) => {
                reports.send(Report::Invalid).is_ok()
                    && reports.send(Report::Violations(all(validator, &value))).is_ok()
            }
        })
    }

    /// Returns whether values can be validated.
    fn is_usable(&self, tool: &str) -> bool {
        if self.0.is_plain {
            return self.0.compiled(tool).is_ok();
        }
        let tool = tool.to_owned();
        let compiled = self.in_time(move |schema, reports| {
            let why = schema.compiled(&tool).err().cloned();
            reports.send(Report::Violations(why.into_iter().collect())).is_ok()
        });
        compiled.is_empty()
    }

    /// Runs work on a thread and waits for its last report, for no longer than the time limit.
    ///
    /// A thread can't be cancelled. While one of this schema is late, or many are, no other is started.
    fn in_time(
        &self,
        work: impl FnOnce(&Shared, &SyncSender<Report>) -> bool + Send + 'static,
    ) -> Vec<Violation> {
        let deadline = Instant::now() + TIME_LIMIT;
        if self.0.late.load(Ordering::Acquire) > 0 || LATE.load(Ordering::Acquire) >= MAX_LATE {
            return late();
        }
        // Without a buffer, a report is either received or fails to be sent.
        let (sender, reports) = sync_channel(0);
        let shared = Arc::clone(&self.0);
        let working = move || {
            if !work(&shared, &sender) {
                shared.late.fetch_sub(1, Ordering::AcqRel);
                LATE.fetch_sub(1, Ordering::AcqRel);
            }
        };
        if thread::Builder::new().name("mcp-schema".to_owned()).spawn(working).is_err() {
            return late();
        }
        let mut is_invalid = false;
        loop {
            match reports.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(Report::Violations(violations)) => return violations,
                Ok(Report::Invalid) => is_invalid = true,
                Err(RecvTimeoutError::Disconnected) => return late(),
                Err(RecvTimeoutError::Timeout) => break,
            }
        }
        // Before the receiver is dropped: the thread counts down once it finds that.
        self.0.late.fetch_add(1, Ordering::AcqRel);
        LATE.fetch_add(1, Ordering::AcqRel);
        drop(reports);
        match is_invalid {
            true => vec![Violation::whole("it does not fit the schema, which is too intricate to say where")],
            false => late(),
        }
    }
}

fn late() -> Vec<Violation> {
    vec![Violation::whole("it can't be checked against the schema in time")]
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
        let schema = Value::Object((*self.text).clone());
        // Offline, regardless of features that other crates enable: a schema must not cause requests.
        jsonschema::options().offline().build(&schema).map_err(|error| error.to_string())
    }
}

/// Returns whether the schema is short, and has no keyword that can make validation slow.
fn is_plain(schema: &JsonObject) -> bool {
    fn is_bounded((key, value): (&String, &Value)) -> bool {
        !UNBOUNDED.contains(&key.as_str()) && is_bounded_value(value)
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

/// Threads of all schemas that still work after their time limit.
static LATE: AtomicUsize = AtomicUsize::new(0);
const MAX_LATE: usize = 8;
const TIME_LIMIT: Duration = Duration::from_millis(900);
/// The largest schema, in bytes of JSON.
const MAX_SIZE: usize = 1 << 20;
/// The length of a plain schema and of a value for it, in bytes of JSON.
const PLAIN_SIZE: usize = 4096;
/// The keywords that repeat parts of a schema, and those with regular expressions or parsers.
const UNBOUNDED: [&str; 8] = [
    "$dynamicRef",
    "$recursiveRef",
    "$ref",
    "format",
    "pattern",
    "patternProperties",
    "unevaluatedItems",
    "unevaluatedProperties",
];
const MAX_VIOLATIONS: usize = 20;
/// The longest text, in bytes, that may quote the value.
const MAX_QUOTED: usize = 200;

#[cfg(test)]
mod tests;
