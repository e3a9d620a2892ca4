//! Prices, which the caller provides: this crate contains none.

use std::collections::BTreeMap;

use super::Tokens;

/// A model's prices, in US dollars per million tokens of each kind.
///
/// An unknown price can be [`f64::NAN`], and then so is each cost that needs it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "the caller must name each price; a default would be wrong")]
pub struct Price {
    /// Input tokens that were not cached.
    pub input: f64,
    /// Output tokens.
    pub output: f64,
    /// Input tokens read from the cache.
    pub cache_read: f64,
    /// Tokens written to the cache for five minutes, or for an unspecified time.
    pub cache_write: f64,
    /// Tokens written to the cache for an hour.
    pub cache_write_1h: f64,
    /// Web searches, per thousand.
    pub web_searches: f64,
}

impl Price {
    /// Returns the cost of these tokens, in US dollars.
    pub fn of(&self, tokens: &Tokens) -> f64 {
        let each = [
            (tokens.input, self.input),
            (tokens.output, self.output),
            (tokens.cache_read, self.cache_read),
            (tokens.cache_write, self.cache_write),
            (tokens.cache_write_1h, self.cache_write_1h),
        ];
        // The price of a kind that was not used may be unknown.
        let cost = |count: u64, price: f64| if count == 0 { 0.0 } else { count as f64 * price };
        let tokens_cost: f64 = each.iter().map(|(tokens, price)| cost(*tokens, *price)).sum();
        tokens_cost / 1e6 + cost(tokens.web_searches, self.web_searches) / 1e3
    }
}

/// A table of prices by model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prices {
    models: BTreeMap<Box<str>, Price>,
}

impl Prices {
    /// Creates an empty table: tokens are counted, and only the costs that entries record are added.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the price of a model, by its name in the API.
    ///
    /// A name without a date, such as `claude-x-1`, also applies to its dated versions, such as `claude-x-1-20260131`,
    /// unless these have their own prices.
    /// Answers in fast mode use the name with the suffix `:fast`.
    #[must_use]
    pub fn with(mut self, model: impl Into<Box<str>>, price: Price) -> Self {
        self.models.insert(model.into(), price);
        self
    }

    /// Returns the price of a model, if known.
    pub fn of(&self, model: &str) -> Option<&Price> {
        self.models.get(model).or_else(|| self.models.get(&*undated(model)?))
    }
}

/// Removes the date from the name; returns `None` if it has none.
fn undated(model: &str) -> Option<String> {
    let (name, fast) = model.strip_suffix(FAST).map_or((model, ""), |name| (name, FAST));
    let (name, date) = name.rsplit_once('-')?;
    let is_date = date.len() == 8 && date.bytes().all(|byte| byte.is_ascii_digit());
    is_date.then(|| format!("{name}{fast}"))
}

/// The suffix for models in fast mode.
pub(super) const FAST: &str = ":fast";

#[cfg(test)]
mod tests {
    use super::{Price, Prices};

    #[test]
    fn a_name_without_a_date_applies_to_its_dated_versions() {
        let price = |input| Price {
            input,
            output: 0.0,
            cache_read: 0.0,
            cache_write: 0.0,
            cache_write_1h: 0.0,
            web_searches: 0.0,
        };
        let prices =
            Prices::new().with("m", price(1.0)).with("m-20260102", price(2.0)).with("m:fast", price(3.0));
        let of = |model| prices.of(model).map(|price| price.input);
        assert_eq!([of("m"), of("m-20260101"), of("m-20260102")], [Some(1.0), Some(1.0), Some(2.0)]);
        assert_eq!([of("m:fast"), of("m-20260101:fast")], [Some(3.0), Some(3.0)]);
        assert_eq!([of("m-1"), of("m-2026010"), of("mm"), of("")], [None; 4]);
    }
}
