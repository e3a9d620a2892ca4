//! Approval of calls that the configuration does not allow.

use std::{fmt, panic::AssertUnwindSafe, sync::Arc, time::Duration};

use futures_util::FutureExt;
use rmcp::model::Tool;
use serde_json::Value;
use tokio::time::timeout;

use crate::{DeniedBy, Rule, ServerName, Use, handlers::Handler};

/// The approval of calls that the configuration (`alwaysAllow`) does not allow. By default they are denied.
///
/// A tool that the configuration allows needs approval too once its title, description, schemas or annotations differ from
/// when its server first listed it in this run.
///
/// ```
/// use agentwire_hub::{Approval, CallDecision};
///
/// let approval = Approval::asked(async |call| {
///     println!("{} wants to use {} of {}", call.caller, call.name, call.server);
///     CallDecision::deny("not today")
/// });
/// ```
#[derive(Clone, Default)]
pub struct Approval {
    policy: Policy,
}

/// The decision about calls without a rule in the configuration.
#[derive(Clone, Default)]
enum Policy {
    #[default]
    Deny,
    Allow,
    Ask {
        ask: Handler<Proposed, CallDecision>,
        limit: Duration,
    },
}

impl Approval {
    /// Denies all calls that the configuration does not allow.
    pub fn denied() -> Self {
        Self::default()
    }

    /// Allows all calls, for programs that ask elsewhere.
    pub fn allowed() -> Self {
        Self { policy: Policy::Allow }
    }

    /// Calls a handler for each call, concurrently, with a time limit of five minutes.
    ///
    /// A handler that panics or exceeds the limit denies the call.
    /// Its future is dropped after the limit, and when the caller drops the call.
    pub fn asked<F, Fut>(handler: F) -> Self
    where
        F: Fn(Proposed) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = CallDecision> + Send + 'static,
    {
        Self { policy: Policy::Ask { ask: Arc::new(move |call| Box::pin(handler(call))), limit: LIMIT } }
    }

    /// Sets the time limit for an answer.
    pub fn within(mut self, time: Duration) -> Self {
        if let Policy::Ask { limit, .. } = &mut self.policy {
            *limit = time;
        }
        self
    }

    /// Returns whether all calls are allowed.
    pub(crate) fn is_allowed(&self) -> bool {
        matches!(self.policy, Policy::Allow)
    }

    /// Returns the rule that allows the call.
    pub(crate) async fn decide(&self, proposed: Proposed) -> Result<Rule, Denied> {
        let denied = |by| Err(Denied { by, reason: None });
        let (ask, limit) = match &self.policy {
            Policy::Deny => {
                let reason = proposed.has_changed.then(|| CHANGED.to_owned());
                return Err(Denied { by: DeniedBy::Default, reason });
            }
            Policy::Allow => return Ok(Rule::Program),
            Policy::Ask { ask, limit } => (ask, *limit),
        };
        // The closure itself may panic too.
        let asked = AssertUnwindSafe(async { ask(proposed).await }).catch_unwind();
        match timeout(limit, asked).await {
            Ok(Ok(CallDecision::Allow)) => Ok(Rule::Allowed),
            Ok(Ok(CallDecision::AllowAlways)) => Ok(Rule::AllowedAlways),
            Ok(Ok(CallDecision::Deny { reason })) => Err(Denied { by: DeniedBy::Handler, reason }),
            Ok(Err(_)) => denied(DeniedBy::Panic),
            Err(_) => denied(DeniedBy::TimeLimit(limit)),
        }
    }
}

impl fmt::Debug for Approval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.policy {
            Policy::Deny => f.write_str("Approval::denied()"),
            Policy::Allow => f.write_str("Approval::allowed()"),
            Policy::Ask { limit, .. } => write!(f, "Approval::asked(…).within({limit:?})"),
        }
    }
}

/// A call that needs approval. Server and tool exist, and the arguments are valid.
#[derive(Clone)]
#[non_exhaustive]
pub struct Proposed {
    /// The server.
    pub server: ServerName,
    /// The target: a tool, or a resource.
    pub what: Use,
    /// The name of the tool, or the URI of the resource.
    pub name: Box<str>,
    /// The tool as its server describes it; `None` for a resource.
    pub tool: Option<Tool>,
    /// The arguments to send; `null` for a resource.
    pub arguments: Arc<Value>,
    /// The caller, from the [request](crate::CallRequest::caller).
    pub caller: Arc<str>,
    /// Whether the configuration allows the tool (`alwaysAllow`), but its server has changed its title, description, schemas
    /// or annotations since.
    pub has_changed: bool,
}

// Arguments may be secrets.
impl fmt::Debug for Proposed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Proposed")
            .field("server", &self.server)
            .field("what", &self.what)
            .field("name", &self.name)
            .field("caller", &self.caller)
            .finish_non_exhaustive()
    }
}

/// The decision about a call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallDecision {
    /// Allows this call.
    Allow,
    /// Allows this and later calls: the tool is added to `alwaysAllow` of its server if the configuration can be
    /// written. After a change of its title, description, schemas or annotations it needs approval again. A resource is
    /// allowed once.
    AllowAlways,
    /// Denies the call.
    Deny {
        /// The reason for the caller.
        reason: Option<String>,
    },
}

impl CallDecision {
    /// Denies the call with a reason for the caller.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::Deny { reason: Some(reason.into()) }
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Denied {
    pub(crate) by: DeniedBy,
    pub(crate) reason: Option<String>,
}

const CHANGED: &str = "its server has changed the tool since it was allowed";
/// The user may be away, but a call must not wait indefinitely.
const LIMIT: Duration = Duration::from_secs(300);
