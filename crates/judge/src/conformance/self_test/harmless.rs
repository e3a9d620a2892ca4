//! Corruptions that change nothing that the protocol says, each with the reason.
//!
//! A reason is given by what the transcript was before, never by what the check found.

use super::super::{
    facts::{Facts, is_replay},
    scene::{Item, Scene, What},
};
use super::{Corruption, corrupt::Corrupted, lost, tied};
use agentwire_testkit::recorded::{Recorded, Role};

/// Why nothing could be found, where that is so.
pub(super) fn reason(corrupted: &Corrupted, scene: &Scene, facts: &Facts) -> Option<&'static str> {
    let item = scene.items.get(corrupted.item)?;
    let near = Near { scene, facts, at: corrupted.item, item };
    match corrupted.corruption {
        Corruption::DropReply => near.reply_need_not_be(),
        Corruption::DropAnswer => near.answer_need_not_be(),
        Corruption::DropRequest => near.request_is_alone(),
        Corruption::DropResult => near.result_need_not_be(),
        Corruption::Swap => {
            let next = scene.items.get(corrupted.item + 1)?;
            (!tied::in_order(item, next, scene, facts)).then_some("nothing ties the two lines")
        }
        Corruption::ChangeId => near.id_is_free(),
        Corruption::DropMessage => lost::message(corrupted.item, scene, facts),
        Corruption::DropCall => lost::call(corrupted.item, scene),
        Corruption::RepeatMessage => near.has_no_id(),
        Corruption::LoseTail => lost::tail(corrupted.item, scene, facts),
        Corruption::RepeatReply => near.may_be_replied_again(),
        Corruption::RepeatAnswer | Corruption::RepeatRequest | Corruption::RepeatCall | Corruption::Cut => {
            None
        }
    }
    .or_else(|| near.is_fault(corrupted.corruption))
    .or_else(|| near.bare_says_nothing(corrupted.corruption))
}

struct Near<'a> {
    scene: &'a Scene,
    facts: &'a Facts,
    at: usize,
    item: &'a Item,
}

