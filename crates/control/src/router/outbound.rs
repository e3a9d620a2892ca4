//! Our open requests.

use std::{collections::BTreeMap, time::Duration};

use agentwire_codec::{Incoming, Line};
use agentwire_protocol::{
    Message, RawJson, RequestId,
    control::{Failure, Outcome, Success},
};

use crate::ControlError;

/// Our open requests, by id.
#[derive(Debug, Default)]
pub(super) struct Outbound {
    pending: BTreeMap<RequestId, Pending>,
    made: u64,
}

/// A request that waits for its reply.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) subtype: Box<str>,
    pub(super) limit: Duration,
    deadline: Duration,
}

impl Outbound {
    /// Gives the request an id. Ids count up, so that two runs of the same program give the same ones.
    pub(super) fn register(&mut self, subtype: &str, now: Duration, limit: Duration) -> RequestId {
        self.made += 1;
        let id = RequestId::from(format!("req_{}", self.made));
        let pending = Pending { subtype: subtype.into(), limit, deadline: now.saturating_add(limit) };
        self.pending.insert(id.clone(), pending);
        id
    }

    pub(super) fn remove(&mut self, id: &RequestId) -> Option<Pending> {
        self.pending.remove(id)
    }

    pub(super) fn pop(&mut self) -> Option<(RequestId, Pending)> {
        self.pending.pop_first()
    }

    pub(super) fn remove_expired(&mut self, now: Duration) -> Option<(RequestId, Pending)> {
        let id =
            self.pending.iter().find(|(_, pending)| pending.deadline <= now).map(|(id, _)| id.clone())?;
        self.pending.remove_entry(&id)
    }

    pub(super) fn next_deadline(&self) -> Option<Duration> {
        self.pending.values().map(|pending| pending.deadline).min()
    }

    pub(super) fn len(&self) -> usize {
        self.pending.len()
    }
}

/// What a response says to the request of this subtype.
pub(super) fn reply(subtype: Box<str>, incoming: Incoming) -> Result<RawJson, ControlError> {
    let (outcome, line) = match incoming {
        Incoming::Message(Message::ControlResponse(response), line) => (response.response, line),
        Incoming::Undecodable(source, line) => {
            return Err(ControlError::BadReply { subtype, line: Some(line), source });
        }
        other => return Err(not_a_response(subtype, other.line().cloned())),
    };
    match outcome {
        Outcome::Success(Success { response, .. }) => Ok(response.unwrap_or_else(RawJson::empty_object)),
        Outcome::Failure(Failure { error, error_code, .. }) => {
            Err(ControlError::Rejected { subtype, message: error, code: error_code })
        }
        _ => Err(not_a_response(subtype, Some(line))),
    }
}

/// Neither a success nor an error: never taken for a success.
fn not_a_response(subtype: Box<str>, line: Option<Line>) -> ControlError {
    ControlError::UnknownReply { subtype, line }
}
