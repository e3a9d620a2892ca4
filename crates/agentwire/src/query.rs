//! Prompts in, a stream of messages out.

mod ceiling;

use std::{
    fmt,
    future::{Future, poll_fn},
    pin::Pin,
    task::{Context, Poll, ready},
};

use agentwire_codec::Incoming;
use agentwire_control::{Control, Delivery};
use agentwire_protocol::message::UserInput;
use futures_core::Stream;

use crate::{Error, Options, Session, session::send_all};
use ceiling::IdleTimeout;

/// Asks once, and gives all that the CLI says until it has ended.
///
/// The CLI's input is ended when the run is over: every prompt has its result, and the CLI is idle.
/// Agents in the background hold it open, so that their callbacks work to the end; shells in the background do not.
/// From then on the CLI's life is bounded by the graces of [`SessionBuilder::grace`](crate::SessionBuilder::grace).
/// Where the CLI does not come to be idle within
/// [`SessionBuilder::background_limit`](crate::SessionBuilder::background_limit) after a result, that ends the input.
///
/// # Errors
///
/// As [`SessionBuilder::connect`](crate::SessionBuilder::connect).
pub async fn query(prompt: impl Into<UserInput>, options: Options) -> Result<Query, Error> {
    Session::connect(options).await?.into_query(prompt).await
}

/// Asks with every prompt of a stream, and gives all that the CLI says until it has ended.
///
/// As [`query`](fn@query), but that the input is kept open until the stream has ended too.
/// The stream is polled as the query is, when nothing is to be read and there is room to write.
///
/// # Errors
///
/// As [`SessionBuilder::connect`](crate::SessionBuilder::connect).
pub async fn query_all<S>(prompts: S, options: Options) -> Result<Query, Error>
where
    S: Stream<Item: Into<UserInput>> + Send + 'static,
{
    Ok(Session::connect(options).await?.into_query_all(prompts))
}

/// What prompts bring: a stream that ends with the CLI.
///
/// A stream of `Ok` items ends badly with one `Err`: see [`Error::Ended`].
/// Dropping it ends the CLI, as dropping a [`Session`] does.
pub struct Query {
    session: Session,
    sending: Option<Sending>,
    /// Bounds the time after a result.
    ceiling: IdleTimeout,
}

/// The prompts that are still to be sent.
type Sending = Pin<Box<dyn Future<Output = Result<(), Error>> + Send>>;

impl Session {
    /// Sends a last prompt, and gives all that comes until the CLI has ended.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send).
    pub async fn into_query(self, prompt: impl Into<UserInput>) -> Result<Query, Error> {
        self.send(prompt).await?;
        Ok(Query { session: self, sending: None, ceiling: IdleTimeout::default() })
    }

    /// Sends every prompt of a stream, the last ones of the session, and gives all that comes until the CLI has ended.
    ///
    /// See [`query_all`](crate::query_all).
    pub fn into_query_all<S>(self, prompts: S) -> Query
    where
        S: Stream<Item: Into<UserInput>> + Send + 'static,
    {
        let sending: Sending = Box::pin(send_all(self.control().clone(), self.client_composed(), prompts));
        Query { session: self, sending: Some(sending), ceiling: IdleTimeout::default() }
    }
}

impl Query {
    /// The handle for control requests.
    pub fn control(&self) -> &Control {
        self.session.control()
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
        poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }

    /// Polls for a delivery, and does meanwhile what is to be done.
    fn poll_delivery(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Delivery, Error>>> {
        if let Poll::Ready(delivery) = self.session.poll_delivery(context) {
            return Poll::Ready(delivery);
        }
        // Nothing is unread now, so that no prompt is given up for a backlog.
        if let Some(sending) = &mut self.sending
            && let Poll::Ready(sent) = sending.as_mut().poll(context)
        {
            self.sending = None;
            match sent {
                Ok(()) => self.end_when_over(),
                // Why nothing can be sent is told by the end of the session.
                Err(error) if error.ending().is_some() => {}
                Err(error) => {
                    self.end_when_over();
                    return Poll::Ready(Some(Err(error)));
                }
            }
        }
        if self.ceiling.poll(self.session.background(), context).is_ready() {
            self.sending = None;
            self.session.give_up();
        }
        Poll::Pending
    }

    /// Ends the input, where nothing runs that could ask us and nothing is to be sent.
    ///
    /// The news may be old, so it is asked again.
    fn end_when_over(&mut self) {
        if !self.session.control().is_idle() {
            return;
        }
        // An idle CLI waits for us, and may wait for as long as the prompts take.
        self.ceiling.lift();
        if self.sending.is_none() {
            self.session.end_input();
        }
    }
}

impl Stream for Query {
    type Item = Result<Incoming, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let query = &mut *self;
        loop {
            let delivery = ready!(query.poll_delivery(context));
            if let Some(Ok(delivery)) = &delivery {
                query.ceiling.see(delivery, query.session.background());
            }
            return Poll::Ready(match delivery {
                Some(Ok(Delivery::Incoming(incoming))) => Some(Ok(incoming)),
                Some(Ok(Delivery::RunOver)) => {
                    query.end_when_over();
                    continue;
                }
                Some(Ok(_)) => continue,
                Some(Err(error)) => Some(Err(error)),
                None => None,
            });
        }
    }
}

impl fmt::Debug for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Query").finish_non_exhaustive()
    }
}
