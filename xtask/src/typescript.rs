//! TypeScript declarations, as far as the published ones go: read, and turned into sample values.

mod parse;
mod sample;
mod shape;
mod token;

pub(crate) use parse::parse;
pub(crate) use sample::{FREE, Sampler};

use std::collections::BTreeMap;

use serde_json::Value;

/// The types of a file by name.
pub(crate) type Declarations = BTreeMap<String, Type>;

/// A type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Type {
    /// `'a'`, `1`, `true`, `null`.
    Literal(Value),
    Text,
    Number,
    Bool,
    /// `unknown`, `any`, and whatever is not understood.
    Any,
    /// `undefined`, `void`, `never`: not on the wire.
    Nothing,
    List(Box<Type>),
    Object(Vec<Field>),
    Union(Vec<Type>),
    And(Vec<Type>),
    /// A name with its arguments, namespaces included: `Record`, `z.ZodString`, `PermissionUpdate`.
    Name(String, Vec<Type>),
    /// `T['name']`.
    Part(Box<Type>, String),
    /// `() => T`, which only a `ReturnType` looks into.
    Function(Box<Type>),
}

/// A field of an object.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Field {
    /// `None` for an index signature.
    pub(crate) name: Option<String>,
    pub(crate) optional: bool,
    pub(crate) of: Type,
}

#[cfg(test)]
mod tests;
