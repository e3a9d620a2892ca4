//! Encodes a typed value as a tree that marks the parts of kinds unknown to our unions.

use serde::ser::{
    Error as _, Impossible, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeTuple,
    SerializeTupleStruct, Serializer,
};

use crate::node::Node;

type Error = serde_json::Error;

/// Encodes the value as a tree.
pub fn encode<T: Serialize + ?Sized>(value: &T) -> Result<Node, Error> {
    value.serialize(Encoder)
}

#[derive(Clone, Copy)]
struct Encoder;

fn scalar<T: Serialize + ?Sized>(value: &T) -> Result<Node, Error> {
    serde_json::to_string(value).map(|text| Node::Scalar(text.into()))
}

fn parse(text: &str) -> Result<Node, Error> {
    Node::parse(text).ok_or_else(|| Error::custom("a raw part that is no JSON"))
}

macro_rules! scalars {
    ($($method:ident($ty:ty);)*) => {
        $( fn $method(self, value: $ty) -> Result<Node, Error> { scalar(&value) } )*
    };
}

impl Serializer for Encoder {
    type Ok = Node;
    type Error = Error;
    type SerializeSeq = List;
    type SerializeTuple = List;
    type SerializeTupleStruct = List;
    type SerializeTupleVariant = Impossible<Node, Error>;
    type SerializeMap = Fields;
    type SerializeStruct = Fields;
    type SerializeStructVariant = Impossible<Node, Error>;

    scalars! {
        serialize_bool(bool); serialize_i8(i8); serialize_i16(i16); serialize_i32(i32); serialize_i64(i64);
        serialize_u8(u8); serialize_u16(u16); serialize_u32(u32); serialize_u64(u64);
        serialize_i128(i128); serialize_u128(u128);
        serialize_f32(f32); serialize_f64(f64); serialize_char(char); serialize_str(&str); serialize_bytes(&[u8]);
    }

    fn serialize_none(self) -> Result<Node, Error> {
        scalar(&())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Node, Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<Node, Error> {
        scalar(&())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<Node, Error> {
        scalar(&())
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, name: &'static str) -> Result<Node, Error> {
        scalar(name)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<Node, Error> {
        let node = value.serialize(self)?;
        Ok(match node {
            Node::Raw(node) if name == UNKNOWN => Node::Unknown(node),
            node => node,
        })
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        value: &T,
    ) -> Result<Node, Error> {
        Ok(Node::Object(vec![(name.into(), value.serialize(self)?)]))
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<List, Error> {
        Ok(List(Vec::new()))
    }

    fn serialize_tuple(self, _: usize) -> Result<List, Error> {
        Ok(List(Vec::new()))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<List, Error> {
        Ok(List(Vec::new()))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Impossible<Node, Error>, Error> {
        Err(Error::custom("no wire type has such a variant"))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Fields, Error> {
        Ok(Fields::default())
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Fields, Error> {
        Ok(Fields::default())
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Impossible<Node, Error>, Error> {
        Err(Error::custom("no wire type has such a variant"))
    }
}

struct List(Vec<Node>);

impl List {
    fn push<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.0.push(encode(value)?);
        Ok(())
    }
}

macro_rules! lists {
    ($($of:ident $method:ident;)*) => {
        $(
            impl $of for List {
                type Ok = Node;
                type Error = Error;

                fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
                    self.push(value)
                }

                fn end(self) -> Result<Node, Error> {
                    Ok(Node::List(self.0))
                }
            }
        )*
    };
}

lists! {
    SerializeSeq serialize_element;
    SerializeTuple serialize_element;
    SerializeTupleStruct serialize_field;
}

#[derive(Default)]
struct Fields {
    fields: Vec<(Box<str>, Node)>,
    name: Box<str>,
    raw: Option<Node>,
}

impl SerializeMap for Fields {
    type Ok = Node;
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, name: &T) -> Result<(), Error> {
        let name = encode(name)?;
        self.name = name.text().map_or_else(|| name.to_string().into(), |text| text.into());
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.fields.push((std::mem::take(&mut self.name), encode(value)?));
        Ok(())
    }

    fn end(self) -> Result<Node, Error> {
        Ok(Node::Object(self.fields))
    }
}

impl SerializeStruct for Fields {
    type Ok = Node;
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Error> {
        let node = encode(value)?;
        if name == RAW {
            self.raw = Some(Node::Raw(Box::new(parse(&node.text().unwrap_or_default())?)));
        } else {
            self.fields.push((name.into(), node));
        }
        Ok(())
    }

    fn end(self) -> Result<Node, Error> {
        Ok(self.raw.unwrap_or(Node::Object(self.fields)))
    }
}

/// How `serde_json` hands a raw value to a serializer; the test `raw_parts_are_trees_and_unknown_kinds_are_marked` fails when that changes.
const RAW: &str = "$serde_json::private::RawValue";

/// How the protocol's `Unknown` is written.
const UNKNOWN: &str = "agentwire::Unknown";
