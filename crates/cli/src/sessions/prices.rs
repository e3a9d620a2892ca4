//! A file of prices, from which the cost is computed.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use agentwire_sessions::{Price, Prices};
use serde::Deserialize;

use crate::failure::{Failure, While as _};

/// Dollars per million tokens, and per thousand web searches.
///
/// A missing price is NaN, and so is each cost that needs it.
#[derive(Debug, Deserialize)]
#[serde(default = "Row::without_prices", deny_unknown_fields)]
struct Row {
    input: f64,
    output: f64,
    cache_read: f64,
    cache_write: f64,
    cache_write_1h: f64,
    web_searches: f64,
}

impl Row {
    fn without_prices() -> Self {
        let [input, output, cache_read, cache_write, cache_write_1h, web_searches] = [f64::NAN; 6];
        Self { input, output, cache_read, cache_write, cache_write_1h, web_searches }
    }
}

/// Reads the file. Without one there are no prices.
pub(super) fn read(file: Option<&Path>) -> Result<Prices, Failure> {
    let Some(file) = file else { return Ok(Prices::new()) };
    let reading = || format!("reading {}", file.display());
    let text = fs::read_to_string(file).while_doing(reading)?;
    let rows: BTreeMap<String, Row> = serde_json::from_str(&text).while_doing(reading)?;
    Ok(rows.into_iter().fold(Prices::new(), |prices, (model, row)| {
        let Row { input, output, cache_read, cache_write, cache_write_1h, web_searches } = row;
        prices.with(model, Price { input, output, cache_read, cache_write, cache_write_1h, web_searches })
    }))
}
