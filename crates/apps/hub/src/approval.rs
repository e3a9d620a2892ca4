//! Who allows calls that the configuration does not.

use std::{fmt, panic::AssertUnwindSafe, pin::Pin, sync::Arc, time::Duration};

use futures_util::FutureExt;
use rmcp::model::Tool;
use serde_json::Value;
use tokio::time::timeout;

use crate::{DeniedBy, ServerName};

/// What a call uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Use {
    /// A tool.
    Tool,
    /// A resource.
    Resource,
    /// A prompt.
    Prompt,
}

/// Who allows calls that the configuration (`alwaysAllow`) does not: nobody by default.
///
/// That is also asked about a tool that the configuration allows, and whose description, schema or annotations are others
/// than when its server first listed it in this run.
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
    who: Who,
}

#[derive(Clone, Default)]
enum Who {
    #[default]
    Nobody,
    Everything,
    Asked {
        ask: Ask,
        limit: Duration,
    },
}

type Ask = Arc<dyn Fn(Proposed) -> Pin<Box<dyn Future<Output = CallDecision> + Send>> + Send + Sync>;

impl Approval {
    /// Denies what the configuration does not allow.
    pub fn denied() -> Self {
        Self::default()
    }

    /// Allows every call: for programs that ask elsewhere.
    pub fn allowed() -> Self {
        Self { who: Who::Everything }
    }

    /// Asks a handler, each time and for many calls at the same time, within five minutes.
    ///
    /// A handler that panics, or does not answer in time, has denied the call.
    /// Its future is dropped when the time is over, and when the caller waits for the call no more.
    pub fn asked<F, Fut>(handler: F) -> Self
    where
        F: Fn(Proposed) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = CallDecision> + Send + 'static,
    {
        Self { who: Who::Asked { ask: Arc::new(move |call| Box::pin(handler(call))), limit: LIMIT } }
    }

    /// With so much time for an answer.
    pub fn within(mut self, time: Duration) -> Self {
        if let Who::Asked { limit, .. } = &mut self.who {
            *limit = time;
        }
        self
    }

    /// Whether there is no question about any call.
    pub(crate) fn is_allowed(&self) -> bool {
        matches!(self.who, Who::Everything)
    }

    pub(crate) async fn decide(&self, proposed: Proposed) -> Result<Approved, Denied> {
        let denied = |by| Err(Denied { by, reason: None });
        let (ask, limit) = match &self.who {
            Who::Nobody => {
                let reason = proposed.has_changed.then(|| CHANGED.to_owned());
                return Err(Denied { by: DeniedBy::Default, reason });
            }
            Who::Everything => return Ok(Approved::Once),
            Who::Asked { ask, limit } => (ask, *limit),
        };
        // The closure may panic as well as what it gives.
        let asked = AssertUnwindSafe(async { ask(proposed).await }).catch_unwind();
        match timeout(limit, asked).await {
            Ok(Ok(CallDecision::Allow)) => Ok(Approved::Once),
            Ok(Ok(CallDecision::AllowAlways)) => Ok(Approved::Always),
            Ok(Ok(CallDecision::Deny { reason })) => Err(Denied { by: DeniedBy::Handler, reason }),
            Ok(Err(_)) => denied(DeniedBy::Panic),
            Err(_) => denied(DeniedBy::TimeLimit(limit)),
        }
    }
}

impl fmt::Debug for Approval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.who {
            Who::Nobody => f.write_str("Approval::denied()"),
            Who::Everything => f.write_str("Approval::allowed()"),
            Who::Asked { limit, .. } => write!(f, "Approval::asked(…).within({limit:?})"),
        }
    }
}

/// A call that needs to be allowed: server and tool are there, and the arguments fit; or a resource that is to be read.
#[derive(Clone)]
#[non_exhaustive]
pub struct Proposed {
    /// The server.
    pub server: ServerName,
    /// What is to be used: a tool, or a resource.
    pub what: Use,
    /// The name of the tool, or the URI of the resource.
    pub name: Box<str>,
    /// The tool, as its server describes it; `None` where a resource is to be read.
    pub tool: Option<Tool>,
    /// The arguments, as they will be sent; `null` where a resource is to be read.
    pub arguments: Arc<Value>,
    /// Who calls, as the [request](crate::CallRequest::caller) says.
    pub caller: Arc<str>,
    /// Whether the configuration allows the tool (`alwaysAllow`), and its server has changed the description, the schema or
    /// the annotations since.
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

/// Whether a call is allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallDecision {
    /// This time.
    Allow,
    /// From now on: the tool is added to `alwaysAllow` of its server, where the configuration can be written. It is asked
    /// about again when its server changes its description, schema or annotations. A resource is allowed once.
    AllowAlways,
    /// It is not.
    Deny {
        /// Why, for whoever called.
        reason: Option<String>,
    },
}

impl CallDecision {
    /// Denies the call; the caller gets the reason.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::Deny { reason: Some(reason.into()) }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Approved {
    Once,
    Always,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Denied {
    pub(crate) by: DeniedBy,
    pub(crate) reason: Option<String>,
}

const CHANGED: &str = "its server has changed the tool since it was allowed";
/// A person may be away; nobody waits for ever.
const LIMIT: Duration = Duration::from_secs(300);
