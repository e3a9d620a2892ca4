//! The turns of a prompt: each is started behind a fence in the journal, and awaited by an awakeable.

use std::time::Duration;

use agentwire::protocol::ToolUseId;
use agentwire_worker::{Answer, Outcome, Question, Recovery, SessionName, TurnInput, TurnSpec};
use restate_sdk::prelude::*;

use super::{
    Session,
    record::Record,
    reservation::{reserve, settle},
    watch::Watch,
};
use crate::wire::{Begun, Call, Ended, Parked, Place, SessionPrompt};

impl Session {
    /// Runs the turns of a prompt until one ends with an outcome of the prompt.
    pub(super) async fn run(
        &self,
        ctx: &ObjectContext<'_>,
        name: &SessionName,
        prompt: SessionPrompt,
        record: &mut Record,
    ) -> Result<Outcome, TerminalError> {
        if !self.end_left(ctx, record).await? {
            return Ok(Outcome::Cancelled);
        }
        settle(ctx, name, record, 0.0);
        let SessionPrompt { mut turn, policy } = prompt;
        let wanted_usd = turn.budget_usd;
        let mut restarts = 0;
        loop {
            turn.budget_usd = match reserve(ctx, name, wanted_usd, record).await? {
                None => return Ok(Outcome::Cancelled),
                Some(Err(refusal)) => return Ok(Outcome::Refused(refusal)),
                Some(Ok(budget_usd)) => budget_usd,
            };
            let ended = self.turn(ctx, name, &mut turn, record).await;
            record.running = None;
            settle(ctx, name, record, ended.as_ref().map_or(0.0, |(_, cost_usd)| *cost_usd));
            let (why, state, revision) = match ended?.0 {
                None => return Ok(Outcome::Cancelled),
                Some(Ended::Lost) => ("the worker was lost in the turn".to_owned(), None, None),
                Some(Ended::Turn(end, early)) => match end.outcome {
                    Outcome::Parked(questions) => {
                        let Some(answers) = answers(ctx, questions, early, record).await? else {
                            return Ok(Outcome::Cancelled);
                        };
                        turn.input = TurnInput::Answers(answers);
                        turn.revision = end.revision;
                        continue;
                    }
                    Outcome::Drained => ("the worker was drained in the turn".to_owned(), None, end.revision),
                    // If the worker reports that the turn was not started, that counts. Otherwise the store decides.
                    Outcome::Interrupted { why, state } => {
                        (why, (state == Recovery::Unstarted).then_some(state), end.revision)
                    }
                    outcome => return Ok(outcome),
                },
            };
            record.save(ctx);
            let state = match state {
                Some(state) => state,
                None => match unless_cancelled(self.recovery(ctx, name, &turn.input).await)? {
                    Some(state) => state,
                    None => return Ok(Outcome::Cancelled),
                },
            };
            // A turn that began may have changed files.
            if state != Recovery::Unstarted {
                turn.revision = revision;
            }
            let id = ctx.run(|| async { Ok(uuid::Uuid::new_v4().to_string()) }).name("id").await;
            let Some(id) = unless_cancelled(id)? else { return Ok(Outcome::Cancelled) };
            match (state.restart(&policy, &turn.input, id), state) {
                (Some(input), _) if restarts < RESTARTS => (turn.input, restarts) = (input, restarts + 1),
                (_, Recovery::Finished { text }) => return Ok(Outcome::Done { text, is_error: false }),
                (_, state) => return Ok(Outcome::Interrupted { why, state }),
            }
        }
    }

    /// Ends the turn that a killed prompt has left, so that no other worker runs the next turn beside it. Returns
    /// `false` if this prompt is cancelled first; the turn is then left to the next prompt.
    async fn end_left(&self, ctx: &ObjectContext<'_>, record: &mut Record) -> Result<bool, TerminalError> {
        let Some(place) = record.running.clone() else { return Ok(true) };
        record.save(ctx);
        let (ticket, lost) = ctx.awakeable::<Json<Ended>>();
        let mut lost = std::pin::pin!(lost);
        let mut watch = Watch::new(ctx, &place.fence.boot, &ticket);
        watch.start();
        let is_ended = loop {
            match unless_cancelled(self.end(ctx, &place).await)? {
                Some(Some(true)) => break true,
                Some(_) => {}
                None => break false,
            }
            restate_sdk::select! {
                _ = &mut lost => { break true },
                _ = ctx.sleep(PAUSE) => {},
                on_cancel => break false
            }
        };
        watch.stop();
        if is_ended {
            record.running = None;
        }
        Ok(is_ended)
    }

