//! The printed lines of sessions, hits and costs.

use agentwire_protocol::session_info::SessionInfo;
use agentwire_sessions::{CostSummary, Hit};
use jiff::Timestamp;
use serde_json::json;

use crate::failure::Failure;
use crate::output;

/// Prints a session of a list.
pub(super) fn info(info: &SessionInfo, as_json: bool) -> Result<(), Failure> {
    if as_json {
        return output::json(info);
    }
    let written = i64::try_from(info.last_modified).ok().and_then(|ms| Timestamp::from_millisecond(ms).ok());
    let written = written.unwrap_or_default().strftime("%Y-%m-%d %H:%MZ");
    let title: String = one_line(&info.summary).chars().take(WIDTH).collect();
    output::line(format_args!("{}  {written}  {title}", info.session_id))
}

/// Prints a hit of a search.
pub(super) fn hit(hit: &Hit, as_json: bool) -> Result<(), Failure> {
    let role = hit.role.as_str();
    if as_json {
        return output::json(&json!({
            "session_id": hit.session_id, "agent": hit.agent, "role": role, "uuid": hit.uuid, "excerpt": hit.excerpt,
        }));
    }
    let agent = hit.agent.as_ref().map(|agent| format!(" (subagent {agent})")).unwrap_or_default();
    output::line(format_args!("{}{agent}  {role}: {}", hit.session_id, one_line(&hit.excerpt)))
}

/// Prints the tokens by model, their cost where prices are known, and the cost that the CLI has recorded.
pub(super) fn cost(summary: &CostSummary, as_json: bool) -> Result<(), Failure> {
    for (model, spent) in summary.by_model() {
        let tokens = &spent.tokens;
        let is_priced = spent.unpriced == 0 && !spent.cost_usd.is_nan();
        if as_json {
            output::json(&json!({
                "model": model, "answers": spent.answers, "tokens": tokens.total(), "input": tokens.input,
                "output": tokens.output, "cache_read": tokens.cache_read,
                "cache_write": tokens.cache_write.saturating_add(tokens.cache_write_1h),
                "cost_usd": is_priced.then_some(spent.cost_usd), "unpriced": spent.unpriced,
            }))?;
            continue;
        }
        let cost = if is_priced { format!(", ${:.4}", spent.cost_usd) } else { String::new() };
        output::line(format_args!(
            "{}: {} tokens in {} answers (input {}, output {}, cache read {}, cache written {}){cost}",
            one_line(model),
            tokens.total(),
            spent.answers,
            tokens.input,
            tokens.output,
            tokens.cache_read,
            tokens.cache_write.saturating_add(tokens.cache_write_1h),
        ))?;
    }
    if summary.lines_too_long > 0 || summary.forgotten > 0 {
        let (lines, answers) = (summary.lines_too_long, summary.forgotten);
        output::note(format_args!(
            "agentwire: not counted: {lines} lines that are too long; perhaps counted twice: {answers} answers"
        ));
    }
    match summary.recorded_usd {
        Some(recorded) if as_json => output::json(&json!({"recorded_usd": recorded})),
        Some(recorded) => output::line(format_args!(
            "the CLI has recorded ${recorded:.4} (a fork includes what its original had cost)"
        )),
        None => Ok(()),
    }
}

/// Returns the text in one line, without the control characters of a terminal.
fn one_line(text: &str) -> String {
    let text: String = text.chars().map(|char| if char.is_control() { ' ' } else { char }).collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The characters of a title in a list.
const WIDTH: usize = 80;
