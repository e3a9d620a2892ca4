//! Tests of token counts and costs.

use std::fs::{self, File};
use std::io::Write as _;

use agentwire_sessions::{CostMeter, CostSummary, Price, Prices, RawEntry, Spent};
use serde_json::{Value, json};

use crate::written::{Config, append_too_long, id, raw, user};

/// Returns an entry of an answer with these input and output tokens.
fn answer(id: &str, time: &str, model: &str, input: u64, output: u64) -> Value {
    let usage = json!({"input_tokens": input, "output_tokens": output});
    json!({"type": "assistant", "uuid": format!("{id}-{output}"), "timestamp": format!("2026-01-{time}:00.000Z"),
        "message": {"id": id, "role": "assistant", "model": model, "content": [], "usage": usage}})
}

fn price(input: f64, output: f64) -> Price {
    Price { input, output, cache_read: 0.1, cache_write: 1.25, cache_write_1h: 2.0, web_searches: 10.0 }
}

fn meter() -> CostMeter {
    CostMeter::new(Prices::new().with("m", price(1.0, 10.0)))
}

fn counted(meter: &CostMeter, entries: &[Value]) -> CostSummary {
    let mut meter = meter.clone();
    for entry in raw(entries) {
        meter.add(&entry);
    }
    meter.summary()
}

fn days(summary: &CostSummary) -> Vec<(String, u64)> {
    let name = |day: Option<agentwire_sessions::Day>| day.map_or_else(String::new, |day| day.to_string());
    summary.by_day().into_iter().map(|(day, spent)| (name(day), spent.tokens.output)).collect()
}

#[test]
fn an_answer_counts_once_with_its_last_tokens_at_its_first_time() {
    let entries = [
        answer("a", "01T23:59", "m", 10, 1),
        user("u", None, "usage"),
        answer("a", "02T00:00", "m", 10, 7),
        answer("b", "02T10:00", "m", 5, 5),
        answer("a", "03T00:00", "m", 10, 8),
    ];
    let summary = counted(&meter(), &entries);
    assert_eq!(days(&summary), [("2026-01-01".to_owned(), 8), ("2026-01-02".to_owned(), 5)]);
    let total = summary.total();
    assert_eq!((total.answers, total.tokens.input, total.tokens.total()), (2, 15, 28));
    let ahead = counted(&meter().with_utc_offset(1), &entries);
    assert_eq!(days(&ahead), [("2026-01-02".to_owned(), 13)]);
}

#[test]
fn models_without_a_price_have_no_cost() {
    let mut priced = answer("c", "01T00:00", "other", 1, 1);
    priced["costUSD"] = 0.25.into();
    let mut synthetic = answer("d", "01T00:00", "<synthetic>", 9, 9);
    synthetic["isApiErrorMessage"] = true.into();
    let mut fast = answer("e", "01T00:00", "m", 1, 0);
    fast["message"]["usage"]["speed"] = "fast".into();
    let entries = [
        answer("a", "01T00:00", "m-20260101", 1_000_000, 100_000),
        answer("b", "01T00:00", "other", 1_000_000, 2),
        priced,
        synthetic,
        fast,
    ];
    let models = counted(&meter(), &entries)
        .by_model()
        .into_iter()
        .map(|(model, spent)| (model.to_owned(), spent))
        .collect::<Vec<_>>();
    let row =
        |(model, spent): &(String, Spent)| (model.clone(), spent.answers, spent.cost_usd, spent.unpriced);
    assert_eq!(row(&models[0]), ("m-20260101".into(), 1, 2.0, 0));
    assert_eq!(row(&models[1]), ("m:fast".into(), 1, 0.0, 1));
    assert_eq!(row(&models[2]), ("other".into(), 2, 0.25, 1));
    assert_eq!((models.len(), models[2].1.tokens.input), (3, 1_000_001));
}

