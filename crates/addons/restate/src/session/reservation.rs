//! The reservation of a turn with its tenant.

use restate_sdk::prelude::*;

use agentwire_worker::SessionName;

use crate::{
    tenant::TenantClient,
    wire::{Reserved, Wanted},
};

/// Reserves a turn, and waits while the tenant runs as many turns as it may; `None` if the prompt was cancelled.
pub(super) async fn reserve(
    ctx: &ObjectContext<'_>,
    name: &SessionName,
    budget_usd: Option<f64>,
) -> Result<Option<Reserved>, TerminalError> {
    let (ticket, reserved) = ctx.awakeable::<Json<Reserved>>();
    let mut reserved = std::pin::pin!(reserved);
    tenant(ctx, name).reserve(Json(Wanted { ticket: ticket.clone(), budget_usd })).send();
    restate_sdk::select! {
        reserved = &mut reserved => { return Ok(Some(reserved?.into_inner())) },
        on_cancel => {}
    }
    // The tenant may have decided just now.
    tenant(ctx, name).withdraw(ticket).send();
    loop {
        restate_sdk::select! {
            reserved = &mut reserved => {
                if let Ok(budget_usd) = reserved?.into_inner() {
                    settle(ctx, name, budget_usd, 0.0);
                }
                return Ok(None)
            },
            on_cancel => {}
        }
    }
}

/// Replaces the reservation of a turn by its cost.
pub(super) fn settle(ctx: &ObjectContext<'_>, name: &SessionName, budget_usd: Option<f64>, cost_usd: f64) {
    tenant(ctx, name).settle(Json((budget_usd, cost_usd))).send();
}

fn tenant<'a>(ctx: &ObjectContext<'a>, name: &SessionName) -> TenantClient<'a> {
    ctx.object_client::<TenantClient<'_>>(&*name.tenant)
}
