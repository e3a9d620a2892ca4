//! The checks: the peer's actions in each, and the expected result.

use std::{pin::Pin, task::Poll, time::Duration};

use agentwire_transport::{ByteSource, Signal, TransportError};
use bytes::{Bytes, BytesMut};
use tokio::join;
use tokio::time::{sleep, timeout};

use super::{
    end,
    opened::{Fault, Opened, Verdict, once, same, with_cause, within, wrong},
    part::{
        Part,
        PartKind::{self, Broken, Deaf, Plain, Raw, Signalled},
        Step::{self, Await, Break, Exit, Pause, Read, ReadEnd, Write},
        large, line, raw,
    },
};

/// The name of a check, the kind of part it needs, the steps of the peer, and the check itself.
pub(super) type Check = (&'static str, PartKind, fn() -> Vec<Step>, fn(Opened) -> Running);
type Running = Pin<Box<dyn Future<Output = Verdict> + Send>>;

/// The check that `cancel_safe_reads` enables.
pub(super) const DROPPED_READS: &str = "a dropped read loses nothing";

#[rustfmt::skip] // One check a line, or the table cannot be read.
pub(super) const CHECKS: &[Check] = &[
    ("bytes keep their order", Plain, || turns(LINES), |link| Box::pin(order(link))),
    ("bytes are not text", Raw, || vec![Read(raw()), Write(raw()), Exit(0)], |link| Box::pin(bytes(link))),
    ("no chunk is empty", Plain, || vec![Write(large("peer")), Exit(0)], |link| Box::pin(chunks(link))),
    ("large both ways at once", Plain, || vec![Write(large("peer")), Read(large("host")), Write(line("peer", 1)), Exit(0)], |link| Box::pin(both_ways(link))),
    ("a waiting read holds up no write", Plain, || turns(1), |link| Box::pin(waiting_read(link))),
    (DROPPED_READS, Plain, || turns(LINES), |link| Box::pin(dropped_reads(link))),
    ("a peer that does not read makes the host wait", Deaf, || vec![Write(line("peer", 1)), Pause, Exit(0)], |link| Box::pin(backpressure(link))),
    ("the end of output comes again", Plain, || vec![Write(line("peer", 1)), Exit(0)], |link| Box::pin(end_of_output(link))),
    ("an abnormal end comes once, after all bytes", Broken, || vec![Write(large("peer")), Break], |link| Box::pin(abnormal_end(link))),
    ("what a peer wrote is read after its end", Plain, || vec![Write(many()), Exit(0)], |link| Box::pin(end::late_reading(link))),
    ("the end of input comes after all bytes, and the output goes on", Plain, || vec![Read(large("host")), ReadEnd, Write(large("peer")), Exit(0)], |link| Box::pin(end_of_input(link))),
    ("an ended input is closed", Plain, || vec![ReadEnd, Write(line("peer", 1)), Exit(0)], |link| Box::pin(closed_input(link))),
    ("the input of a peer that is gone is closed", Plain, || vec![Write(line("peer", 1)), Exit(0)], |link| Box::pin(gone_input(link))),
    ("the end is reported to everyone, each time the same", Plain, || vec![Write(line("peer", 1)), Exit(7)], |link| Box::pin(end::ended(link))),
    ("`wait_group` returns, and not before the end", Plain, || vec![Read(line("host", 0)), Write(line("peer", 0)), ReadEnd, Exit(0)], |link| Box::pin(end::gone(link))),
    ("SIGTERM ends the peer", Signalled, || vec![Write(line("peer", 1)), Await(Signal::Term)], |link| Box::pin(end::terminated(link, Signal::Term))),
    ("SIGKILL ends the peer", Signalled, || vec![Write(line("peer", 1)), Await(Signal::Kill)], |link| Box::pin(end::terminated(link, Signal::Kill))),
    ("ending a peer that is gone is not an error", Plain, || vec![Write(line("peer", 1)), Exit(0)], |link| Box::pin(end::terminated_late(link))),
    ("dropping the handle ends the peer", Plain, || vec![Read(line("host", 0)), Write(line("peer", 0)), ReadEnd, Exit(0)], |link| Box::pin(end::dropped(link))),
    ("dropping the handle ends a peer that heeds no end of input", Signalled, || vec![Write(line("peer", 1)), Await(Signal::Term)], |link| Box::pin(end::dropped_while_it_waits(link))),
];

pub(super) async fn run(part: &Part, link: Opened) -> Verdict {
    match CHECKS.iter().find(|(name, ..)| *name == part.name()) {
        Some((.., check)) => check(link).await,
        None => wrong("there is no such check"),
    }
}

/// Returns alternating lines of both sides.
fn turns(count: usize) -> Vec<Step> {
    let turns = (0..count).flat_map(|number| [Read(line("host", number)), Write(line("peer", number))]);
    turns.chain([Exit(0)]).collect()
}

/// Returns lines that fit into every pipe.
pub(super) fn many() -> Bytes {
    (0..16).flat_map(|number| line("peer", number)).collect()
}

async fn order(mut link: Opened) -> Verdict {
    for number in 0..LINES {
        let mut line_of_ours = line("host", number);
        let rest = line_of_ours.split_off(number % line_of_ours.len());
        for chunk in [line_of_ours, rest].into_iter().filter(|chunk| !chunk.is_empty()) {
            link.sink.write_all(chunk).await?;
        }
        link.source.read_exactly(&line("peer", number)).await?;
    }
    link.source.end().await
}

async fn bytes(mut link: Opened) -> Verdict {
    let raw = raw();
    let (sent, received) = join!(biased; link.sink.write_all(raw.clone()), link.source.read_exactly(&raw));
    sent.and(received)?;
    link.source.end().await
}

async fn chunks(mut link: Opened) -> Verdict {
    // Each read fails on an empty chunk.
    link.source.read_exactly(&large("peer")).await?;
    link.source.end().await
}

async fn both_ways(mut link: Opened) -> Verdict {
    // The peer sends the line after it has read all input; the line may share a chunk with earlier output.
    let theirs: Bytes = [large("peer"), line("peer", 1)].concat().into();
    let (received, sent) =
        join!(biased; link.source.read_exactly(&theirs), link.sink.write_all(large("host")));
    received.and(sent)?;
    link.source.end().await
}

async fn waiting_read(mut link: Opened) -> Verdict {
    let theirs = line("peer", 0);
    // The peer writes only after it has received a line, so this read has to wait.
    let (received, sent) =
        join!(biased; link.source.read_exactly(&theirs), link.sink.write_all(line("host", 0)));
    received.and(sent)
}

async fn dropped_reads(mut link: Opened) -> Verdict {
    let limit = link.life.limit;
    for number in 0..LINES {
        link.sink.write_all(line("host", number)).await?;
        let expected = line("peer", number);
        let reading = read_in_pieces(&mut link, expected.len());
        let received = within(limit, "reading with reads that are dropped", reading).await??;
        same(&received, &expected)?;
    }
    Ok(())
}

/// Polls each read once, and drops it.
async fn read_in_pieces(link: &mut Opened, length: usize) -> Result<BytesMut, Fault> {
    let mut received = BytesMut::new();
    while received.len() < length {
        match once(link.source.source.read()) {
            Poll::Ready(Ok(Some(chunk))) if !chunk.is_empty() => received.extend_from_slice(&chunk),
            Poll::Ready(_) => return wrong("the output ended, or an empty chunk came"),
            // The dropped read registered the only waker, so poll again after a pause.
            Poll::Pending => sleep(Duration::from_millis(1)).await,
        }
    }
    Ok(received)
}

async fn backpressure(mut link: Opened) -> Verdict {
    link.source.read_exactly(&line("peer", 1)).await?;
    for _ in 0..FLOOD {
        match timeout(PATIENCE, link.sink.write(flood())).await {
            // The write blocks, as required.
            Err(_) => return Ok(()),
            Ok(Ok(Ok(()))) => {}
            Ok(Ok(Err(error))) => return wrong(format!("writing failed: {}", with_cause(&error))),
            Ok(Err(fault)) => return Err(fault),
        }
    }
    wrong(format!("{} MiB were taken that nobody has read", FLOOD * flood().len() / 1024 / 1024))
}

async fn end_of_output(mut link: Opened) -> Verdict {
    link.source.read_exactly(&line("peer", 1)).await?;
    link.source.end().await
}

async fn abnormal_end(mut link: Opened) -> Verdict {
    let mut received = BytesMut::new();
    loop {
        match link.source.read().await? {
            Ok(Some(chunk)) => received.extend_from_slice(&chunk),
            Ok(None) => return wrong("the end came without an error"),
            Err(_) => break,
        }
    }
    same(&received, &large("peer"))?;
    link.source.end().await
}

async fn end_of_input(mut link: Opened) -> Verdict {
    link.sink.write_all(large("host")).await?;
    link.sink.finish().await?;
    link.sink.finish().await?;
    link.source.read_exactly(&large("peer")).await?;
    link.source.end().await
}

async fn closed_input(mut link: Opened) -> Verdict {
    link.sink.finish().await?;
    match link.sink.write(line("host", 0)).await? {
        Err(TransportError::Closed) => Ok(()),
        Err(error) => wrong(format!("another error than `Closed`: {}", with_cause(&error))),
        Ok(()) => wrong("a write was taken after the end"),
    }
}

async fn gone_input(mut link: Opened) -> Verdict {
    link.source.read_exactly(&line("peer", 1)).await?;
    link.source.end().await?;
    link.life.ended_if_process().await?;
    for _ in 0..FLOOD {
        match link.sink.write(flood()).await? {
            Ok(()) => {}
            Err(TransportError::Closed) => return Ok(()),
            Err(error) => return wrong(format!("another error than `Closed`: {}", with_cause(&error))),
        }
    }
    wrong("everything was taken, although nobody is there")
}

fn flood() -> Bytes {
    format!("{{\"flood\":\"{}\"}}\n", "x".repeat(64 * 1024)).into()
}

const LINES: usize = 50;
/// With chunks of 64 KiB, more than any buffer should hold.
const FLOOD: usize = 1024;
/// How long a blocked write must stay blocked to pass.
const PATIENCE: Duration = Duration::from_millis(500);
