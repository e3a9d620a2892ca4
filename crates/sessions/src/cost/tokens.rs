//! Tokens, and what they cost.

use std::iter::Sum;
use std::ops::AddAssign;

/// Tokens by what they cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tokens {
    /// Those read that no cache held.
    pub input: u64,
    /// Those written.
    pub output: u64,
    /// Those read from the cache.
    pub cache_read: u64,
    /// Those written to the cache for five minutes, and those of which the entry does not say for how long.
    pub cache_write: u64,
    /// Those written to the cache for an hour.
    pub cache_write_1h: u64,
    /// Searches of the web, which are no tokens and cost money too.
    pub web_searches: u64,
}

impl Tokens {
    /// All tokens together.
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

/// What a number of answers took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Spent {
    /// How many answers of the model there were.
    pub answers: u64,
    /// Their tokens.
    pub tokens: Tokens,
    /// The cost of those whose price is known, in US dollars.
    pub cost_usd: f64,
    /// How many of them, or of their parts by this model, are not in the cost: neither the table nor the entry has a
    /// price for them.
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
