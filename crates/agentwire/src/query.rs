//! One prompt in, a stream of messages out.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use agentwire_codec::Incoming;
use agentwire_control::{Control, Delivery};
use agentwire_protocol::message::UserInput;
use futures_core::Stream;

use crate::{Error, Options, Session};

/// Asks once, and gives all that the CLI says until it has ended.
///
/// The CLI's input is ended when the run is over, background work included, so that its callbacks work to the end.
/// From then on its life is bounded by the graces of [`SessionBuilder::grace`](crate::SessionBuilder::grace).
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
type Next = Pin<Box<dyn Future<Output = (Session, Option<Result<Incoming, Error>>)> + Send>>;

impl Session {
    /// Sends a last prompt, and gives all that comes until the CLI has ended.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send).
    pub async fn into_query(self, prompt: impl Into<UserInput>) -> Result<Query, Error> {
        self.send(prompt).await?;
        Ok(Query { control: self.control().clone(), next: Box::pin(next(self)) })
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
        let (session, item) = std::task::ready!(self.next.as_mut().poll(context));
        self.next = Box::pin(next(session));
        Poll::Ready(item)
    }
}

/// The next item, with the input ended when the run is over.
async fn next(mut session: Session) -> (Session, Option<Result<Incoming, Error>>) {
    loop {
        let item = match session.next_delivery().await {
            Some(Ok(Delivery::Incoming(incoming))) => Some(Ok(incoming)),
            // Old news where an earlier prompt's run is meant: the new one's end is told again.
            Some(Ok(Delivery::RunOver)) => {
                if session.control().is_idle() {
                    session.end_input();
                }
                continue;
            }
            Some(Ok(_)) => continue,
            Some(Err(error)) => Some(Err(error)),
            None => None,
        };
        return (session, item);
    }
}

impl fmt::Debug for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Query").finish_non_exhaustive()
    }
}
