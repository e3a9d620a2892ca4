//! Plays a transcript through a whole session, with handlers that return the recorded answers.

mod book;
mod handlers;
mod handshakes;
mod host;
mod normal;
mod server;

use std::{sync::Arc, time::Duration};

use agentwire::{ControlError, Error, Incoming, Session};
use agentwire_net::error_chain;
use tokio::time::timeout;

use self::{book::Book, host::Host};
use super::{Report, play};
use agentwire_testkit::{
    Replay, ReplayReport, Splits, Transcript,
    excerpt::excerpt,
    recorded::{Recorded, Role},
    transcript::Entry,
};

/// Plays a transcript through a session of the facade, over a replay of the CLI.
///
/// Its hooks are registered as the recorded `initialize` declares them, permission requests go through a permission
/// handler, MCP messages through in-process servers, and everything else through a responder; each returns the answer
/// that was recorded for its request.
/// Prompts and calls are sent when they are due.
/// What the session delivers must be the recorded messages, all and in order.
///
/// The session may start in another way than the recorded one: it always sends `initialize`, and waits for the reply
/// before it sends anything else.
/// A bare capture cannot be played, and passes; a transcript with a refused `initialize` is played
/// up to the refusal.
///
/// Needs a tokio runtime with its timer. Bounded in time.
pub async fn check_facade(transcript: &Transcript, splits: Splits) -> Report {
    let mut report = Report::default();
    let entries = normal::entries(transcript);
    if !entries.iter().any(|(_, entry)| matches!(entry, Entry::Outbound(_))) {
        return report;
    }
    let outcome = timeout(LIMIT, run(&entries, splits, &mut report)).await;
    if outcome.is_err() {
        report.find_overall(format!("the session did not end within {LIMIT:?}"));
    }
    report.sort();
    report
}

async fn run(entries: &[(usize, Entry)], splits: Splits, report: &mut Report) {
    let book = Arc::new(Book::new(entries));
    let replay = Replay::of_entries(entries.iter().cloned()).splits(splits).foreign().limit(WAIT);
    let handle = replay.handle();
    let builder = handlers::install(Session::builder().transport(replay), &book);
    match builder.connect().await {
        Ok(session) => {
            if book.is_refused {
                report.find_overall("the session started, and its handshake was refused");
            }
            let control = session.control().clone();
            let (delivered, replies) = tokio::join!(read(session), Host::new(control, handle.clone()).run());
            compare(&book.messages, &delivered.messages, report);
            compare_end(&book, delivered.ended, report);
            for (id, reply) in replies {
                if let Some((line, recorded)) = book.reply(&id)
                    && let Err(why) = play::compare_reply(recorded, reply)
                {
                    report.find(line, why);
                }
            }
        }
        Err(error) if !book.is_refused => {
            report.find_overall(format!("no session: {}", error_chain(&error)));
        }
        Err(Error::Control(ControlError::Rejected { .. })) => {}
        Err(error) => compare_end(&book, Some(error), report),
    }
    report_mismatch(&handle.report(), report);
}

/// The output of a session.
struct Delivered {
    messages: Vec<Incoming>,
    ended: Option<Error>,
}

async fn read(mut session: Session) -> Delivered {
    let mut delivered = Delivered { messages: Vec::new(), ended: None };
    while let Some(next) = session.next().await {
        match next {
            Ok(incoming) => delivered.messages.push(incoming),
            Err(error) => delivered.ended = Some(error),
        }
    }
    delivered
}

/// Checks that every recorded message was delivered once, in order and unchanged.
fn compare(expected: &[(usize, bytes::Bytes)], delivered: &[Incoming], report: &mut Report) {
    for (index, (line, recorded)) in expected.iter().enumerate() {
        match delivered.get(index).map(Incoming::line) {
            Some(Some(came)) if came.as_bytes() == &recorded[..] => {}
            Some(came) => {
                let came = came.map(|line| excerpt(line.as_bytes())).unwrap_or_default();
                return report.find(*line, format!("the session delivered another message: {came}"));
            }
            None => return report.find(*line, "the session never delivered the message"),
        }
    }
    for more in delivered.iter().skip(expected.len()) {
        let text = more.line().map(|line| excerpt(line.as_bytes())).unwrap_or_default();
        report.find_overall(format!("the session delivered what was not recorded: {text}"));
    }
}

/// Checks that the session ended as recorded.
fn compare_end(book: &Book, ended: Option<Error>, report: &mut Report) {
    let Some((line, recorded)) = &book.end else { return };
    let exit = ended.as_ref().and_then(Error::ending).map(|ending| ending.exit.clone());
    match (exit, recorded.is_success()) {
        // A clean session does not report its exit.
        (None, true) if ended.is_none() => {}
        (Some(Some(exit)), _) if exit.code == recorded.code && exit.signal == recorded.signal => {}
        _ => {
            let how = ended.map_or_else(|| "well".to_owned(), |error| error_chain(&error));
            report.find(*line, format!("the session ended in another way: {how}"));
        }
    }
}

fn report_mismatch(replay: &ReplayReport, report: &mut Report) {
    if let Some(mismatch) = &replay.mismatch {
        let what = mismatch.to_string();
        match mismatch.line {
            Some(line) => report.find(line, what),
            None => report.find_overall(what),
        }
    } else if !replay.is_complete() {
        report.find_overall(replay.to_string());
    }
}

/// Returns whether a session delivers this line to its user.
fn is_message(read: Option<&Recorded>) -> bool {
    let Some(read) = read else { return true };
    read.role == Role::Message && !matches!(read.kind(), "control_response" | "control_cancel_request")
}

/// How long a session may take altogether.
const LIMIT: Duration = Duration::from_secs(120);
/// How long the replay waits for a line of ours.
const WAIT: Duration = Duration::from_secs(10);
