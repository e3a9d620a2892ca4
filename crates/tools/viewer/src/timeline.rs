//! The timeline: a lane for each kind of item that takes time, and a table of the outcomes.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::escape;
use super::item::{Item, Kind, Mood, Outcome, word};
use super::read::Reading;

/// Appends the timeline and its table.
pub(super) fn write(page: &mut String, reading: &Reading, first_line: usize) {
    let lanes = lanes(reading, first_line);
    let total = reading.end.max(1);
    page.push_str("<div class=tl tabindex=0 role=region aria-label=\"Timeline, drawn\">");
    let mut y = 0;
    let mut drawn = String::new();
    for lane in &lanes {
        y = lane.draw(&mut drawn, y, total, reading.timed);
    }
    axis(&mut drawn, y, total, reading.timed, first_line);
    let _ = write!(page, "<svg aria-hidden=true width=\"100%\" height=\"{}\">{drawn}</svg></div>", y + 20);
    table(page, &lanes, reading.timed);
}

struct Lane {
    name: &'static str,
    kind: Kind,
    bars: Vec<Bar>,
}

/// How bars are drawn.
#[derive(Clone, Copy)]
struct Scale {
    total: u64,
    timed: bool,
    /// The width of the thinnest, in percent.
    thin: f64,
}

struct Bar {
    from: u64,
    to: u64,
    mood: Mood,
    /// The line to which it leads.
    line: usize,
    label: String,
    ended: String,
}

fn lanes(reading: &Reading, first_line: usize) -> Vec<Lane> {
    let mut lanes = vec![Lane { name: "Turns", kind: Kind::Result, bars: turns(reading) }];
    for (name, kind) in LANES {
        let items = reading.items.iter().filter(|item| item.kind == *kind && !item.gone);
        let bars: Vec<Bar> = items.map(|item| bar(item, first_line)).collect();
        lanes.push(Lane { name, kind: *kind, bars });
    }
    lanes.retain(|lane| !lane.bars.is_empty());
    lanes
}

fn turns(reading: &Reading) -> Vec<Bar> {
    let without = if reading.stored { Outcome::plain("") } else { Outcome::open("no result") };
    let turns = reading.turns.iter().enumerate().skip(1);
    let bars = turns.map(|(number, turn)| {
        let outcome = turn.result.and_then(|result| reading.items[result].outcome.as_ref());
        let outcome = outcome.unwrap_or(&without);
        Bar {
            from: turn.from,
            to: turn.to,
            mood: outcome.mood,
            line: turn.line,
            label: format!("Turn {number}"),
            ended: outcome.words.clone(),
        }
    });
    bars.collect()
}

fn bar(item: &Item, first_line: usize) -> Bar {
    Bar {
        from: item.from,
        to: item.to,
        mood: item.outcome.as_ref().map_or(Mood::Plain, |outcome| outcome.mood),
        line: line_of(item, first_line),
        label: item.title.clone(),
        ended: item.outcome.as_ref().map_or_else(String::new, |outcome| outcome.words.clone()),
    }
}

fn line_of(item: &Item, first_line: usize) -> usize {
    item.entries
        .first()
        .map_or_else(|| item.mentions.first().copied().unwrap_or_default(), |at| first_line + at)
}

impl Lane {
    /// Draws the lane from `y` on, and returns its lower end.
    fn draw(&self, svg: &mut String, y: u64, total: u64, timed: bool) -> u64 {
        let _ = write!(svg, "<text x=0 y={} class=lane>{} · {}</text>", y + 12, self.name, self.bars.len());
        let mut rows: Vec<u64> = Vec::new();
        let dense = self.bars.len() > DENSE;
        let scale = Scale { total, timed, thin: if dense { 0.1 } else { 0.4 } };
        let (class, mut last) = (word(self.kind), None);
        for bar in &self.bars {
            // A bar that ends where it begins is drawn with some width, and keeps that room where there is any.
            let room = if dense { bar.to } else { bar.to.max(bar.from + total / 200) };
            let row = rows.iter().position(|end| *end <= bar.from);
            let row = row.unwrap_or_else(|| rows.len().min(ROWS - 1));
            match rows.get_mut(row) {
                Some(end) => *end = room.max(*end),
                None => rows.push(room),
            }
            // The bar would cover the same pixels as the one before.
            let pixel = (row, bar.mood, bar.from * PIXELS / total, bar.to * PIXELS / total);
            if last.replace(pixel) == Some(pixel) {
                continue;
            }
            bar.draw(svg, &class, y + 18 + row as u64 * ROW, scale);
        }
        y + 18 + rows.len() as u64 * ROW + 6
    }
}

