//! Plays a transcript through the line decoder and the router, with a host that takes everything from the transcript.

mod expect;
mod host;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use agentwire_codec::{Frame, LineDecoder};
use agentwire_control::{ControlError, Router, RouterEvent, SessionEvent, SessionExit};
use bytes::{Bytes, BytesMut};

pub(super) use {
    expect::compare_reply,
    host::{Answer, answer, prompt, raw},
};

use super::{
    report::Report,
    scene::{Item, Mark, Scene, What},
};
use agentwire_testkit::{Splits, ids::Ids, replay::exit_report, splits::Cutter};

/// Plays the transcript; each difference between the output of the layers and the recording is a finding.
pub(super) fn check(scene: &Scene, splits: Splits, report: &mut Report) {
    let mut play = Play {
        router: Router::new(),
        decoder: LineDecoder::default(),
        cutter: Cutter::new(splits),
        ids: Ids::default(),
        written: BytesMut::new(),
        awaited: VecDeque::new(),
        calls: BTreeMap::new(),
        asked: BTreeSet::new(),
        input_ended: false,
        faults: scene.faults,
        last_line: 0,
        report,
    };
    for item in &scene.items {
        play.last_line = item.line;
        play.item(item);
    }
    play.flush();
    play.end(scene);
}

struct Play<'a> {
    router: Router,
    decoder: LineDecoder,
    cutter: Cutter,
    ids: Ids,
    /// Output of the CLI that was not read yet.
    written: BytesMut,
    /// The lines that must come out of the decoder, with the bytes that went in.
    awaited: VecDeque<(&'a Item, Bytes)>,
    /// Our open calls: our id, and the line on which it was recorded.
    calls: BTreeMap<String, usize>,
    /// The CLI's open requests.
    asked: BTreeSet<String>,
    input_ended: bool,
    /// Whether our side sent faulty lines on purpose.
    faults: bool,
    last_line: usize,
    report: &'a mut Report,
}

impl<'a> Play<'a> {
    fn item(&mut self, item: &'a Item) {
        if let What::Theirs(line, read) = &item.what {
            let line = read.as_ref().map_or_else(|| line.clone(), |read| self.ids.translate(line, read));
            self.written.extend_from_slice(&line);
            self.written.extend_from_slice(b"\n");
            return self.awaited.push_back((item, line));
        }
        // Read all earlier output of the CLI before our side acts.
        self.flush();
        match &item.what {
            What::Ours(line, read) if !self.input_ended => self.ours(item.line, line, read.as_deref()),
            What::EndOfInput => {
                self.input_ended = true;
                self.router.end_input();
                self.refused(item.line);
            }
            _ => {}
        }
    }

    /// Reads all that the CLI has written, cut into reads.
    fn flush(&mut self) {
        while !self.written.is_empty() {
            let length = self.cutter.next(&self.written);
            self.decoder.push(self.written.split_to(length).freeze());
            while let Some(line) = self.decoder.next() {
                match line {
                    Ok(line) => self.line(line),
                    Err(fault) => {
                        let awaited = self.awaited.pop_front().map_or(self.last_line, |(item, _)| item.line);
                        self.report.find(awaited, fault.to_string());
                        self.router.handle_fault(fault);
                        while self.router.poll_event().is_some() {}
                    }
                }
            }
        }
    }

    fn line(&mut self, line: agentwire_codec::Line) {
        let Some((item, expected)) = self.awaited.pop_front() else {
            return self.report.find(self.last_line, "the decoder gave a line that was not there");
        };
        if line.as_bytes() != &expected[..] {
            return self.report.find(item.line, "the line came out of the decoder changed");
        }
        if line.is_blank() {
            if !item.has(Mark::Noise) && !item.has(Mark::Undecodable) {
                self.report.find(item.line, "the line is blank");
            }
            return;
        }
        let ignored = self.router.ignored();
        self.router.handle_frame(Frame::new(line.clone()));
        let events: Vec<_> = std::iter::from_fn(|| self.router.poll_event()).collect();
        self.expect(item, &line, events, ignored);
    }

    /// Applies a refusal after the end of our input: each open request is refused once, with an answer.
    fn refused(&mut self, line: usize) {
        while let Some(event) = self.router.poll_event() {
            match event {
                RouterEvent::InboundCancelled(id)
                    if self.asked.remove(id.as_str()) && self.router.poll_transmit().is_some() => {}
                event => {
                    self.report.find(line, format!("at the end of our input the router reported {event:?}"));
                }
            }
        }
        if self.router.poll_transmit().is_some() {
            self.report.find(line, "the router sent more than the answers to what is open");
        }
    }

    /// Ends the session, which must end all that is open.
    fn end(&mut self, scene: &Scene) {
        match self.decoder.finish() {
            Some(Ok(line)) => {
                self.report.find(self.last_line, format!("the decoder kept {} bytes", line.len()));
            }
            Some(Err(error)) => self.report.find(self.last_line, error.to_string()),
            None => {}
        }
        if let Some((item, _)) = self.awaited.pop_front() {
            self.report.find(item.line, "the decoder lost the line");
        }
        let end = scene.items.iter().rev().find_map(|item| match &item.what {
            What::End(end) => Some(end),
            _ => None,
        });
        self.router.handle_ending(
            end.map_or_else(SessionExit::default, |end| SessionExit::exited(exit_report(end))),
        );
        let mut closed = false;
        while let Some(event) = self.router.poll_event() {
            match event {
                RouterEvent::Answered { id, reply: Err(ControlError::Closed { .. }) }
                    if self.calls.remove(id.as_str()).is_some() => {}
                RouterEvent::InboundCancelled(id) if self.asked.remove(id.as_str()) => {}
                RouterEvent::Session(SessionEvent::TurnEnded(_) | SessionEvent::RunOver) if !closed => {}
                RouterEvent::Closed(_) if !closed => closed = true,
                event => {
                    self.report.find(self.last_line, format!("at the end the router reported {event:?}"));
                }
            }
        }
        for (id, line) in std::mem::take(&mut self.calls) {
            self.report.find(line, format!("the router never ended the call {id}"));
        }
        if !closed || self.router.open() != (0, 0) || self.router.poll_transmit().is_some() {
            self.report.find(self.last_line, "the router did not close");
        }
    }
}
