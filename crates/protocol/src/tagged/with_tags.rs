//! Writes the tags of an object before its own fields.

use serde::{Serialize, Serializer};

/// The name and value of a tag.
type Tag = (&'static str, &'static str);

/// An object with its tags first. `T` must be a struct or a map: flattening accepts enums and
/// [`RawJson`](crate::RawJson) too, but writes them differently than JSON does.
#[derive(Debug, Serialize)]
pub(crate) struct WithTags<'a, T> {
    #[serde(flatten)]
    tags: Tags,
    #[serde(flatten)]
    fields: &'a T,
}

#[derive(Debug)]
struct Tags {
    within: &'static [Tag],
    tag: Tag,
}

impl<'a, T> WithTags<'a, T> {
    pub(crate) fn new(within: &'static [Tag], tag: Tag, fields: &'a T) -> Self {
        Self { tags: Tags { within, tag }, fields }
    }
}

impl Serialize for Tags {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.within.iter().copied().chain([self.tag]))
    }
}
