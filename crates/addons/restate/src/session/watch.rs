//! The entry of a turn in the lease of its worker, which reports to the turn that the worker is lost.

use restate_sdk::prelude::*;

use crate::{lease::LeaseClient, wire::Ended};

/// The entry of one turn.
pub(super) struct Watch<'a, 'ctx> {
    ctx: &'a ObjectContext<'ctx>,
    boot: &'a str,
    ticket: &'a str,
    is_on: bool,
}

impl<'a, 'ctx> Watch<'a, 'ctx> {
    pub(super) fn new(ctx: &'a ObjectContext<'ctx>, boot: &'a str, ticket: &'a str) -> Self {
        Self { ctx, boot, ticket, is_on: false }
    }

    /// Enters the turn. If the worker is lost already, the turn gets the report at once.
    pub(super) fn start(&mut self) {
        if !self.is_on {
            self.lease().began(self.ticket.to_owned()).send();
            self.is_on = true;
        }
    }

    /// Removes the turn, and returns its end (`None` if it was cancelled), and its cost in US dollars.
    pub(super) fn end(self, ended: Ended, is_cancelled: bool) -> (Option<Ended>, f64) {
        self.stop();
        let cost_usd = ended.cost_usd();
        ((!is_cancelled).then_some(ended), cost_usd)
    }

    /// Removes the turn.
    pub(super) fn stop(self) {
        if self.is_on {
            self.lease().ended(self.ticket.to_owned()).send();
        }
    }

    fn lease(&self) -> LeaseClient<'ctx> {
        self.ctx.object_client::<LeaseClient<'_>>(self.boot)
    }
}
