//! `keep_alive`: a sign of life.

use serde::{Deserialize, Serialize};

/// A sign of life (`keep_alive`), in either direction; it asks for nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct KeepAlive {}
