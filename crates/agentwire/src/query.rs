//! Queries: prompts in, a stream of messages out until the CLI exits.

mod idle_timeout;

use std::{
    future::{Future, poll_fn},
    pin::Pin,
    task::{Context, Poll, ready},
};

use agentwire_codec::Incoming;
use agentwire_control::{Control, SessionEvent};
use agentwire_protocol::message::UserInput;
use futures_core::Stream;
use tokio::task::coop::poll_proceed;

use crate::{Error, Options, Session, Warning, session::send_all};
use idle_timeout::IdleTimeout;

/// Sends one prompt and returns all messages until the CLI has exited.
///
/// The CLI's input ends when the run is over: every prompt has its result, and the CLI is idle.
/// Background agents keep it open, so that their callbacks work to the end; background shells do not.
/// From then on the grace periods of [`SessionBuilder::grace`](crate::SessionBuilder::grace) apply: a shell that ends within
/// them causes a last turn, and a longer one ends with the CLI.
/// The input has ended then, so requests of that turn to hooks, permissions and in-process servers are refused.
/// If the CLI is not idle within
/// [`SessionBuilder::background_limit`](crate::SessionBuilder::background_limit) after a result, the input is ended.
///
/// # Cancel safety
///
/// As [`SessionBuilder::connect`](crate::SessionBuilder::connect).
///
/// # Errors
///
/// As [`SessionBuilder::connect`](crate::SessionBuilder::connect).
pub async fn query(prompt: impl Into<UserInput>, options: Options) -> Result<Query, Error> {
    Session::connect(options).await?.into_query(prompt).await
}

/// Sends every prompt of a stream and returns all messages until the CLI has exited.
///
/// As [`query`](fn@query), but the input also stays open until the stream has ended.
/// The stream is polled with the query, when no message is unread and there is room to write.
///
/// # Cancel safety
///
/// As [`SessionBuilder::connect`](crate::SessionBuilder::connect).
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

/// The messages of a query: a stream that ends with the CLI.
///
/// If the session ends with an error, the last item is one `Err`: [`Error::Ended`], or [`Error::NotLoggedIn`] for a
/// missing login.
/// If a prompt of [`query_all`] can't be sent, that is an `Err` too; no further prompt is sent, and more messages may
/// follow.
/// Dropping it ends the CLI, as dropping a [`Session`] does.
pub struct Query {
    session: Session,
    sending: Option<Sending>,
    /// The time limit after a result.
    idle_timeout: IdleTimeout,
}

/// The sending of the remaining prompts.
type Sending = Pin<Box<dyn Future<Output = Result<(), Error>> + Send>>;

impl Session {
    /// Sends a last prompt and returns all messages until the CLI has exited.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future drops the session, which ends the CLI in the background.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send).
    pub async fn into_query(self, prompt: impl Into<UserInput>) -> Result<Query, Error> {
        self.send(prompt).await?;
        let mut query = Query { session: self, sending: None, idle_timeout: IdleTimeout::default() };
        // The CLI ignores a prompt with the id of an earlier one, so that no event would end the run.
        query.end_when_over();
        Ok(query)
    }

    /// Sends every prompt of a stream as the last ones of the session, and returns all messages until the CLI has
    /// exited.
    ///
    /// See [`query_all`](crate::query_all).
    pub fn into_query_all<S>(self, prompts: S) -> Query
    where
        S: Stream<Item: Into<UserInput>> + Send + 'static,
    {
        let sending: Sending = Box::pin(send_all(self.control().clone(), prompts));
        Query { session: self, sending: Some(sending), idle_timeout: IdleTimeout::default() }
    }
}

impl Query {
    /// Returns the handle for control requests.
    pub fn control(&self) -> &Control {
        self.session.control()
    }

    /// Returns the warnings of the session, as [`Session::warnings`] does.
    pub fn warnings(&self) -> &[Warning] {
        self.session.warnings()
    }

    /// Returns the next message; `None` when the CLI has exited.
    ///
    /// # Cancel safety
    ///
    /// Cancel-safe: nothing is lost when the future is dropped.
    ///
    /// # Errors
    ///
    /// [`Error::Ended`], or [`Error::NotLoggedIn`] for a missing login, once, if the session ended with an error; and
    /// for a prompt of [`query_all`] that can't be sent, the errors of [`Session::send`], after which more messages
    /// may follow.
    pub async fn next(&mut self) -> Option<Result<Incoming, Error>> {
        poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }

    /// Polls for an event, and otherwise sends prompts and checks the time limit.
    fn poll_event(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<SessionEvent, Error>>> {
        if let Poll::Ready(event) = self.session.poll_event(context) {
            return Poll::Ready(event);
        }
        // Once the task's budget is used up, messages may be unread.
        drop(ready!(poll_proceed(context)));
        // Nothing is unread here, so no prompt fails because of a backlog.
        if let Some(sending) = &mut self.sending
            && let Poll::Ready(sent) = sending.as_mut().poll(context)
        {
            self.sending = None;
            self.idle_timeout.restart(&self.session.background);
            match sent {
                Ok(()) => self.end_when_over(),
                // The end of the session reports the reason.
                Err(error) if error.ending().is_some() => {}
                Err(error) => {
                    self.end_when_over();
                    return Poll::Ready(Some(Err(error)));
                }
            }
        }
        // The CLI may work for any time between two prompts of the stream.
        if self.sending.is_none() && self.idle_timeout.poll(&self.session.background, context).is_ready() {
            self.session.force_end();
        }
        Poll::Pending
    }

    /// Ends the input if the CLI is idle and no prompt remains to be sent.
    ///
    /// The event may be outdated, so the idle state is checked again.
    fn end_when_over(&mut self) {
        if !self.session.control().is_idle() {
            return;
        }
        // The CLI is idle until the next prompt of the stream, which may take any time.
        self.idle_timeout = IdleTimeout::default();
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
            let Some(event) = ready!(query.poll_event(context)?) else { return Poll::Ready(None) };
            query.idle_timeout.update(&event, &query.session.background);
            match event {
                SessionEvent::Incoming(incoming, _) => return Poll::Ready(Some(Ok(incoming))),
                SessionEvent::RunOver => query.end_when_over(),
                _ => {}
            }
        }
    }
}

agentwire_control::debug_by_name!(Query);
