#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod connect;
mod pool;
mod store;
mod tables;

pub use store::PostgresStore;
pub use tokio_postgres;
