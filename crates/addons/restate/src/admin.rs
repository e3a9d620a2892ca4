//! Requests to the admin interface of Restate.

use std::{collections::BTreeMap, time::Duration};

use agentwire_worker::SessionName;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};

use crate::{
    ingress::{Ingress, IngressError},
    session::RECORD,
};

/// A client of the admin interface of Restate.
#[derive(Clone, Debug)]
pub struct Admin {
    nodes: Ingress,
}

impl Admin {
    /// Returns a client for the admin addresses of one node, or of each node of a cluster, such as
    /// `http://127.0.0.1:9070`.
    ///
    /// # Errors
    ///
    /// [`IngressError::Address`], and [`IngressError::Client`] if the machine's certificates can't be used.
    pub fn new<T: Into<Box<str>>>(addresses: impl IntoIterator<Item = T>) -> Result<Self, IngressError> {
        Ok(Self { nodes: Ingress::new(addresses)? })
    }

    /// Registers the address at which [`handlers`](crate::handlers) are served.
    ///
    /// # Errors
    ///
    /// [`IngressError::Unreachable`] while no node is ready or Restate can't call the handlers, and
    /// [`IngressError::Refused`] if others are registered at the address.
    pub async fn register(&self, handlers: &str) -> Result<(), IngressError> {
        let registered: Value =
            self.nodes.post("deployments", &json!({"uri": handlers}), None, LIMIT).await?;
        tracing::debug!("registered: {registered}");
        Ok(())
    }

    /// Returns the names of all sessions, each with the number of its prompts that have not ended.
    ///
    /// # Errors
    ///
    /// [`IngressError`].
    pub async fn sessions(&self) -> Result<BTreeMap<SessionName, usize>, IngressError> {
        let mut sessions = BTreeMap::new();
        // A session has a record, which the first prompt stores when it starts, or prompts that have not ended.
        let sql = format!(
            "SELECT service_key AS session, 0 AS prompts FROM state \
            WHERE service_name = 'AgentSession' AND key = '{RECORD}' \
            UNION ALL \
            SELECT target_service_key AS session, count(*) AS prompts FROM sys_invocation \
            WHERE target_service_name = 'AgentSession' AND target_handler_name = 'prompt' AND status <> 'completed' \
            GROUP BY target_service_key"
        );
        for row in self.query::<Row>(&sql).await? {
            if let Some((tenant, session)) = row.session.split_once('/') {
                *sessions.entry(SessionName::new(tenant, session)).or_default() += row.prompts;
            }
        }
        Ok(sessions)
    }

    /// Runs an SQL query on Restate's tables, such as `sys_invocation` and `state`, and returns its rows.
    ///
    /// # Errors
    ///
    /// [`IngressError`].
    pub async fn query<T: DeserializeOwned>(&self, sql: &str) -> Result<Vec<T>, IngressError> {
        let found: Rows<T> = self.nodes.post("query", &json!({"query": sql}), None, LIMIT).await?;
        Ok(found.rows)
    }
}

#[derive(Deserialize)]
struct Rows<T> {
    rows: Vec<T>,
}

#[derive(Deserialize)]
struct Row {
    session: String,
    prompts: usize,
}

/// How long one request may take.
const LIMIT: Duration = Duration::from_secs(30);
