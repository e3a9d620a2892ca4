//! What waits for the user to read it, counted in bytes.

use std::{collections::VecDeque, sync::Arc};

use crate::{Delivery, Ending};

/// What waits for the user to read it.
#[derive(Debug, Default)]
pub(super) struct Inbox {
    deliveries: VecDeque<Delivery>,
    /// Bytes of what the user has not read: in here, and in the batch that was handed over.
    parked: usize,
    ended: Option<Arc<Ending>>,
    /// Nobody reads any more: nothing is kept.
    abandoned: bool,
}

impl Inbox {
    pub(super) fn push(&mut self, delivery: Delivery) {
        if self.abandoned {
            return;
        }
        self.parked += delivery.weight();
        self.deliveries.push_back(delivery);
    }

    /// Hands all over at once.
    pub(super) fn take(&mut self) -> VecDeque<Delivery> {
        std::mem::take(&mut self.deliveries)
    }

    pub(super) fn read(&mut self, weight: usize) {
        self.parked = self.parked.saturating_sub(weight);
    }

    /// Nobody will read any more; gives what was not read.
    pub(super) fn abandon(&mut self) -> VecDeque<Delivery> {
        self.abandoned = true;
        self.parked = 0;
        self.take()
    }

    pub(super) fn parked(&self) -> usize {
        self.parked
    }

    pub(super) fn end(&mut self, ending: Arc<Ending>) {
        self.ended.get_or_insert(ending);
    }

    pub(super) fn ended(&self) -> Option<&Arc<Ending>> {
        self.ended.as_ref()
    }
}
