//! Fields of an object, as text: of a repeated name the last counts, and a field of an unexpected type affects no other.

use std::fmt;

use agentwire_protocol::RawJson;
use serde::Deserializer;
use serde::de::{IgnoredAny, MapAccess, Visitor};

/// Returns the last field of each of these names; `None` if the value is not an object.
pub(crate) fn last<const N: usize>(raw: &RawJson, names: [&'static str; N]) -> Option<[Option<RawJson>; N]> {
    let mut deserializer = serde_json::Deserializer::from_str(raw.as_str());
    deserializer.deserialize_map(LastVisitor(names)).ok()
}

struct LastVisitor<const N: usize>([&'static str; N]);

impl<'de, const N: usize> Visitor<'de> for LastVisitor<N> {
    type Value = [Option<RawJson>; N];

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = [const { None }; N];
        while let Some(name) = map.next_key::<String>()? {
            match self.0.iter().position(|wanted| *wanted == name) {
                Some(at) => found[at] = Some(map.next_value()?),
                None => _ = map.next_value::<IgnoredAny>()?,
            }
        }
        Ok(found)
    }
}
