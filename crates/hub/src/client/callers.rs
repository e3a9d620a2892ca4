//! Who has calls under way at a server: whoever can be asked what the server wants to know.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use rmcp::model::RequestId;
use tokio_util::sync::CancellationToken;

use crate::gateway::Caller;

/// Who has calls under way at a server. A clone is the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Callers(Arc<Mutex<HashMap<usize, Calling>>>);

#[derive(Debug)]
struct Calling {
    /// For each call, `None` where it is the program's.
    calls: Vec<Option<Caller>>,
    /// Cancelled when there are none any more.
    over: CancellationToken,
}

/// A call that is under way until this is dropped.
#[derive(Debug)]
pub(crate) struct Called<'a> {
    callers: &'a Callers,
    id: usize,
    request: Option<RequestId>,
}

impl Callers {
    /// A call begins.
    pub(crate) fn call(&self, caller: Option<Caller>) -> Called<'_> {
        let id = caller.as_ref().map_or(PROGRAM, Caller::id);
        let request = caller.as_ref().map(|caller| caller.request().clone());
        let begins = || Calling { calls: Vec::new(), over: CancellationToken::new() };
        self.lock().entry(id).or_insert_with(begins).calls.push(caller);
        Called { callers: self, id, request }
    }

    /// The one to whom all calls belong, with the last of them, and what tells when he has none any more.
    ///
    /// A server does not say for which call it asks: where calls of others are under way as well, nobody is asked.
    pub(super) fn only(&self) -> Option<(Caller, CancellationToken)> {
        let callers = self.lock();
        let mut all = callers.values();
        let Calling { calls, over } = all.next()?;
        all.next().is_none().then_some((calls.last()?.clone()?, over.clone()))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<usize, Calling>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Called<'_> {
    fn drop(&mut self) {
        let mut callers = self.callers.lock();
        let Some(calling) = callers.get_mut(&self.id) else { return };
        let is_this = |call: &Option<Caller>| call.as_ref().map(Caller::request) == self.request.as_ref();
        if let Some(index) = calling.calls.iter().position(is_this) {
            calling.calls.remove(index);
        }
        if calling.calls.is_empty() {
            let ended = callers.remove(&self.id);
            drop(callers);
            // Wakes whoever waits, without the lock.
            ended.into_iter().for_each(|calling| calling.over.cancel());
        }
    }
}

/// No address of anything.
const PROGRAM: usize = 0;
