//! Token counts and costs.

use std::iter::Sum;
use std::ops::AddAssign;

/// Token counts by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tokens {
    /// Input tokens that were not cached.
    pub input: u64,
    /// Output tokens.
    pub output: u64,
    /// Input tokens read from the cache.
    pub cache_read: u64,
    /// Tokens written to the cache for five minutes, or for an unspecified time.
    pub cache_write: u64,
    /// Tokens written to the cache for an hour.
    pub cache_write_1h: u64,
    /// Web searches, which are billed too.
    pub web_searches: u64,
}

impl Tokens {
    /// Returns the sum of all tokens.
    pub fn total(&self) -> u64 {
        let each = [self.input, self.output, self.cache_read, self.cache_write, self.cache_write_1h];
        each.into_iter().fold(0, u64::saturating_add)
    }
}

impl AddAssign for Tokens {
    fn add_assign(&mut self, other: Self) {
        let each = [
            (&mut self.input, other.input),
            (&mut self.output, other.output),
            (&mut self.cache_read, other.cache_read),
            (&mut self.cache_write, other.cache_write),
            (&mut self.cache_write_1h, other.cache_write_1h),
            (&mut self.web_searches, other.web_searches),
        ];
        for (sum, more) in each {
            *sum = sum.saturating_add(more);
        }
    }
}

/// The usage of a number of answers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Spent {
    /// How many answers there were.
    pub answers: u64,
    /// Their tokens.
    pub tokens: Tokens,
    /// The cost of the answers with a known price, in US dollars.
    pub cost_usd: f64,
    /// How many answers, or parts of answers by this model, are not in the cost, because neither the price table nor
    /// the entry has a price.
    pub unpriced: u64,
}

impl AddAssign for Spent {
    fn add_assign(&mut self, other: Self) {
        self.answers += other.answers;
        self.tokens += other.tokens;
        self.cost_usd += other.cost_usd;
        self.unpriced += other.unpriced;
    }
}

impl Sum for Spent {
    fn sum<I: Iterator<Item = Self>>(spent: I) -> Self {
        spent.fold(Self::default(), |mut sum, spent| {
            sum += spent;
            sum
        })
    }
}
