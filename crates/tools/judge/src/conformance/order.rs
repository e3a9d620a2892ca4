//! The order that the protocol guarantees, as a small state machine over the CLI's lines.
//!
//! Every rule here holds on all recorded sessions of the real CLI.
//! A rule with a condition names the condition.

mod once;
mod outcome;
mod pieces;
mod stream;
mod tools;
mod turn;

use super::{
    facts::Facts,
    report::Report,
    scene::{Item, Scene, What},
};
use once::Once;
use outcome::Outcome;
use stream::Streams;
use tools::Tools;
use turn::Turns;

/// Checks the order of the lines.
pub(super) fn check(scene: &Scene, facts: &Facts, report: &mut Report) {
    let mut order = Order::default();
    if scene.bare {
        // Our answers are not recorded, so any question may be settled.
        order.tools.input_ended();
    }
    for item in &scene.items {
        order.see(item, facts, report);
    }
    order.turns.end(facts, report);
}

#[derive(Default)]
struct Order {
    once: Once,
    outcome: Outcome,
    streams: Streams,
    tools: Tools,
    turns: Turns,
}

impl Order {
    fn see(&mut self, item: &Item, facts: &Facts, report: &mut Report) {
        let line = item.line;
        match &item.what {
            What::Ours(_, Some(read)) => {
                self.tools.ours(read);
                self.turns.ours(line, read, facts);
            }
            What::Theirs(_, Some(read)) => {
                self.once.see(line, read, report);
                self.outcome.see(line, read, facts, report);
                self.streams.see(line, read, facts, report);
                self.tools.see(line, read, facts, report);
                self.turns.see(line, read, facts, report);
            }
            What::EndOfInput => {
                self.tools.input_ended();
                self.turns.input_ended();
            }
            What::Ours(_, None) | What::Theirs(_, None) | What::Signal | What::Stderr | What::End(_) => {}
        }
    }
}
