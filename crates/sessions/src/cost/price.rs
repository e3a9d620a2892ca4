//! What tokens cost, as the caller says: this crate knows no prices.

use std::collections::BTreeMap;

use super::Tokens;

/// What a model's tokens cost, in US dollars for a million of each kind.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "who writes one must name each price, so that none is made up")]
pub struct Price {
    /// Tokens read that no cache held.
    pub input: f64,
    /// Tokens written.
    pub output: f64,
    /// Tokens read from the cache.
    pub cache_read: f64,
    /// Tokens written to the cache for five minutes, and those of which the entry does not say for how long.
    pub cache_write: f64,
    /// Tokens written to the cache for an hour.
    pub cache_write_1h: f64,
    /// A thousand searches of the web.
    pub web_searches: f64,
}

impl Price {
    /// What so many tokens cost, in US dollars.
    pub fn of(&self, tokens: &Tokens) -> f64 {
        let each = [
            (tokens.input, self.input),
            (tokens.output, self.output),
            (tokens.cache_read, self.cache_read),
            (tokens.cache_write, self.cache_write),
            (tokens.cache_write_1h, self.cache_write_1h),
        ];
        let tokens_cost: f64 = each.iter().map(|(tokens, price)| *tokens as f64 * price).sum();
        tokens_cost / 1e6 + tokens.web_searches as f64 * self.web_searches / 1e3
    }
}

/// The prices of models.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prices {
    models: BTreeMap<Box<str>, Price>,
}

impl Prices {
    /// No prices: tokens are counted, and cost nothing but what entries tell.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with the price of a model, by the name that the model's API gives.
    ///
    /// A name without a date, such as `claude-x-1`, is that of its versions with one, `claude-x-1-20260131`, unless
    /// these have prices of their own.
    /// Answers at the higher price for speed are those of the name and `:fast`.
    #[must_use]
    pub fn with(mut self, model: impl Into<Box<str>>, price: Price) -> Self {
        self.models.insert(model.into(), price);
        self
    }

    /// The price of a model, where it is known.
    pub fn of(&self, model: &str) -> Option<&Price> {
        self.models.get(model).or_else(|| self.models.get(&*undated(model)?))
    }
}

/// The name without its date; `None` where it has none.
fn undated(model: &str) -> Option<String> {
    let (name, fast) = model.strip_suffix(FAST).map_or((model, ""), |name| (name, FAST));
    let (name, date) = name.rsplit_once('-')?;
    let is_date = date.len() == 8 && date.bytes().all(|byte| byte.is_ascii_digit());
    is_date.then(|| format!("{name}{fast}"))
}

/// What follows the name of a model that answered faster than usual.
pub(super) const FAST: &str = ":fast";

#[cfg(test)]
mod tests {
    use super::{Price, Prices};

    #[test]
    fn a_name_without_a_date_is_that_of_its_versions() {
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
