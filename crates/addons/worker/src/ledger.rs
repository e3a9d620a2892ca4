//! The budget and the sessions of a tenant.

use serde::{Deserialize, Serialize};

/// The limits of a tenant, and their use: money is reserved before a turn and settled after it.
///
/// It is a plain value that an engine stores with the tenant.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Ledger {
    /// The budget in US dollars; `None` for no limit.
    pub budget_usd: Option<f64>,
    /// How many turns may run at once; `None` for no limit.
    pub turns: Option<usize>,
    /// The cost of ended turns, in US dollars.
    pub spent_usd: f64,
    /// The reservations of running turns, in US dollars.
    pub reserved_usd: f64,
    /// How many turns run.
    pub running: usize,
}

/// The reason why a turn is not started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The budget is used up, or reserved for running turns.
    #[error("the budget of the tenant is used up or reserved")]
    Budget,
    /// The limit of running turns is reached.
    #[error("the tenant runs as many turns as it may")]
    Turns,
}

impl Ledger {
    /// Returns a ledger with these limits.
    pub fn new(budget_usd: Option<f64>, turns: Option<usize>) -> Self {
        Self { budget_usd, turns, ..Self::default() }
    }

    /// Reserves money for a turn that may cost `wanted` US dollars, and returns its budget: this
    /// amount or the rest of the tenant's budget; `None` for no limit.
    ///
    /// # Errors
    ///
    /// [`Refusal`].
    pub fn reserve(&mut self, wanted: Option<f64>) -> Result<Option<f64>, Refusal> {
        // A negative reservation would raise the budget of other turns.
        let wanted = wanted.map(|usd| usd.max(0.0));
        if self.turns.is_some_and(|limit| self.running >= limit) {
            return Err(Refusal::Turns);
        }
        let left = self.budget_usd.map(|budget| budget - self.spent_usd - self.reserved_usd);
        // A comparison with NaN is false, so NaN would be no limit.
        if left.is_some_and(|left| left.is_nan() || left <= 0.0) {
            return Err(Refusal::Budget);
        }
        let budget = match (wanted, left) {
            (Some(wanted), Some(left)) => Some(wanted.min(left)),
            (wanted, left) => wanted.or(left),
        };
        self.reserved_usd += budget.unwrap_or(0.0);
        self.running += 1;
        Ok(budget)
    }

    /// Replaces a reservation by the cost of its turn.
    pub fn settle(&mut self, budget: Option<f64>, cost_usd: f64) {
        self.reserved_usd = (self.reserved_usd - budget.unwrap_or(0.0)).max(0.0);
        self.spent_usd += cost_usd.max(0.0);
        self.running = self.running.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budget_is_reserved_and_settled() {
        let mut ledger = Ledger::new(Some(10.0), None);
        assert_eq!(ledger.reserve(Some(6.0)), Ok(Some(6.0)));
        assert_eq!(ledger.reserve(Some(6.0)), Ok(Some(4.0)));
        assert_eq!(ledger.reserve(None), Err(Refusal::Budget));
        ledger.settle(Some(6.0), 1.0);
        assert_eq!(ledger.reserve(None), Ok(Some(5.0)));
    }

    #[test]
    fn negative_wish_does_not_raise_the_budget() {
        let mut ledger = Ledger::new(Some(1.0), None);
        assert_eq!(ledger.reserve(Some(-1000.0)), Ok(Some(0.0)));
        assert_eq!(ledger.reserve(Some(500.0)), Ok(Some(1.0)));
    }

    #[test]
    fn budget_that_is_no_number_allows_no_turn() {
        assert_eq!(Ledger::new(Some(f64::NAN), None).reserve(Some(1.0)), Err(Refusal::Budget));
    }

    #[test]
    fn turns_at_once_are_limited() {
        let mut ledger = Ledger::new(None, Some(1));
        assert_eq!(ledger.reserve(None), Ok(None));
        assert_eq!(ledger.reserve(None), Err(Refusal::Turns));
        ledger.settle(None, 0.5);
        assert_eq!(ledger.reserve(Some(1.0)), Ok(Some(1.0)));
    }
}