impl Bar {
    fn draw(&self, svg: &mut String, class: &str, y: u64, scale: Scale) {
        let Scale { total, timed, thin } = scale;
        let (x, width) =
            (percent(self.from, total), percent(self.to.saturating_sub(self.from), total).max(thin));
        let _ = write!(
            svg,
            "<a href=\"#line-{}\" tabindex=-1><rect class=\"{class} {}\" x=\"{:.2}%\" width=\"{width:.2}%\" y={y} height={}><title>",
            self.line,
            word(self.mood),
            x.min(99.6),
            ROW - 3,
        );
        escape::text(svg, escape::beginning(&self.label, 60));
        if timed {
            let _ = write!(svg, ", {}", escape::time(self.to.saturating_sub(self.from)));
        }
        svg.push_str("</title></rect></a>");
    }
}

fn axis(svg: &mut String, y: u64, total: u64, timed: bool, first_line: usize) {
    for (quarter, anchor) in [(0, "start"), (1, "middle"), (2, "middle"), (3, "middle"), (4, "end")] {
        let at = total * quarter / 4;
        let label = match (timed, quarter) {
            (true, _) => escape::time(at),
            (false, 4) => format!("line {}", first_line as u64 + total - 1),
            (false, _) => format!("line {}", first_line as u64 + at),
        };
        let x = quarter * 25;
        let _ = write!(svg, "<line x1=\"{x}%\" x2=\"{x}%\" y1=0 y2={y} />");
        let _ = write!(svg, "<text x=\"{x}%\" y={} text-anchor={anchor} class=tick>{label}</text>", y + 14);
    }
}

/// Writes the content of the drawing as a table, with the number of each outcome.
fn table(page: &mut String, lanes: &[Lane], timed: bool) {
    page.push_str("<div class=wide tabindex=0 role=region aria-label=\"Table of the timeline\"><table><thead><tr><th scope=col>What<th scope=col>How many<th scope=col>How they ended");
    if timed {
        page.push_str("<th scope=col>In all<th scope=col>Longest");
    }
    page.push_str("</thead><tbody>");
    for lane in lanes {
        let _ = write!(page, "<tr><th scope=row>{}<td>{}<td>", lane.name, lane.bars.len());
        let mut ends: BTreeMap<&str, usize> = BTreeMap::new();
        for bar in &lane.bars {
            *ends.entry(escape::beginning(&bar.ended, 60)).or_default() += 1;
        }
        for (at, (ended, count)) in ends.iter().filter(|(ended, _)| !ended.is_empty()).take(ENDS).enumerate()
        {
            let _ = write!(page, "{}{count} ", if at > 0 { ", " } else { "" });
            escape::text(page, ended);
        }
        if timed {
            let times = lane.bars.iter().map(|bar| (bar.to.saturating_sub(bar.from), bar.line));
            let sum = times.clone().map(|(time, _)| time).fold(0, u64::saturating_add);
            let longest = times.max().unwrap_or_default();
            let (sum, time) = (escape::time(sum), escape::time(longest.0));
            let _ = write!(page, "<td>{sum}<td><a href=\"#line-{}\">{time}</a>", longest.1);
        }
    }
    page.push_str("</tbody></table></div>");
}

#[expect(clippy::cast_precision_loss, reason = "a place on a screen")]
fn percent(part: u64, total: u64) -> f64 {
    part as f64 * 100.0 / total as f64
}

const LANES: &[(&str, Kind)] = &[
    ("Tools", Kind::Tool),
    ("Hooks", Kind::Hook),
    ("Permission requests", Kind::Permission),
    ("MCP messages", Kind::Mcp),
    ("Other questions of the CLI", Kind::Question),
    ("Our requests", Kind::Request),
];
/// The most rows of a lane; bars that overlap are drawn in different rows.
const ROWS: usize = 6;
const ROW: u64 = 13;
/// With more bars than this in a lane, short bars are not widened.
const DENSE: usize = 200;
/// The horizontal resolution, which is more than a screen has.
const PIXELS: u64 = 4_000;
/// The largest number of outcomes in a lane's row.
const ENDS: usize = 8;
