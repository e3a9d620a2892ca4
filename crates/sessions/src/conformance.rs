//! Checks that a store does what [`SessionStore`] demands: run them on a store of your own.
//!
//! [`run`] makes a fresh store for each of the [`CHECKS`] and tells what came of it.
//! It needs no runtime of its own, and runs on whatever the store's futures need.
//! What the store says that it does not do is told as skipped, with the reason; it never passes in silence.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! use std::convert::Infallible;
//!
//! use agentwire_sessions::{MemoryStore, conformance};
//!
//! let report = conformance::run(async || Ok::<_, Infallible>(MemoryStore::new())).await;
//! assert!(report.is_conformant(), "{report}");
//! assert_eq!(report.skipped(), 0, "{report}");
//! # }
//! ```
//!
//! What is compared are JSON values: key order, spacing and the spelling of numbers may change, the exact value of a
//! number may not.
//! Of an object with a repeated key nothing is demanded.
//!
//! There is no time limit: a store that never answers keeps [`run`] from ending, so put one around it.
//! The table grows with what is learnt, so a new version of this crate may find fault with a store that passed before.

mod appending;
mod asked;
mod canonical;
mod deleting;
mod keys;
mod listing;
mod parts;
mod report;
mod steady;
mod summaries;
mod table;
mod values;

use std::error::Error;
use std::fmt;
use std::pin::Pin;

use asked::{Asked, Stop, Verdict};

pub use report::{Checked, OptionalMethod, Outcome, Report};
pub use table::CHECKS;

use crate::SessionStore;

/// Runs all checks, each on a store of its own, one after the other.
///
/// `make` gives a store in which nothing is kept yet; what it kept may be thrown away when it is dropped.
/// Where no store can be made the check fails, with the reason.
pub async fn run<S, E>(mut make: impl AsyncFnMut() -> Result<S, E>) -> Report
where
    S: SessionStore,
    E: Into<Box<dyn Error + Send + Sync>>,
{
    let mut checked = Vec::with_capacity(CHECKS.len());
    for check in CHECKS {
        let outcome = match make().await {
            Ok(store) => check.run(&store).await,
            Err(error) => Outcome::Failed(format!("there is no store: {}", asked::chain(&*error.into()))),
        };
        checked.push(Checked::new(check, outcome));
    }
    Report::new(checked)
}

/// One thing that is demanded of a store.
#[derive(Clone, Copy)]
pub struct Check {
    name: &'static str,
    demands: &'static str,
    needs: &'static [OptionalMethod],
    run: for<'a> fn(Asked<'a>) -> Running<'a>,
}

type Running<'a> = Pin<Box<dyn Future<Output = Verdict> + Send + 'a>>;

impl Check {
    /// Its name, which says what is checked, such as `order_within_an_append`.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// What it demands, as a sentence.
    pub fn demands(&self) -> &'static str {
        self.demands
    }

    /// The optional methods without which it is skipped.
    pub fn needs(&self) -> &'static [OptionalMethod] {
        self.needs
    }

    /// Runs this check alone, on a store in which nothing is kept yet.
    pub async fn run(&self, store: &dyn SessionStore) -> Outcome {
        match (self.run)(Asked(store)).await {
            Ok(()) => Outcome::Passed,
            Err(Stop::Failed(why)) => Outcome::Failed(why),
            Err(Stop::Skipped(why)) => Outcome::Skipped(why),
        }
    }
}

impl fmt::Debug for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Check").field("name", &self.name).field("needs", &self.needs).finish_non_exhaustive()
    }
}
