//! The crate's integration tests, one file for each topic.

mod positions;
mod properties;
mod size;
mod surrogate;
mod tagged;
mod tree;
