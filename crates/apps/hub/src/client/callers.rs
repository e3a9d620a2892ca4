//! The calls in flight at a server, with the clients of a gateway that make them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::RequestId;
use tokio_util::sync::CancellationToken;

use super::Caller;

/// The calls in flight at a server. Clones share the list.
#[derive(Clone, Debug, Default)]
pub(crate) struct Callers(Arc<Mutex<Calls>>);

#[derive(Debug, Default)]
struct Calls {
    /// In the order of their start.
    all: Vec<Call>,
    next: u64,
}

#[derive(Debug)]
struct Call {
    number: u64,
    /// `None` for a call of the program.
    caller: Option<Caller>,
    /// The id of the last request for this call.
    request: Option<RequestId>,
    /// Cancelled when the call ends.
    over: CancellationToken,
}

/// A call in flight. Dropping it ends the call.
#[derive(Debug)]
pub(crate) struct Called<'a> {
    callers: &'a Callers,
    number: u64,
}

impl Callers {
    /// Adds a call.
    pub(crate) fn call(&self, caller: Option<Caller>) -> Called<'_> {
        let mut calls = self.lock();
        let number = calls.next;
        calls.next += 1;
        calls.all.push(Call { number, caller, request: None, over: CancellationToken::new() });
        Called { callers: self, number }
    }

    /// Returns the client for a question of the server, and tokens that are all cancelled when the question becomes obsolete.
    ///
    /// Over streamable HTTP, a question arrives on the stream of a request (`origin`) and thus belongs to a call. Other
    /// transports do not relate questions to calls: then this is the client with the most recent call, among the clients
    /// that support the question.
    pub(super) fn find(
        &self,
        origin: Option<&RequestId>,
        can: impl Fn(&Caller) -> bool,
    ) -> Option<(Caller, Vec<CancellationToken>)> {
        let calls = self.lock();
        let is_origin = |call: &&Call| origin.is_some() && call.request.as_ref() == origin;
        if let Some(call) = calls.all.iter().find(is_origin) {
            let caller = call.caller.clone().filter(|caller| can(caller))?;
            return Some((caller, vec![call.over.clone()]));
        }
        let caller =
            calls.all.iter().rev().find_map(|call| call.caller.as_ref().filter(|caller| can(caller)))?;
        let is_same = |call: &&Call| call.caller.as_ref().is_some_and(|other| other.id() == caller.id());
        let over = calls.all.iter().filter(is_same).map(|call| call.over.clone()).collect();
        Some((caller.clone(), over))
    }

    fn lock(&self) -> MutexGuard<'_, Calls> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Called<'_> {
    /// Notes the id of a request for the call.
    pub(crate) fn sent(&self, request: &RequestId) {
        let mut calls = self.callers.lock();
        if let Some(call) = calls.all.iter_mut().find(|call| call.number == self.number) {
            call.request = Some(request.clone());
        }
    }
}

impl Drop for Called<'_> {
    fn drop(&mut self) {
        let mut calls = self.callers.lock();
        let index = calls.all.iter().position(|call| call.number == self.number);
        let ended = index.map(|index| calls.all.remove(index));
        drop(calls);
        // Outside of the lock, because this wakes tasks.
        ended.into_iter().for_each(|call| call.over.cancel());
    }
}
