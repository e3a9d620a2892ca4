//! The reservation of a turn with its tenant.

use restate_sdk::prelude::*;

use agentwire_worker::SessionName;

use super::record::Record;
use crate::{
    tenant::TenantClient,
    wire::{Reserved, Wanted},
};

/// Reserves a turn, and waits while the tenant runs as many turns as it may; `None` if the prompt was cancelled.
pub(super) async fn reserve(
    ctx: &ObjectContext<'_>,
    name: &SessionName,
    budget_usd: Option<f64>,
    record: &mut Record,
) -> Result<Option<Reserved>, TerminalError> {
    let (ticket, reserved) = ctx.awakeable::<Json<Reserved>>();
    // If this prompt is killed, the next one settles the reservation.
    record.reserved = Some(ticket.clone());
    record.save(ctx);
    tenant(ctx, name).reserve(Json(Wanted { ticket, budget_usd })).send();
    let reserved = restate_sdk::select! {
        reserved = reserved => { Some(reserved?.into_inner()) },
        on_cancel => None
    };
    match reserved {
        Some(Ok(_)) => {}
        Some(Err(_)) => record.reserved = None,
        // The tenant may have decided just now.
        None => settle(ctx, name, record, 0.0),
    }
    Ok(reserved)
}

/// Replaces the reservation of a turn by its cost.
pub(super) fn settle(ctx: &ObjectContext<'_>, name: &SessionName, record: &mut Record, cost_usd: f64) {
    if let Some(ticket) = record.reserved.take() {
        tenant(ctx, name).settle(Json((ticket, cost_usd))).send();
    }
}

fn tenant<'a>(ctx: &ObjectContext<'a>, name: &SessionName) -> TenantClient<'a> {
    ctx.object_client::<TenantClient<'_>>(&*name.tenant)
}
