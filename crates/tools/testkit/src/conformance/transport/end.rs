//! Checks of how a peer ends: on its own, on request, and when its handle is dropped.

use std::task::Poll;

use agentwire_transport::{PeerHandle, Signal};
use tokio::{join, time::timeout, try_join};

use super::{
    checks::many,
    opened::{Life, Opened, Verdict, once, with_cause, wrong},
    part::line,
};

pub(super) async fn late_reading(mut link: Opened) -> Verdict {
    if link.life.handle.has_process() {
        // A transport without a buffer sees the end of its peer only while it reads.
        let _ = timeout(link.life.limit / 4, link.life.handle.wait()).await;
    }
    link.source.read_exactly(&many()).await?;
    link.source.end().await
}

pub(super) async fn ended(mut link: Opened) -> Verdict {
    link.life.needs_process()?;
    for _ in 0..3 {
        let _ = once(link.life.handle.wait());
    }
    link.source.read_exactly(&line("peer", 1)).await?;
    let (one, two) = join!(biased; link.life.ended(), link.life.ended());
    let (one, two, three) = (one?, two?, link.life.ended().await?);
    if one != two || one != three {
        return wrong(format!("it was reported as {one}, as {two} and as {three}"));
    }
    match one.code {
        Some(7) => Ok(()),
        _ => wrong(format!("the peer ended with exit code 7, and this is reported: {one}")),
    }
}

pub(super) async fn gone(link: Opened) -> Verdict {
    let Opened { mut source, mut sink, life } = link;
    life.needs_process()?;
    sink.write_all(line("host", 0)).await?;
    source.read_exactly(&line("peer", 0)).await?;
    let finishing = async {
        // Later callers must not take the place of the one that waits.
        not_yet(&life)?;
        sink.finish().await
    };
    try_join!(biased; life.ended(), finishing)?;
    life.gone().await?;
    life.gone().await
}

fn not_yet(life: &Life) -> Verdict {
    match (once(life.handle.wait()), once(life.handle.wait_group())) {
        (Poll::Ready(report), _) => wrong(format!("its end is reported ({report}) while it lives")),
        (_, Poll::Ready(())) => wrong("it is reported as gone while it lives"),
        (Poll::Pending, Poll::Pending) => Ok(()),
    }
}

pub(super) async fn terminated(mut link: Opened, how: Signal) -> Verdict {
    link.life.needs_process()?;
    link.source.read_exactly(&line("peer", 1)).await?;
    not_yet(&link.life)?;
    terminate(&link.life, how)?;
    let report = link.life.ended().await?;
    let (name, number) = if how == Signal::Kill { ("SIGKILL", 9) } else { ("SIGTERM", 15) };
    // A transport may report exit codes only, as ssh does.
    if report.signal.is_some_and(|signal| signal != number) {
        return wrong(format!("{name} was sent, and this is reported: {report}"));
    }
    link.source.any_end().await
}

pub(super) async fn terminated_late(mut link: Opened) -> Verdict {
    link.source.read_exactly(&line("peer", 1)).await?;
    link.source.end().await?;
    link.life.ended_if_process().await?;
    terminate(&link.life, Signal::Term)?;
    terminate(&link.life, Signal::Kill)
}

fn terminate(life: &Life, how: Signal) -> Verdict {
    life.handle.signal(how).or_else(|error| wrong(format!("terminating it failed: {}", with_cause(&error))))
}

pub(super) async fn dropped(link: Opened) -> Verdict {
    let Opened { mut source, mut sink, life } = link;
    sink.write_all(line("host", 0)).await?;
    source.read_exactly(&line("peer", 0)).await?;
    // A peer without a process is ended by dropping its input too.
    let sink = life.handle.has_process().then_some(sink);
    drop(life);
    source.any_end().await?;
    drop(sink);
    Ok(())
}

pub(super) async fn dropped_while_it_waits(link: Opened) -> Verdict {
    let Opened { mut source, sink, life } = link;
    life.needs_process()?;
    source.read_exactly(&line("peer", 1)).await?;
    drop((life, sink));
    source.any_end().await
}
