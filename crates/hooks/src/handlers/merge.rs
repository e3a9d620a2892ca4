//! Several replies to one event as one reply.

use agentwire_control::{FailureKind, note_failure};
use agentwire_protocol::hook::{BlockDecision, HookAnswer, HookEvent, HookReply, NoOutput};

/// An event whose replies can be merged, so that [`Handlers`](super::Handlers) serve it: all of this version's but
/// `WorktreeCreate`, for which only one handler can make the worktree.
pub trait Merge: HookEvent<Output: MergeOutput<Self>> {}

impl<E: HookEvent<Output: MergeOutput<E>>> Merge for E {}

/// How an event's own outputs are merged.
///
/// The trait can't be named from outside, so the rules may change with the events.
#[expect(unnameable_types, reason = "only this crate says how events are merged")]
pub trait MergeOutput<E: HookEvent<Output = Self>>: Sized {
    /// Merges `later` into `self`.
    ///
    /// # Errors
    ///
    /// When both change the same thing, each without having seen the other's change.
    fn merge_output(&mut self, later: Self, changes: Changes) -> Result<(), String>;

    /// Returns how strict the output's decision is, if it has one.
    fn strictness(&self) -> Strictness {
        Strictness::Silent
    }

    /// Applies the output's changes to the input of the next handler.
    fn carry(&self, _input: &mut E::Input) {}

    /// Turns a `block` into the event's own decision, where the CLI would ignore it beside one.
    fn settle(_reply: &mut HookReply<E>) {}
}

/// An event without an output of its own has nothing to merge.
impl<E: HookEvent<Output = Self>> MergeOutput<E> for NoOutput {
    fn merge_output(&mut self, later: Self, _: Changes) -> Result<(), String> {
        match later {}
    }
}

/// What a decision means for whatever the event guards.
#[expect(unnameable_types, reason = "only this crate says how events are merged")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strictness {
    /// No decision.
    Silent,
    /// It goes ahead.
    Allow,
    /// Somebody is asked.
    Ask,
    /// It is put off, or something that this version does not know.
    Defer,
    /// It is refused.
    Deny,
}

/// How changes of several handlers go together.
#[expect(unnameable_types, reason = "only this crate says how events are merged")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changes {
    /// Each handler has seen what those before have changed: the last one counts.
    BuiltOnOneAnother,
    /// No handler has seen what others change: two different ones have no meaning together.
    EachByItself,
}

/// What several handlers have said so far.
pub(super) struct Merged<E: Merge> {
    changes: Changes,
    reply: HookReply<E>,
    failure: Option<String>,
}

impl<E: Merge> Merged<E> {
    pub(super) fn new(changes: Changes) -> Self {
        Self { changes, reply: HookReply::proceed(), failure: None }
    }

    /// Takes one more answer, and puts its changes into the `input` for the next handler.
    pub(super) fn take(&mut self, answer: Result<HookAnswer<E>, String>, input: Option<&mut E::Input>) {
        let merged = match answer {
            Ok(HookAnswer::Now(reply)) => {
                if let (Some(input), Some(output)) = (input, &reply.output) {
                    output.carry(input);
                }
                merge(&mut self.reply, reply, self.changes)
            }
            Ok(HookAnswer::Later(_)) => Ok(()),
            Err(failure) => Err(failure),
        };
        if let Err(failure) = merged {
            // It is to be seen, also where another one's refusal is the answer.
            tracing::warn!(event = E::NAME, "one of several handlers of a hook has failed");
            note_failure(FailureKind::Error, &*failure);
            self.failure.get_or_insert(failure);
        }
    }

    /// Whether one has refused: no other can change that.
    ///
    /// Where the event can't refuse, a block is only an objection, and another handler may still have to say something.
    pub(super) fn refuses(&self) -> bool {
        let blocks = self.reply.decision == Some(BlockDecision::Block);
        (blocks || self.strictness() == Strictness::Deny) && E::refusal("").is_some()
    }

    /// The whole: a refusal, or else a failure, or else the reply.
    ///
    /// A failure that lets pass what is guarded (`failure_refuses` is not set) does not take back what others restrain.
    pub(super) fn finish(mut self, failure_refuses: bool) -> Result<HookAnswer<E>, String> {
        match self.failure.take() {
            Some(failure) if !self.refuses() && (failure_refuses || !self.restrains()) => Err(failure),
            _ => {
                E::Output::settle(&mut self.reply);
                Ok(self.reply.into())
            }
        }
    }

    /// Whether there is something to be lost, other than leave to go ahead.
    fn restrains(&self) -> bool {
        self.strictness() != Strictness::Allow && self.reply != HookReply::proceed()
    }

    fn strictness(&self) -> Strictness {
        self.reply.output.as_ref().map_or(Strictness::Silent, E::Output::strictness)
    }
}

/// Puts one more reply into what was said so far.
fn merge<E: Merge>(first: &mut HookReply<E>, later: HookReply<E>, changes: Changes) -> Result<(), String> {
    let ends = |keep_going| keep_going == Some(false);
    if first.keep_going.is_none() || (ends(later.keep_going) && !ends(first.keep_going)) {
        first.keep_going = later.keep_going.or(first.keep_going);
        first.stop_reason = later.stop_reason.or(first.stop_reason.take());
    }
    flag(&mut first.suppress_output, later.suppress_output);
    text(&mut first.system_message, later.system_message);
    if let Some(sequence) = later.terminal_sequence {
        first.terminal_sequence.get_or_insert_default().push_str(&sequence);
    }
    let blocks = |decision: &Option<_>| *decision == Some(BlockDecision::Block);
    if first.decision.is_none() || (blocks(&later.decision) && !blocks(&first.decision)) {
        first.decision = later.decision.or(first.decision.take());
        first.reason = later.reason.or(first.reason.take());
    }
    match (&mut first.output, later.output) {
        (Some(first), Some(later)) => first.merge_output(later, changes),
        (none, Some(later)) => {
            *none = Some(later);
            Ok(())
        }
        (_, None) => Ok(()),
    }
}

/// A text of several lines, one or more from each.
pub(super) fn text(first: &mut Option<String>, later: Option<String>) {
    match (first, later) {
        (Some(first), Some(later)) => {
            first.push('\n');
            first.push_str(&later);
        }
        (none, Some(later)) => *none = Some(later),
        (_, None) => {}
    }
}

/// Something that holds if one says so.
pub(super) fn flag(first: &mut Option<bool>, later: Option<bool>) {
    if *first != Some(true) {
        *first = later.or(*first);
    }
}

/// Everything that was named.
pub(super) fn list<T>(first: &mut Option<Vec<T>>, later: Option<Vec<T>>) {
    if let Some(later) = later {
        first.get_or_insert_default().extend(later);
    }
}

/// Something that is there once.
pub(super) fn change<T: PartialEq>(
    first: &mut Option<T>,
    later: Option<T>,
    changes: Changes,
    what: &str,
) -> Result<(), String> {
    match (&*first, &later) {
        (_, None) => return Ok(()),
        (Some(one), Some(other)) if changes == Changes::EachByItself && one != other => {
            return Err(format!("two handlers set `{what}`, each in its own way"));
        }
        _ => {}
    }
    *first = later;
    Ok(())
}
