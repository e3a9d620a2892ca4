//! One prompt in, a stream of messages out.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use agentwire_codec::Incoming;
use agentwire_control::{Control, Delivery};
use agentwire_protocol::{Message, System, message::UserInput};
use futures_core::Stream;

use crate::{Error, Options, Session};

/// Asks once, and gives all that the CLI says until it has ended.
///
/// The CLI's input is ended when the run is over, background work included, so that its callbacks work to the end.
/// From then on its life is bounded by the graces of [`SessionBuilder::grace`](crate::SessionBuilder::grace).
/// Where the CLI falls silent after a turn, [`SessionBuilder::quiet_limit`](crate::SessionBuilder::quiet_limit) ends the
/// input instead.
///
/// # Errors
///
/// As [`SessionBuilder::connect`](crate::SessionBuilder::connect).
pub async fn query(prompt: impl Into<UserInput>, options: Options) -> Result<Query, Error> {
    Session::connect(options).await?.into_query(prompt).await
}

/// What a single prompt brings: a stream that ends with the CLI.
///
/// A stream of `Ok` items ends badly with one `Err`: see [`Error::Ended`].
/// Dropping it ends the CLI, as dropping a [`Session`] does.
pub struct Query {
    control: Control,
    next: Next,
}

/// The session comes back with each item, so that the future can own it: no borrow, and nothing lost when dropped.
type Next = Pin<Box<dyn Future<Output = (Reading, Option<Result<Incoming, Error>>)> + Send>>;

/// The session, and where it stands.
struct Reading {
    session: Session,
    /// Whether a turn has ended, and no other has begun: from then on silence is bounded.
    between_turns: bool,
}

impl Session {
    /// Sends a last prompt, and gives all that comes until the CLI has ended.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send).
    pub async fn into_query(self, prompt: impl Into<UserInput>) -> Result<Query, Error> {
        self.send(prompt).await?;
        let control = self.control().clone();
        Ok(Query { control, next: Box::pin(next(Reading { session: self, between_turns: false })) })
    }
}

impl Query {
    /// The handle for control requests.
    pub fn control(&self) -> &Control {
        &self.control
    }

    /// The next thing that the CLI says; `None` when it has ended.
    ///
    /// # Cancellation
    ///
    /// Cancel-safe: nothing is lost when the future is dropped.
    ///
    /// # Errors
    ///
    /// [`Error::Ended`], once, when it has ended badly.
    pub async fn next(&mut self) -> Option<Result<Incoming, Error>> {
        std::future::poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }
}

impl Stream for Query {
    type Item = Result<Incoming, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let (reading, item) = std::task::ready!(self.next.as_mut().poll(context));
        self.next = Box::pin(next(reading));
        Poll::Ready(item)
    }
}

impl Reading {
    /// The next delivery; where none comes between turns, the input is ended, and it is waited for on.
    async fn delivery(&mut self) -> Option<Result<Delivery, Error>> {
        if self.between_turns {
            match self.session.next_delivery_in_time().await {
                Ok(delivery) => return delivery,
                Err(_) => self.session.give_up(),
            }
            self.between_turns = false;
        }
        self.session.next_delivery().await
    }
}

/// The next item, with the input ended when the run is over.
async fn next(mut reading: Reading) -> (Reading, Option<Result<Incoming, Error>>) {
    loop {
        let item = match reading.delivery().await {
            Some(Ok(Delivery::Incoming(incoming))) => {
                reading.between_turns &= !is_of_a_turn(&incoming);
                Some(Ok(incoming))
            }
            Some(Ok(Delivery::TurnEnded(_))) => {
                reading.between_turns = true;
                continue;
            }
            // Old news where an earlier prompt's run is meant: the new one's end is told again.
            Some(Ok(Delivery::RunOver)) => {
                if reading.session.control().is_idle() {
                    reading.session.end_input();
                }
                continue;
            }
            Some(Ok(_)) => continue,
            Some(Err(error)) => Some(Err(error)),
            None => None,
        };
        return (reading, item);
    }
}

/// Whether it is said in a turn that will have a result: what agents in the background say is not.
fn is_of_a_turn(incoming: &Incoming) -> bool {
    match incoming.message() {
        Some(Message::System(System::Init(_))) => true,
        Some(Message::Assistant(message)) => message.parent_tool_use_id.is_none(),
        Some(Message::StreamEvent(message)) => message.parent_tool_use_id.is_none(),
        _ => false,
    }
}

impl fmt::Debug for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Query").finish_non_exhaustive()
    }
}
