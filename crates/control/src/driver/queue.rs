//! What waits for the user to read it, counted in bytes.

use std::{
    collections::VecDeque,
    sync::Arc,
    task::{Context, Poll, Waker},
};

use agentwire_codec::{Frame, Incoming};

use crate::{Delivery, SessionEnd};

/// What waits for the user to read it.
#[derive(Debug, Default)]
pub(super) struct MessageQueue {
    parcels: Parcels,
    /// Bytes of what the user has not read: in here, and in the batch that was handed over.
    parked: usize,
    ended: Option<Arc<SessionEnd>>,
    /// Nobody reads any more: nothing is kept.
    abandoned: bool,
    /// Who waits for something to read.
    reader: Option<Waker>,
}

/// Parcels in their order.
pub(crate) type Parcels = VecDeque<Parcel>;

/// One thing for the reader, as it waits.
#[derive(Debug)]
pub(crate) enum Parcel {
    Delivery(Delivery),
    /// A message as its line alone, which lies where it was read.
    ///
    /// Decoded, it would take more than twice the memory, all of it allocated by the driver's thread and freed by the
    /// reader's, which costs more than decoding does.
    Conversation(Frame),
}

impl Parcel {
    /// What it counts towards the limits of unread messages, in bytes.
    pub(crate) fn weight(&self) -> usize {
        let content = match self {
            Self::Delivery(delivery) => delivery.weight(),
            Self::Conversation(frame) => frame.line.len(),
        };
        content + size_of::<Self>()
    }

    /// What the reader gets.
    pub(crate) fn open(self) -> Delivery {
        match self {
            Self::Delivery(delivery) => delivery,
            Self::Conversation(frame) => Delivery::Incoming(Incoming::decode(frame)),
        }
    }
}

impl MessageQueue {
    pub(super) fn push(&mut self, parcel: Parcel) {
        if self.abandoned {
            return;
        }
        self.parked += parcel.weight();
        self.parcels.push_back(parcel);
    }

    /// Hands all over at once into `batch`, which is empty; or the end, or this reader waits.
    pub(super) fn poll(
        &mut self,
        batch: &mut Parcels,
        context: &Context<'_>,
    ) -> Poll<Result<(), Arc<SessionEnd>>> {
        if !self.parcels.is_empty() {
            std::mem::swap(&mut self.parcels, batch);
            return Poll::Ready(Ok(()));
        }
        if let Some(ending) = &self.ended {
            return Poll::Ready(Err(Arc::clone(ending)));
        }
        // Whoever waits holds no memory, and mostly waits long.
        for parcels in [batch, &mut self.parcels] {
            parcels.shrink_to(KEPT);
        }
        match &mut self.reader {
            Some(reader) => reader.clone_from(context.waker()),
            None => self.reader = Some(context.waker().clone()),
        }
        Poll::Pending
    }

    /// Who is to be woken, now that there is something.
    pub(super) fn take_reader(&mut self) -> Option<Waker> {
        self.reader.take()
    }

    /// The user has read something of this weight.
    pub(super) fn read(&mut self, weight: usize) {
        self.parked = self.parked.saturating_sub(weight);
    }

    /// Nobody will read any more; gives what was not read.
    pub(super) fn abandon(&mut self) -> Parcels {
        self.abandoned = true;
        self.parked = 0;
        std::mem::take(&mut self.parcels)
    }

    pub(super) fn parked(&self) -> usize {
        self.parked
    }

    pub(super) fn end(&mut self, ending: Arc<SessionEnd>) {
        self.ended.get_or_insert(ending);
    }

    pub(super) fn ended(&self) -> Option<&Arc<SessionEnd>> {
        self.ended.as_ref()
    }
}

/// How many parcels' room is kept while nothing is there.
const KEPT: usize = 4;