impl<'a> Near<'a> {
    fn reply_need_not_be(&self) -> Option<&'static str> {
        let id = self.item.theirs()?.id()?;
        if self.ours_before().any(|read| read.role == (Role::Cancel { id: id.into() })) {
            return Some("a request that was cancelled need not be answered");
        }
        if self.is_tool_call(id) && self.scene.items.iter().any(|item| matches!(item.what, What::EndOfInput))
        {
            return Some("the CLI drops a tool call that runs when our input ends");
        }
        let replied_later = self
            .behind()
            .any(|item| matches!(item.theirs(), Some(Recorded { role: Role::Response { .. }, .. })));
        (self.is_cut_off() && !replied_later).then_some("a CLI that is cut off leaves the last request open")
    }

    fn answer_need_not_be(&self) -> Option<&'static str> {
        let id = self.item.ours()?.id()?;
        let was_cancelled = |read: &Recorded| read.role == (Role::Cancel { id: id.into() });
        if self.scene.theirs().any(was_cancelled) {
            return Some("a request that was cancelled need not be answered");
        }
        let request = self
            .scene
            .theirs()
            .find(|read| matches!(&read.role, Role::Request { id: asked, .. } if **asked == *id))?;
        if request.json.at(&["request", "agent_id"]).is_some()
            || request.json.at(&["request", "input", "agent_id"]).is_some()
        {
            return Some("an agent may outlive the turn, so its question may be open when our input ends");
        }
        let call = request.json.at(&["request", "message", "id"]);
        let is_cancelled = |read: &Recorded| {
            let cancelled = read.json.at(&["request", "message", "params", "requestId"]);
            cancelled.zip(call).is_some_and(|(cancelled, call)| cancelled.same(call))
        };
        if self.scene.theirs().any(is_cancelled) {
            return Some("an MCP call that was cancelled need not be answered");
        }
        let mut until_end =
            self.behind().take_while(|item| !matches!(item.what, What::EndOfInput | What::End(_)));
        let turn_ends = until_end.any(|item| item.theirs().is_some_and(|read| read.kind() == "result"));
        (!turn_ends).then_some("our input ended within the turn, and then nothing can be answered")
    }

    /// A recording of faults may hold this change of a line of ours.
    fn is_fault(&self, corruption: Corruption) -> Option<&'static str> {
        let next = self.scene.items.get(self.at + 1).filter(|_| corruption == Corruption::Swap);
        let is_ours = self.item.ours().or(next.and_then(Item::ours)).is_some();
        (is_ours && self.facts.faults).then_some("in a recording of faults our side may send anything")
    }

    fn may_be_replied_again(&self) -> Option<&'static str> {
        let id = self.item.theirs()?.id()?;
        let calls = self.ours_before().filter(|read| read.role != Role::Message && read.id() == Some(id));
        (self.is_tool_call(id) && calls.count() > 1)
            .then_some("the CLI may have replied to a tool call before its id was used again")
    }

    fn is_tool_call(&self, id: &str) -> bool {
        let is_it = |read: &Recorded| matches!(&read.role, Role::Request { id: own, subtype } if **own == *id && **subtype == *"mcp_call");
        self.ours_before().any(is_it)
    }

    fn request_is_alone(&self) -> Option<&'static str> {
        let id = self.item.theirs()?.id()?;
        let mut behind = self.behind();
        if self.facts.faults && !behind.any(|item| item.theirs().and_then(Recorded::id) == Some(id)) {
            return Some("in a recording of faults an answer may answer nothing");
        }
        let is_named = behind.any(|item| item.ours().or(item.theirs()).and_then(Recorded::id) == Some(id));
        (!is_named).then_some("a request that was neither answered nor cancelled leaves no trace")
    }

    fn result_need_not_be(&self) -> Option<&'static str> {
        if self.is_cut_off() {
            return Some("a CLI that is cut off leaves its turn open");
        }
        None
    }

    fn has_no_id(&self) -> Option<&'static str> {
        let read = self.item.theirs()?;
        let has_id = read.json.text_at(&["uuid"]).is_some() && !is_replay(read);
        (!has_id).then_some("a message without a `uuid` of its own may come again")
    }

    /// A bare capture has no line of ours, so nothing refers to the ids of its control frames.
    fn bare_says_nothing(&self, corruption: Corruption) -> Option<&'static str> {
        let is_cancel = self.item.theirs().is_some_and(|read| matches!(read.role, Role::Cancel { .. }));
        if self.scene.bare && is_cancel && corruption == Corruption::Swap {
            return Some("a bare capture has no answers, so no question is known to be open");
        }
        let is_control = self.item.theirs().is_some_and(|read| read.role != Role::Message);
        let is_of_pair =
            matches!(corruption, Corruption::DropReply | Corruption::DropRequest | Corruption::ChangeId);
        (self.scene.bare && is_control && is_of_pair)
            .then_some("a bare capture has only one side of requests and replies")
    }

    fn id_is_free(&self) -> Option<&'static str> {
        if let Some(call @ Recorded { role: Role::Request { .. }, .. }) = self.item.ours() {
            let is_named =
                self.behind().any(|item| item.ours().or(item.theirs()).and_then(Recorded::id) == call.id());
            return (!is_named).then_some("nothing refers to a request that has no reply");
        }
        if let Some(read) = self.item.theirs() {
            match &read.role {
                Role::Request { .. } if self.request_is_alone().is_some() => return self.request_is_alone(),
                Role::Request { .. } if self.facts.resumed || self.facts.tasks => {
                    return Some("it may name a tool use that this transcript does not show");
                }
                Role::Request { .. } if read.json.at(&["request", "agent_id"]).is_some() => {
                    return Some("it may name a tool use of an agent, which this transcript need not show");
                }
                Role::Request { subtype, .. } if **subtype == *"hook_callback" => {
                    return Some("a hook names a tool use for tool events only");
                }
                Role::Message if self.facts.tasks || self.facts.resumed => {
                    return Some("frames of several conversations mix");
                }
                Role::Message if read.kind() == "assistant" => {
                    return Some("an answer that does not stream is named by its own frames alone");
                }
                Role::Message if read.kind() == "result" && !self.facts.inits => {
                    return Some("no turn was announced, so its session is told by its frames alone");
                }
                _ => {}
            }
        }
        self.reply_need_not_be()
    }

    /// Whether the CLI did not end in its own time.
    fn is_cut_off(&self) -> bool {
        self.facts.stopped || !self.facts.ended_well()
    }

    fn behind(&self) -> impl Iterator<Item = &'a Item> + use<'a> {
        self.scene.items.iter().skip(self.at + 1)
    }

    fn ours_before(&self) -> impl Iterator<Item = &'a Recorded> + use<'a> {
        self.scene.items.iter().take(self.at).filter_map(Item::ours)
    }
}
