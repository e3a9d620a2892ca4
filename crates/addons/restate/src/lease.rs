//! The objects of workers: one for each run of a worker, and one for each pool of workers.

use std::{collections::BTreeMap, time::Duration};

use restate_sdk::prelude::*;

use crate::wire::{Beat, Ended};

/// A run of a worker, by its boot id. It is lost a lease after its last beat.
#[derive(Debug)]
pub(crate) struct Lease;

#[restate_sdk::object(name = "AgentWorker", client_visibility = "pub(crate)")]
impl Lease {
    /// Renews the lease. A run that is lost stays lost.
    #[handler]
    async fn beat(&self, ctx: ObjectContext<'_>, Json(beat): Json<Beat>) -> Result<(), HandlerError> {
        let beats = ctx.get::<u64>(BEATS).await?;
        if beats.is_none() && beat.is_known {
            // For example, the machine was suspended. Other workers may run its sessions, so it must end its processes.
            return Err(TerminalError::new_with_code(410, "the run of the worker is lost").into());
        }
        let beats = beats.unwrap_or(0) + 1;
        ctx.set(BEATS, beats);
        let boot = ctx.key().to_owned();
        if beats == 1 {
            ctx.set(POOL, String::from(beat.pool.clone()));
            ctx.object_client::<PoolClient<'_>>(&*beat.pool)
                .join(Json((boot.clone(), beat.address.into())))
                .send();
        }
        let lease = Duration::from_millis(beat.lease_ms);
        ctx.object_client::<LeaseClient<'_>>(boot).check(beats).send_after(lease);
        Ok(())
    }

    /// Reports the turns as lost, unless the lease has been renewed since the beat of this number.
    #[handler(ingress_private)]
    async fn check(&self, ctx: ObjectContext<'_>, beats: u64) -> Result<(), HandlerError> {
        if ctx.get::<u64>(BEATS).await? != Some(beats) {
            return Ok(());
        }
        if let Some(pool) = ctx.get::<String>(POOL).await? {
            ctx.object_client::<PoolClient<'_>>(pool).leave(ctx.key().to_owned()).send();
        }
        for key in ctx.get_keys().await? {
            if let Some(ticket) = key.strip_prefix(TURN) {
                ctx.resolve_awakeable(ticket, Json(Ended::Lost));
            }
        }
        ctx.clear_all();
        Ok(())
    }

    /// Remembers a turn that may run, by its awakeable.
    #[handler(ingress_private)]
    async fn began(&self, ctx: ObjectContext<'_>, ticket: String) -> Result<(), HandlerError> {
        if ctx.get::<u64>(BEATS).await?.is_some() {
            ctx.set(&format!("{TURN}{ticket}"), true);
        } else {
            ctx.resolve_awakeable(&ticket, Json(Ended::Lost));
        }
        Ok(())
    }

    /// Forgets a turn.
    #[handler(ingress_private)]
    async fn ended(&self, ctx: ObjectContext<'_>, ticket: String) -> Result<(), HandlerError> {
        ctx.clear(&format!("{TURN}{ticket}"));
        Ok(())
    }
}

/// The workers that are not lost, by boot id, with their addresses.
#[derive(Debug)]
pub(crate) struct Pool;

#[restate_sdk::object(name = "AgentPool", client_visibility = "pub(crate)")]
impl Pool {
    #[handler(ingress_private)]
    async fn join(
        &self,
        ctx: ObjectContext<'_>,
        Json((boot, address)): Json<(String, String)>,
    ) -> Result<(), HandlerError> {
        let mut workers = workers(ctx.get(WORKERS).await?);
        workers.insert(boot, address);
        ctx.set(WORKERS, Json(workers));
        Ok(())
    }

    #[handler(ingress_private)]
    async fn leave(&self, ctx: ObjectContext<'_>, boot: String) -> Result<(), HandlerError> {
        let mut workers = workers(ctx.get(WORKERS).await?);
        workers.remove(&boot);
        ctx.set(WORKERS, Json(workers));
        Ok(())
    }

    #[handler]
    async fn list(
        &self,
        ctx: SharedObjectContext<'_>,
    ) -> Result<Json<BTreeMap<String, String>>, HandlerError> {
        Ok(Json(workers(ctx.get(WORKERS).await?)))
    }
}

fn workers(stored: Option<Json<BTreeMap<String, String>>>) -> BTreeMap<String, String> {
    stored.map(Json::into_inner).unwrap_or_default()
}

const BEATS: &str = "beats";
const POOL: &str = "pool";
const TURN: &str = "turn/";
const WORKERS: &str = "workers";
