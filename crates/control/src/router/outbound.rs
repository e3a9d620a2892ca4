//! Calls that wait for their reply.

use std::{collections::BTreeMap, time::Duration};

use agentwire_codec::{Incoming, Line};
use agentwire_protocol::{
    Hidden, Message, RawJson, RequestId,
    control::{Failure, Outcome, Success},
};

use crate::ControlError;

/// The open calls, by id.
#[derive(Debug, Default)]
pub(super) struct Outbound {
    pending: BTreeMap<RequestId, Pending>,
    last_id: u64,
}

/// An open call.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) subtype: Box<str>,
    pub(super) limit: Duration,
    deadline: Duration,
}

impl Outbound {
    /// Opens a call and returns its id. Ids count up, so two runs of a program use the same ones.
    pub(super) fn register(&mut self, subtype: &str, now: Duration, limit: Duration) -> RequestId {
        self.last_id += 1;
        let id = RequestId::from(format!("req_{}", self.last_id));
        let pending = Pending { subtype: subtype.into(), limit, deadline: now.saturating_add(limit) };
        self.pending.insert(id.clone(), pending);
        id
    }

    pub(super) fn remove(&mut self, id: &RequestId) -> Option<(RequestId, Pending)> {
        self.pending.remove_entry(id)
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

/// Returns the requests of the CLI that a reply to `initialize` lists as unanswered, as lines: this host did not get
/// them, or its answers were lost.
pub(super) fn unanswered(incoming: &Incoming) -> Vec<Line> {
    let Some(Message::ControlResponse(response)) = incoming.message() else { return Vec::new() };
    let Outcome::Success(reply) = &response.response else { return Vec::new() };
    let lists = [
        &reply.pending_permission_requests,
        &reply.pending_user_dialog_requests,
        &reply.pending_elicitation_requests,
    ];
    lists.into_iter().flatten().flatten().map(|request| request.as_str().into()).collect()
}

/// Returns the reply in a response to a call of this subtype.
pub(super) fn reply(subtype: Box<str>, incoming: Incoming) -> Result<RawJson, ControlError> {
    let (outcome, line) = match incoming {
        Incoming::Message(Message::ControlResponse(response), line) => (response.response, line),
        Incoming::Undecodable(source, line) => {
            return Err(ControlError::BadReply { subtype, line: Some(line.into()), source });
        }
        other => {
            return Err(ControlError::UnknownReply { subtype, line: other.line().cloned().map(Hidden) });
        }
    };
    match outcome {
        Outcome::Success(Success { response, .. }) => Ok(response.unwrap_or_else(RawJson::empty_object)),
        Outcome::Failure(Failure { error, error_code, .. }) => {
            Err(ControlError::Rejected { subtype, message: error, code: error_code })
        }
        _ => Err(ControlError::UnknownReply { subtype, line: Some(line.into()) }),
    }
}
