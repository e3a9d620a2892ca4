//! Counts each answer once.

use std::collections::{HashMap, HashSet, VecDeque};

use super::answer::{Answer, recorded_cost};
use super::{CostSummary, Day, Prices, Spent, Tokens};
use crate::RawEntry;

/// A counter for the usage in the entries of sessions.
///
/// The entries of one answer, one for each content block, and copies of them in forked sessions count once. They are
/// matched by the model's message id; the highest output count and the earliest time apply.
/// Entries without token counts and messages that the CLI generates are ignored.
/// A cost that an entry itself records (`costUSD`) is used instead of the prices.
/// The tokens of a compaction or an advisor within an answer, which the API reports separately, count for their models.
///
/// Memory is limited to about 50 MB, and one number for each session: the meter keeps the tokens of the last 65,536
/// answers, and the ids of a million before them; [`CostSummary::forgotten`] counts the answers beyond that.
#[derive(Clone, Debug)]
pub struct CostMeter {
    prices: Prices,
    offset_minutes: i32,
    pub(super) summary: CostSummary,
    open: HashMap<u64, Counted>,
    /// The ids of the open answers, oldest first.
    order: VecDeque<u64>,
    closed: HashSet<u64>,
    /// The last cost that the CLI recorded for each session.
    recorded: HashMap<u64, f64>,
}

/// An answer with usage that may still change.
#[derive(Clone, Debug)]
struct Counted {
    day: Option<Day>,
    parts: Vec<(Box<str>, Tokens)>,
    cost_usd: Option<f64>,
}

impl CostMeter {
    /// Creates an empty meter, with days in UTC.
    pub fn new(prices: Prices) -> Self {
        Self {
            prices,
            offset_minutes: 0,
            summary: CostSummary::default(),
            open: HashMap::new(),
            order: VecDeque::new(),
            closed: HashSet::new(),
            recorded: HashMap::new(),
        }
    }

    /// Sets the offset from UTC, in minutes, that determines where days start.
    #[must_use]
    pub fn with_utc_offset(self, minutes: i32) -> Self {
        Self { offset_minutes: minutes, ..self }
    }

    /// Counts an entry.
    pub fn add(&mut self, entry: &RawEntry) {
        self.line(entry.as_str().as_bytes());
    }

    /// Returns the totals.
    pub fn summary(mut self) -> CostSummary {
        while let Some(id) = self.order.pop_front() {
            self.close(id);
        }
        self.summary.recorded_usd = (!self.recorded.is_empty()).then(|| self.recorded.values().sum());
        self.summary
    }

    /// Counts a line, if it is an entry.
    pub(super) fn line(&mut self, line: &[u8]) {
        self.recorded.extend(recorded_cost(line));
        let Some(Answer { id, time, parts, cost_usd }) = Answer::of(line) else { return };
        let day = time.and_then(|time| Day::of(time, self.offset_minutes));
        let Some(id) = id else { return self.count(Counted { day, parts, cost_usd }) };
        if self.closed.contains(&id) {
            return;
        }
        if let Some(known) = self.open.get_mut(&id) {
            // A truncated copy of an answer may follow the complete one.
            if output(&parts) >= output(&known.parts) {
                known.parts = parts;
                known.cost_usd = cost_usd.or(known.cost_usd);
            }
            // A fork repeats the answer with a later time.
            known.day = match (known.day, day) {
                (Some(known), Some(day)) => Some(known.min(day)),
                (known, day) => known.or(day),
            };
            return;
        }
        self.open.insert(id, Counted { day, parts, cost_usd });
        self.order.push_back(id);
        if self.order.len() > OPEN
            && let Some(oldest) = self.order.pop_front()
        {
            self.close(oldest);
            if self.closed.len() < CLOSED {
                self.closed.insert(oldest);
            } else {
                self.summary.forgotten += 1;
            }
        }
    }

    /// Adds an answer to the totals; its usage can no longer change.
    fn close(&mut self, id: u64) {
        if let Some(answer) = self.open.remove(&id) {
            self.count(answer);
        }
    }

    fn count(&mut self, Counted { day, parts, cost_usd }: Counted) {
        let models = self.summary.days.entry(day).or_default();
        for (at, (model, tokens)) in parts.into_iter().enumerate() {
            // The recorded cost is for the whole answer, so it counts once, for the first model.
            let cost = match cost_usd {
                Some(cost) => Some(if at == 0 { cost } else { 0.0 }),
                None => self.prices.of(&model).map(|price| price.of(&tokens)),
            };
            let answers = u64::from(at == 0);
            // If a part by another model has no price, the answer's cost is incomplete.
            let unpriced = u64::from(cost.is_none());
            *models.entry(model).or_default() +=
                Spent { answers, tokens, cost_usd: cost.unwrap_or(0.0), unpriced };
        }
    }
}

