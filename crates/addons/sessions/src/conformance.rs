//! Checks that an implementation of [`SessionStore`] keeps its contract.
//!
//! [`run`] creates a new store for each of the [`CHECKS`] and reports the outcomes.
//! It works with any async runtime.
//! Checks of methods that the store does not implement are reported as skipped, with the reason.
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
//! Entries are compared as JSON values: key order, spacing and the notation of numbers may change, a number's exact
//! value may not.
//! Objects with repeated keys are not checked.
//!
//! There is no time limit: wrap [`run`] in a timeout if the store may hang.
//! Later versions of this crate may add checks.

mod appending;
mod canonical;
mod deleting;
mod keys;
mod listing;
mod parts;
mod report;
mod steady;
mod summaries;
mod table;
mod tested_store;
mod values;

use std::error::Error;
use std::fmt;
use std::pin::Pin;

use tested_store::{Stop, TestedStore, Verdict};

pub use report::{Checked, Outcome, Report};
pub use table::CHECKS;

use crate::SessionStore;

/// Runs all checks in order, each on a new store.
///
/// `make` creates an empty store; its content may be deleted when it is dropped.
/// If `make` fails, the check fails with that error.
pub async fn run<S, E>(mut make: impl AsyncFnMut() -> Result<S, E>) -> Report
where
    S: SessionStore,
    E: Into<Box<dyn Error + Send + Sync>>,
{
    let mut checked = Vec::with_capacity(CHECKS.len());
    for check in CHECKS {
        let outcome = match make().await {
            Ok(store) => check.run(&store).await,
            Err(error) => {
                Outcome::Failed(format!("there is no store: {}", tested_store::chain(&*error.into())))
            }
        };
        checked.push(Checked { check, outcome });
    }
    Report { checked }
}

/// A check of one requirement.
#[derive(Clone, Copy)]
pub struct Check {
    name: &'static str,
    demands: &'static str,
    run: for<'a> fn(TestedStore<'a>) -> Running<'a>,
}

type Running<'a> = Pin<Box<dyn Future<Output = Verdict> + Send + 'a>>;

impl Check {
    /// Returns the name, such as `order_within_an_append`.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the requirement, as a sentence.
    pub fn demands(&self) -> &'static str {
        self.demands
    }

    /// Runs this check alone, on an empty store.
    pub async fn run(&self, store: &dyn SessionStore) -> Outcome {
        match (self.run)(TestedStore(store)).await {
            Ok(()) => Outcome::Passed,
            Err(Stop::Failed(why)) => Outcome::Failed(why),
            Err(Stop::Skipped(why)) => Outcome::Skipped(why),
        }
    }
}

impl fmt::Debug for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Check").field("name", &self.name).finish_non_exhaustive()
    }
}
