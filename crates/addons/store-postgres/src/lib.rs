#![doc = include_str!("../README.md")]

mod connect;
mod pool;
mod store;
mod tables;

pub use store::PostgresStore;
pub use tokio_postgres;