#[test]
fn tokens_are_counted_by_what_they_cost() {
    let mut entry = answer("a", "01T00:00", "m", 0, 0);
    entry["message"]["usage"] = json!({"input_tokens": 1_000_000, "output_tokens": null, "cache_read_input_tokens": 10_000_000,
    "cache_creation_input_tokens": 3_000_000, "server_tool_use": {"web_search_requests": 100},
    "cache_creation": {"ephemeral_1h_input_tokens": 1_000_000, "ephemeral_5m_input_tokens": 2_000_000},
    "iterations": [
        {"type": "message", "input_tokens": 1_000_000},
        {"type": "compaction", "input_tokens": 500_000, "output_tokens": 100_000},
        {"type": "advisor_message", "model": "wise", "input_tokens": 7},
    ]});
    let summary = counted(&meter(), &[entry]);
    let (models, total) = (summary.by_model(), summary.total());
    let tokens = models["m"].tokens;
    assert_eq!((tokens.input, tokens.cache_write, tokens.cache_write_1h), (1_500_000, 2_000_000, 1_000_000));
    // 1.5 input, 1 cache read, 2.5 and 2 cache writes, 1 output, 1 for searches.
    assert!((models["m"].cost_usd - 9.0).abs() < 1e-9, "{models:?}");
    assert_eq!((models["wise"].answers, models["wise"].tokens.input, models["wise"].unpriced), (0, 7, 1));
    assert_eq!((total.answers, total.unpriced), (1, 1));
}

#[test]
fn entries_without_time_or_tokens_are_accepted() {
    let mut timeless = answer("a", "01T00:00", "m", 1, 1);
    timeless["timestamp"] = Value::Null;
    let mut nameless = answer("", "01T00:00", "m", 1, 1);
    nameless["uuid"] = Value::Null;
    let mut by_request = nameless.clone();
    by_request["requestId"] = "r".into();
    let broken = json!({"type": "assistant", "message": {"id": "x", "model": "m", "usage": "many"}});
    let entries = [timeless, nameless.clone(), nameless, by_request.clone(), by_request, broken];
    let summary = counted(&meter(), &entries);
    assert_eq!(days(&summary), [(String::new(), 1), ("2026-01-01".to_owned(), 3)]);
}

#[test]
fn the_last_of_a_repeated_field_is_counted() {
    let message =
        r#"{"id":"a","id":"b","model":"m","usage":{"output_tokens":1},"usage":{"output_tokens":2}}"#;
    let text = format!(r#"{{"type":"user","type":"assistant","uuid":"u","uuid":"u","message":{message}}}"#);
    let mut meter = meter();
    meter.add(&RawEntry::parse(text).unwrap());
    meter.add(&RawEntry::parse(answer("b", "01T00:00", "m", 0, 1).to_string()).unwrap());
    let total = meter.summary().total();
    assert_eq!((total.answers, total.tokens.output), (1, 2));
}

#[test]
fn sessions_count_with_their_subagents_and_copies_once_in_all() {
    let config = Config::new();
    let path = config.write(
        "/a",
        &id(1),
        10,
        &[answer("a", "01T00:00", "m", 1, 1), answer("b", "02T00:00", "m", 1, 2)],
    );
    config.write("/b", &id(2), 20, &[answer("a", "01T00:00", "m", 1, 1), answer("c", "03T00:00", "m", 1, 4)]);
    let agents = path.with_extension("").join("subagents");
    fs::create_dir_all(&agents).unwrap();
    fs::write(agents.join("agent-1.jsonl"), format!("{}\n", answer("s", "02T00:00", "m", 1, 8))).unwrap();
    let sessions = config.sessions();
    let written = |summary: &CostSummary| summary.total().tokens.output;
    assert_eq!(written(&sessions.cost(&id(1).into(), meter()).unwrap().unwrap()), 11);
    assert!(sessions.cost(&id(3).into(), meter()).unwrap().is_none());
    assert_eq!(written(&sessions.cost(&id(2).into(), meter()).unwrap().unwrap()), 5);
    let all = sessions.total_cost(meter()).unwrap();
    assert_eq!(
        days(&all),
        [("2026-01-01".to_owned(), 1), ("2026-01-02".to_owned(), 10), ("2026-01-03".to_owned(), 4)]
    );
    assert_eq!(written(&sessions.in_project("/b").total_cost(meter()).unwrap()), 5);
}

#[test]
fn broken_lines_are_skipped_and_long_ones_reported() {
    let config = Config::new();
    let path = config.write("/a", &id(1), 10, &[answer("a", "01T00:00", "m", 1, 1)]);
    append_too_long(&path);
    let mut text = format!("\n{}\n", answer("b", "01T00:00", "m", 1, 2)).into_bytes();
    text.extend(b"\xff\xff usage\n{\"type\":\"assistant\",\"message\":{\"usage\":{\"output_tok");
    File::options().append(true).open(&path).unwrap().write_all(&text).unwrap();
    let summary = config.sessions().cost(&id(1).into(), meter()).unwrap().unwrap();
    assert_eq!((summary.total().tokens.output, summary.lines_too_long, summary.forgotten), (3, 1, 0));
}