    /// Ends a turn, and returns whether it has ended; `None` without an answer of the worker.
    async fn end(&self, ctx: &ObjectContext<'_>, place: &Place) -> Result<Option<bool>, TerminalError> {
        let (peers, address, fence) = (self.peers.clone(), place.address.clone(), place.fence.clone());
        let end = || async move {
            let has_ended = match peers.call::<bool>(&address, &Call::Cancel(fence.clone())).await {
                Some(true) => peers.call::<bool>(&address, &Call::HasEnded(fence)).await,
                // The turn was not started, and can't start any more.
                Some(false) => Some(true),
                None => None,
            };
            Ok(Json(has_ended))
        };
        ctx.run(end).name("end").await.map(Json::into_inner)
    }

    /// Runs one turn, and returns its end (`None` if it was cancelled) and its cost in US dollars.
    async fn turn(
        &self,
        ctx: &ObjectContext<'_>,
        name: &SessionName,
        turn: &mut TurnSpec,
        record: &mut Record,
    ) -> Result<(Option<Ended>, f64), TerminalError> {
        let (mut tried, mut rounds, mut absent) = (0, 0, 0_u32);
        loop {
            let Some(place) = unless_cancelled(self.place(ctx, name, (tried, rounds), record).await)? else {
                return Ok((None, 0.0));
            };
            let Some(place) = place else {
                (tried, rounds, absent) = (0, rounds + 1, absent + 1);
                let longer = absent.saturating_sub(ABSENT_ROUNDS).min(LONG_ROUNDS);
                if !pause(ctx, rounds.min(ROUNDS).max(longer)).await? {
                    return Ok((None, 0.0));
                }
                continue;
            };
            absent = 0;
            let (ticket, ended) = ctx.awakeable::<Json<Ended>>();
            let mut ended = std::pin::pin!(ended);
            let mut watch = Watch::new(ctx, &place.fence.boot, &ticket);
            turn.ticket = Some(ticket.as_str().into());
            // `None` if the prompt is cancelled; the turn may have begun then.
            let begun = loop {
                match unless_cancelled(self.start(ctx, &place, turn).await)? {
                    Some(None) => {}
                    Some(begun) => break begun,
                    None => break None,
                }
                // The worker may have got the request, or may be lost.
                watch.start();
                restate_sdk::select! {
                    end = &mut ended => { return Ok(watch.end(end?.into_inner(), false)) },
                    _ = ctx.sleep(PAUSE) => {},
                    on_cancel => break None
                }
            };
            let mut is_cancelled = match begun {
                Some(Begun::Busy) => {
                    watch.stop();
                    record.running = None;
                    record.save(ctx);
                    tried += 1;
                    if tried % place.workers.max(1) == 0 {
                        rounds += 1;
                        if !pause(ctx, rounds.min(ROUNDS)).await? {
                            return Ok((None, 0.0));
                        }
                    }
                    continue;
                }
                Some(Begun::Refused(status, why)) => {
                    watch.stop();
                    return Err(TerminalError::new_with_code(status, why));
                }
                // A running worker that has not started the turn does not report it.
                Some(Begun::Lost) => match unless_cancelled(self.stop(ctx, &place).await)? {
                    Some(Some(false)) => {
                        watch.stop();
                        return Ok((Some(Ended::Lost), 0.0));
                    }
                    stopped => stopped.is_none(),
                },
                Some(Begun::Started) => false,
                None => true,
            };
            // Entries of many short turns would delay the beats of the worker, which wait in the same queue.
            if !is_cancelled {
                restate_sdk::select! {
                    end = &mut ended => { return Ok(watch.end(end?.into_inner(), false)) },
                    _ = ctx.sleep(PAUSE) => {},
                    on_cancel => is_cancelled = true
                }
            }
            // A lost turn is reported after the lease of its worker.
            watch.start();
            if !is_cancelled {
                restate_sdk::select! {
                    end = &mut ended => { return Ok(watch.end(end?.into_inner(), false)) },
                    on_cancel => {}
                }
            }
            loop {
                if unless_cancelled(self.stop(ctx, &place).await)? == Some(Some(false)) {
                    watch.stop();
                    return Ok((None, 0.0));
                }
                restate_sdk::select! {
                    end = &mut ended => { return Ok(watch.end(end?.into_inner(), true)) },
                    _ = ctx.sleep(PAUSE) => {},
                    on_cancel => {}
                }
            }
        }
    }

    /// Gets a fence, which is in the journal before the turn starts.
    async fn place(
        &self,
        ctx: &ObjectContext<'_>,
        name: &SessionName,
        (tried, rounds): (usize, u32),
        record: &mut Record,
    ) -> Result<Option<Place>, TerminalError> {
        record.epoch += 1;
        let (peers, name, epoch, last) =
            (self.peers.clone(), name.clone(), record.epoch, record.worker.clone());
        let place = || async move {
            let place = peers.fence(&name, epoch, last, tried).await;
            // Within the step, which a replay does not run again.
            match &place {
                Err(why) if rounds == 0 => {
                    tracing::warn!(session = %name, "{why}: the prompt waits");
                }
                Ok(place) if rounds == 1 && tried == place.workers.max(1) => {
                    tracing::warn!(session = %name, "no worker has room: the prompt waits");
                }
                _ => {}
            }
            Ok(Json(place.ok()))
        };
        let Json(place) = ctx.run(place).name("fence").await?;
        if let Some(place) = &place {
            (record.worker, record.running) = (Some(place.address.clone()), Some(place.clone()));
            record.save(ctx);
        }
        Ok(place)
    }