/// Returns the output tokens, which grow from entry to entry of an answer.
fn output(parts: &[(Box<str>, Tokens)]) -> u64 {
    parts.iter().fold(0, |sum, (_, tokens)| sum.saturating_add(tokens.output))
}

/// How many answers may still change.
const OPEN: usize = if cfg!(test) { 8 } else { 1 << 16 };

/// How many further answers are recognized as counted.
const CLOSED: usize = if cfg!(test) { 4 } else { 1 << 20 };

#[cfg(test)]
mod tests {
    use super::{CLOSED, CostMeter, OPEN, Prices};

    fn line(id: usize, output: u64) -> String {
        format!(
            r#"{{"type":"assistant","message":{{"id":"{id}","model":"m","usage":{{"output_tokens":{output}}}}}}}"#
        )
    }

    #[test]
    fn memory_is_bounded() {
        let mut meter = CostMeter::new(Prices::new());
        meter.closed.extend((0..(CLOSED - 1) as u64).map(|id| id | 1 << 63));
        for id in 0..OPEN + 3 {
            meter.line(line(id, 1).as_bytes());
        }
        assert_eq!((meter.open.len(), meter.order.len(), meter.closed.len()), (OPEN, OPEN, CLOSED));
        // The last answer can still change. Of the closed ones only the latest are recognized.
        meter.line(line(OPEN + 2, 5).as_bytes());
        meter.line(line(0, 5).as_bytes());
        meter.line(line(1, 5).as_bytes());
        let summary = meter.summary();
        assert_eq!(
            (summary.total().answers, summary.total().tokens.output),
            (OPEN as u64 + 4, OPEN as u64 + 12)
        );
        assert_eq!(summary.forgotten, 3);
    }

    #[test]
    fn the_last_recorded_cost_of_each_session_is_reported() {
        let mut meter = CostMeter::new(Prices::new());
        assert_eq!(meter.clone().summary().recorded_usd, None);
        for (session, cost) in [("a", "1"), ("b", "0.5"), ("a", "1.25")] {
            let line = format!(r#"{{"type":"cost-state","sessionId":"{session}","totalCostUSD":{cost}}}"#);
            meter.line(line.as_bytes());
        }
        meter.line(
            br#"{"type":"user","sessionId":"a","totalCostUSD":7,"message":{"content":"\"cost-state\""}}"#,
        );
        let summary = meter.summary();
        assert_eq!((summary.recorded_usd, summary.total().cost_usd), (Some(1.75), 0.0));
    }

    #[test]
    fn a_fork_does_not_move_an_answer_to_another_day() {
        let mut meter = CostMeter::new(Prices::new());
        for time in ["2026-02-01", "2026-01-01"] {
            let line = line(7, 1).replacen('{', &format!(r#"{{"timestamp":"{time}T00:00:00Z","#), 1);
            meter.line(line.as_bytes());
        }
        let days: Vec<_> = meter.summary().by_day().into_keys().collect();
        assert_eq!(
            format!("{:?}", days[0].unwrap()),
            format!("{:?}", super::Day::of(1_767_225_600_000, 0).unwrap())
        );
        assert_eq!(days.len(), 1);
    }

    #[test]
    fn extreme_numbers_do_not_overflow() {
        let mut meter = CostMeter::new(Prices::new());
        let most = u64::MAX;
        let usage = format!(
            r#"{{"output_tokens":{most},"iterations":[{{"type":"compaction","output_tokens":{most}}}]}}"#
        );
        let deep = format!("{}1e999{}", "[".repeat(500), "]".repeat(500));
        let line = format!(
            r#"{{"type":"assistant","x":{deep},"message":{{"id":"a","model":"m","content":{deep},"usage":{usage}}}}}"#
        );
        meter.line(line.as_bytes());
        meter.line(line.as_bytes());
        assert_eq!(meter.summary().total().answers, 1);
    }

    #[test]
    fn a_truncated_copy_does_not_lower_the_count() {
        let mut meter = CostMeter::new(Prices::new());
        for output in [1, 20, 1] {
            meter.line(line(7, output).as_bytes());
        }
        let total = meter.summary().total();
        assert_eq!((total.answers, total.tokens.output), (1, 20));
    }
}
