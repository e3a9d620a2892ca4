//! The object of a tenant: its limits, and the turns that wait for one to end.

use std::collections::{BTreeMap, VecDeque};

use agentwire_worker::{Ledger, Refusal};
use restate_sdk::prelude::*;
use serde::{Deserialize, Serialize};

use crate::wire::{Limits, Reserved, Wanted};

/// A tenant, by its name.
#[derive(Debug)]
pub(crate) struct Tenant;

#[restate_sdk::object(name = "AgentTenant", client_visibility = "pub(crate)")]
impl Tenant {
    /// Sets the limits, and starts turns that the old ones held back.
    #[handler]
    async fn limit(&self, ctx: ObjectContext<'_>, Json(limits): Json<Limits>) -> Result<(), HandlerError> {
        change(&ctx, |account| account.limit(limits)).await
    }

    #[handler]
    async fn ledger(&self, ctx: SharedObjectContext<'_>) -> Result<Json<Ledger>, HandlerError> {
        Ok(Json(account(ctx.get(ACCOUNT).await?).ledger))
    }

    /// Reserves a turn, now or when another one has ended, and resolves its awakeable.
    #[handler(ingress_private)]
    async fn reserve(&self, ctx: ObjectContext<'_>, Json(wanted): Json<Wanted>) -> Result<(), HandlerError> {
        change(&ctx, |account| account.reserve(wanted)).await
    }

    /// Replaces the reservation of a turn with its cost, or removes a waiting turn.
    #[handler(ingress_private)]
    async fn settle(
        &self,
        ctx: ObjectContext<'_>,
        Json((ticket, cost_usd)): Json<(String, f64)>,
    ) -> Result<(), HandlerError> {
        change(&ctx, |account| account.settle(&ticket, cost_usd)).await
    }
}

/// Applies a change, and resolves the awakeables of the turns that it decides.
async fn change(
    ctx: &ObjectContext<'_>,
    change: impl FnOnce(&mut Account) -> Vec<Decision>,
) -> Result<(), HandlerError> {
    let mut account = account(ctx.get(ACCOUNT).await?);
    for (ticket, reserved) in change(&mut account) {
        ctx.resolve_awakeable(&ticket, Json(reserved));
    }
    ctx.set(ACCOUNT, Json(account));
    Ok(())
}

fn account(stored: Option<Json<Account>>) -> Account {
    stored.map(Json::into_inner).unwrap_or_default()
}

/// The state of a tenant.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Account {
    ledger: Ledger,
    /// The turns that wait for another one to end, in order.
    waiting: VecDeque<Wanted>,
    /// The budgets of the running turns, by ticket.
    reserved: BTreeMap<String, Option<f64>>,
}

/// The answer to a turn, with the awakeable that gets it.
type Decision = (String, Reserved);

impl Account {
    fn limit(&mut self, limits: Limits) -> Vec<Decision> {
        (self.ledger.budget_usd, self.ledger.turns) = (limits.budget_usd, limits.turns);
        self.decide()
    }

    fn reserve(&mut self, wanted: Wanted) -> Vec<Decision> {
        if self.waiting.len() >= WAITING {
            return vec![(wanted.ticket, Err(Refusal::Turns))];
        }
        self.waiting.push_back(wanted);
        self.decide()
    }

    fn settle(&mut self, ticket: &str, cost_usd: f64) -> Vec<Decision> {
        match self.reserved.remove(ticket) {
            Some(budget_usd) => self.ledger.settle(budget_usd, cost_usd),
            None => self.waiting.retain(|wanted| wanted.ticket != ticket),
        }
        self.decide()
    }

    /// Decides the waiting turns that can start or must be refused now.
    fn decide(&mut self) -> Vec<Decision> {
        let mut decisions = Vec::new();
        while let Some(next) = self.waiting.front() {
            let reserved = self.ledger.reserve(next.budget_usd);
            if reserved == Err(Refusal::Turns) {
                break;
            }
            if let Ok(budget_usd) = reserved {
                self.reserved.insert(next.ticket.clone(), budget_usd);
            }
            decisions.push((next.ticket.clone(), reserved));
            self.waiting.pop_front();
        }
        decisions
    }
}

const ACCOUNT: &str = "account";

/// How many turns of a tenant may wait; the state of an object is written as a whole.
const WAITING: usize = 1000;

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(ticket: &str, budget_usd: Option<f64>) -> Wanted {
        Wanted { ticket: ticket.to_owned(), budget_usd }
    }

    fn limited(budget_usd: Option<f64>, turns: Option<usize>) -> Account {
        Account { ledger: Ledger::new(budget_usd, turns), ..Account::default() }
    }

    fn granted(ticket: &str, budget_usd: Option<f64>) -> Decision {
        (ticket.to_owned(), Ok(budget_usd))
    }

    #[test]
    fn turns_beyond_the_limit_wait_in_order() {
        let mut account = limited(None, Some(1));
        assert_eq!(account.reserve(wanted("a", None)), [granted("a", None)]);
        assert_eq!(account.reserve(wanted("b", None)), []);
        assert_eq!(account.reserve(wanted("c", Some(1.0))), []);
        assert_eq!(account.settle("a", 0.5), [granted("b", None)]);
        assert_eq!(account.settle("a", 0.5), [], "a turn is settled once");
        assert_eq!(account.settle("b", 0.5), [granted("c", Some(1.0))]);
        assert_eq!((account.ledger.running, account.ledger.spent_usd), (1, 1.0));
    }

    #[test]
    fn turn_gets_the_rest_of_the_budget_and_none_gets_more() {
        let mut account = limited(Some(10.0), None);
        assert_eq!(account.reserve(wanted("a", Some(6.0))), [granted("a", Some(6.0))]);
        assert_eq!(account.reserve(wanted("b", Some(6.0))), [granted("b", Some(4.0))]);
        assert_eq!(account.reserve(wanted("c", None)), [("c".to_owned(), Err(Refusal::Budget))]);
        assert_eq!(account.settle("a", 1.0), []);
        assert_eq!(account.reserve(wanted("d", None)), [granted("d", Some(5.0))]);
    }

    #[test]
    fn waiting_turn_is_refused_when_the_budget_is_used_up() {
        let mut account = limited(Some(1.0), Some(1));
        account.reserve(wanted("a", None));
        assert_eq!(account.reserve(wanted("b", None)), []);
        assert_eq!(account.settle("a", 1.0), [("b".to_owned(), Err(Refusal::Budget))]);
        assert_eq!(account.ledger.running, 0);
    }

    #[test]
    fn higher_limit_starts_turns_that_wait() {
        let mut account = limited(None, Some(0));
        assert_eq!(account.reserve(wanted("a", None)), []);
        let limits = Limits { budget_usd: Some(3.0), turns: Some(1) };
        assert_eq!(account.limit(limits), [granted("a", Some(3.0))]);
    }

    #[test]
    fn settled_turn_does_not_wait_any_more() {
        let mut account = limited(None, Some(1));
        account.reserve(wanted("a", None));
        account.reserve(wanted("b", None));
        assert_eq!(account.settle("b", 0.0), []);
        assert_eq!(account.settle("a", 0.0), [], "the other one has gone");
        assert_eq!(account.ledger.running, 0);
    }

    #[test]
    fn waiting_turns_are_limited() {
        let mut account = limited(None, Some(0));
        for n in 0..WAITING {
            assert_eq!(account.reserve(wanted(&n.to_string(), None)), []);
        }
        assert_eq!(account.reserve(wanted("last", None)), [("last".to_owned(), Err(Refusal::Turns))]);
    }
}
