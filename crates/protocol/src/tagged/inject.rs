//! A serializer that writes the tags before a struct's own fields.

use serde::ser::{Error, Impossible, Serialize, SerializeMap, SerializeStruct, Serializer};

/// The name and value of a tag.
type Tag = (&'static str, &'static str);

/// Serializes one struct or map with tags first.
pub(crate) struct Inject<S> {
    within: &'static [Tag],
    tag: Tag,
    inner: S,
}

impl<S> Inject<S> {
    pub(crate) fn new(within: &'static [Tag], tag: Tag, inner: S) -> Self {
        Self { within, tag, inner }
    }

    fn tags(&self) -> impl Iterator<Item = Tag> + use<S> {
        self.within.iter().copied().chain([self.tag])
    }
}

/// Fails for all values that are not objects, since only an object can have a tag.
fn no_object<T, E: Error>(method: &str) -> Result<T, E> {
    let what = method.trim_start_matches("serialize_");
    Err(E::custom(format_args!("a tagged kind must be an object, not a `{what}`")))
}

macro_rules! refuse {
    ($($method:ident($($ty:ty),*) -> $ok:ty;)*) => {
        $( fn $method(self $(, _: $ty)*) -> Result<$ok, S::Error> { no_object(stringify!($method)) } )*
    };
}

impl<S: Serializer> Serializer for Inject<S> {
    type Ok = S::Ok;
    type Error = S::Error;
    type SerializeSeq = Impossible<S::Ok, S::Error>;
    type SerializeTuple = Impossible<S::Ok, S::Error>;
    type SerializeTupleStruct = Impossible<S::Ok, S::Error>;
    type SerializeTupleVariant = Impossible<S::Ok, S::Error>;
    type SerializeMap = S::SerializeMap;
    type SerializeStruct = S::SerializeStruct;
    type SerializeStructVariant = Impossible<S::Ok, S::Error>;

    fn serialize_struct(self, name: &'static str, len: usize) -> Result<Self::SerializeStruct, S::Error> {
        let tags = self.tags();
        let mut fields = self.inner.serialize_struct(name, len + self.within.len() + 1)?;
        for (tag, value) in tags {
            fields.serialize_field(tag, value)?;
        }
        Ok(fields)
    }

    fn serialize_map(self, len: Option<usize>) -> Result<Self::SerializeMap, S::Error> {
        let tags = self.tags();
        let mut entries = self.inner.serialize_map(len.map(|len| len + self.within.len() + 1))?;
        for (tag, value) in tags {
            entries.serialize_entry(tag, value)?;
        }
        Ok(entries)
    }

    /// A struct without fields becomes an object with only its tags.
    fn serialize_unit_struct(self, name: &'static str) -> Result<S::Ok, S::Error> {
        self.serialize_struct(name, 0)?.end()
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        value.serialize(self)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<S::Ok, S::Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<S::Ok, S::Error> {
        no_object("newtype_variant")
    }

    refuse! {
        serialize_bool(bool) -> S::Ok;
        serialize_i8(i8) -> S::Ok;
        serialize_i16(i16) -> S::Ok;
        serialize_i32(i32) -> S::Ok;
        serialize_i64(i64) -> S::Ok;
        serialize_u8(u8) -> S::Ok;
        serialize_u16(u16) -> S::Ok;
        serialize_u32(u32) -> S::Ok;
        serialize_u64(u64) -> S::Ok;
        serialize_f32(f32) -> S::Ok;
        serialize_f64(f64) -> S::Ok;
        serialize_char(char) -> S::Ok;
        serialize_str(&str) -> S::Ok;
        serialize_bytes(&[u8]) -> S::Ok;
        serialize_none() -> S::Ok;
        serialize_unit() -> S::Ok;
        serialize_unit_variant(&'static str, u32, &'static str) -> S::Ok;
        serialize_seq(Option<usize>) -> Self::SerializeSeq;
        serialize_tuple(usize) -> Self::SerializeTuple;
        serialize_tuple_struct(&'static str, usize) -> Self::SerializeTupleStruct;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Self::SerializeTupleVariant;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Self::SerializeStructVariant;
    }
}
