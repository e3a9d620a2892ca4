//! What decoding is measured on, and what it is measured against: `docs/performance.md` says what came of it.

pub mod clock;
pub mod fixtures;
pub mod input;
pub mod marks;
pub mod plain;
pub mod stream;
pub mod ways;