    async fn start(
        &self,
        ctx: &ObjectContext<'_>,
        place: &Place,
        turn: &TurnSpec,
    ) -> Result<Option<Begun>, TerminalError> {
        let call = Call::Start(place.fence.clone(), Box::new(turn.clone()));
        let (peers, address) = (self.peers.clone(), place.address.clone());
        let start = || async move { Ok(Json(peers.start(&address, &call).await)) };
        ctx.run(start).name("start").await.map(Json::into_inner)
    }

    /// Ends a turn. Returns whether its end is reported, and `None` without an answer of the worker.
    ///
    /// If the start of the turn has not reached the worker, there is no report, and a later start is refused.
    async fn stop(&self, ctx: &ObjectContext<'_>, place: &Place) -> Result<Option<bool>, TerminalError> {
        let (peers, address) = (self.peers.clone(), place.address.clone());
        let call = Call::Cancel(place.fence.clone());
        let stop = || async move { Ok(Json(peers.call::<bool>(&address, &call).await)) };
        ctx.run(stop).name("stop").await.map(Json::into_inner)
    }

    /// Asks a worker for the state of the lost turn, until one answers.
    async fn recovery(
        &self,
        ctx: &ObjectContext<'_>,
        name: &SessionName,
        input: &TurnInput,
    ) -> Result<Recovery, TerminalError> {
        let mut rounds: u32 = 0;
        loop {
            let (peers, name, input) = (self.peers.clone(), name.clone(), input.clone());
            let read = || async move { Ok(Json(peers.recovery(&name, &input).await)) };
            let Json(state) = ctx.run(read).name("recovery").await?;
            if let Some(state) = state {
                return Ok(state);
            }
            rounds += 1;
            // Each round adds to the journal, and the store may be away for hours.
            ctx.sleep(PAUSE * rounds.min(LONG_ROUNDS)).await?;
        }
    }
}

/// Returns `None` if the prompt was cancelled during a step of the journal, which fails then.
fn unless_cancelled<T>(step: Result<T, TerminalError>) -> Result<Option<T>, TerminalError> {
    match step {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.code() == CANCELLED => Ok(None),
        Err(error) => Err(error),
    }
}

/// Waits for the answers to parked questions; `None` if the prompt was cancelled.
async fn answers(
    ctx: &ObjectContext<'_>,
    questions: Vec<Question>,
    early: Vec<(ToolUseId, Answer)>,
    record: &mut Record,
) -> Result<Option<Vec<(Question, Answer)>>, TerminalError> {
    let (mut answers, mut open, mut promises) = (Vec::new(), Vec::new(), DurableFuturesUnordered::new());
    for question in questions {
        if let Some((_, answer)) = early.iter().find(|(id, _)| *id == question.id) {
            answers.push((question, answer.clone()));
        } else {
            let (awakeable, promise) = ctx.awakeable::<Json<Answer>>();
            record.parked.push(Parked { question: question.clone(), awakeable });
            promises.push(promise);
            open.push(question);
        }
    }
    record.save(ctx);
    loop {
        match unless_cancelled(promises.next().await)? {
            None => return Ok(None),
            Some(None) => return Ok(Some(answers)),
            Some(Some((n, answer))) => {
                let question: &Question = &open[n];
                // A later answer to it is refused.
                record.parked.retain(|parked| parked.question.id != question.id);
                record.save(ctx);
                answers.push((question.clone(), answer?.into_inner()));
            }
        }
    }
}

/// Waits `pauses` seconds, and returns whether the prompt was not cancelled.
///
/// Each round adds to the journal, and to the queue of the workers' leases, where it would delay their renewal.
async fn pause(ctx: &ObjectContext<'_>, pauses: u32) -> Result<bool, TerminalError> {
    restate_sdk::select! {
        _ = ctx.sleep(PAUSE * pauses) => { Ok(true) },
        on_cancel => Ok(false)
    }
}

/// The code of the error by which Restate cancels a step.
const CANCELLED: u16 = 409;

/// How many times a prompt is started again: a CLI that can't start must not fill the journal.
const RESTARTS: u32 = 5;

/// How long a handler waits before it asks a worker again.
const PAUSE: Duration = Duration::from_secs(1);

/// The number of rounds over all workers after which the pauses stop growing.
const ROUNDS: u32 = 5;

/// The number of rounds without any worker, five minutes, after which the pauses grow again, up to a minute: workers may
/// be away for days, and each round replays the journal of all rounds.
const ABSENT_ROUNDS: u32 = 60;

/// The longest pause in rounds while the state of a lost turn can't be read, or no worker has been there for long.
const LONG_ROUNDS: u32 = 60;
