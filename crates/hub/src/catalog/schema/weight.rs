//! How much work a schema may be: references of a few lines can stand for more schemas than can ever be looked at.

use std::collections::HashMap;

use serde_json::Value;

/// How much work a schema is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Weight {
    /// How many schemas it is when each reference stands for what it refers to, once.
    own: usize,
    /// How many references lead back to what they are in.
    returns: usize,
}

impl Weight {
    const EXCESSIVE: Self = Self { own: usize::MAX, returns: 0 };

    pub(super) fn of(root: &Value) -> Self {
        let mut scale = Scale::new(root);
        let Self { own, returns } = scale.weigh(root);
        // Such references may each lead to all others: of so many no more than this can come.
        let others = 3_usize.saturating_pow(scale.others.div_ceil(3));
        let others_return = usize::try_from(scale.others).unwrap_or(usize::MAX);
        Self { own: own.saturating_mul(others), returns: returns.saturating_add(others_return) }
    }

    /// Whether what it refers to is too much to be followed.
    pub(super) fn is_excessive(self) -> bool {
        self.own > MAX_WEIGHT
    }

    /// How many schemas are applied at most to tell whether a value fits.
    ///
    /// The validator remembers what it has found of a target of references that return and a value.
    pub(super) fn check(self, extent: Extent) -> usize {
        self.own.saturating_mul(extent.values)
    }

    /// As [`check`](Self::check), to tell why it does not: nothing is remembered then, and each level of the value can
    /// have all references that return followed anew.
    pub(super) fn search(self, extent: Extent) -> usize {
        let anew = self.returns.max(1).saturating_pow(extent.depth.saturating_add(1));
        self.check(extent).saturating_mul(anew)
    }

    fn plus(self, other: Self) -> Self {
        Self { own: self.own.saturating_add(other.own), returns: self.returns.saturating_add(other.returns) }
    }
}

/// How large a value is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    /// How many values there are, itself included.
    values: usize,
    /// How many of them are inside one another.
    depth: u32,
}

impl Extent {
    pub(super) fn of(value: &Value) -> Self {
        children(value).map(Self::of).fold(Self { values: 1, depth: 0 }, |all, inner| Self {
            values: all.values + inner.values,
            depth: all.depth.max(inner.depth.saturating_add(1)),
        })
    }
}

/// Weighs a schema.
struct Scale<'a> {
    root: &'a Value,
    /// Whether a path means something else in a part of it.
    has_parts: bool,
    targets: HashMap<&'a str, Target>,
    /// References that are no paths within the schema.
    others: u32,
    depth: u32,
    /// How often it went to what applies to a part of the value, on the way to where it is.
    below: u32,
}

/// What is known of what a reference refers to.
enum Target {
    /// It is being weighed, from here on.
    Open {
        below: u32,
    },
    Known(Weight),
}

impl<'a> Scale<'a> {
    fn new(root: &'a Value) -> Self {
        let has_parts = children(root).any(is_identified);
        Self { root, has_parts, targets: HashMap::new(), others: 0, depth: 0, below: 0 }
    }

    fn weigh(&mut self, value: &'a Value) -> Weight {
        let one = Weight { own: 1, returns: 0 };
        match value {
            Value::Array(items) => items.iter().fold(one, |sum, item| {
                // The choices of an `enum`, the names that are required.
                let item = if item.is_array() || item.is_object() { self.weigh(item) } else { one };
                sum.plus(item)
            }),
            Value::Object(members) => {
                members.iter().fold(one, |sum, (key, value)| sum.plus(self.member(key, value)))
            }
            _ => Weight { own: 0, returns: 0 },
        }
    }

    fn member(&mut self, key: &str, value: &'a Value) -> Weight {
        match value {
            Value::String(target) if REFERENCES.contains(&key) => self.refer(target),
            Value::Object(named) if IN_PLACE_BY_NAME.contains(&key) => {
                let one = Weight { own: 1, returns: 0 };
                named.values().fold(one, |sum, schema| sum.plus(self.weigh(schema)))
            }
            value if IN_PLACE.contains(&key) => self.weigh(value),
            value => {
                self.below += 1;
                let weight = self.weigh(value);
                self.below -= 1;
                weight
            }
        }
    }

    fn refer(&mut self, target: &'a str) -> Weight {
        match self.targets.get(target) {
            // It applies to the same value again, which means nothing, and can be gone around in many ways.
            Some(Target::Open { below }) if *below == self.below => return Weight::EXCESSIVE,
            Some(Target::Open { .. }) => return Weight { own: 1, returns: 1 },
            Some(Target::Known(weight)) => return *weight,
            None => {}
        }
        let path = target.strip_prefix('#').filter(|_| !self.has_parts);
        let found = path.and_then(|path| self.root.pointer(path));
        let Some(found) = found else {
            self.others = self.others.saturating_add(1);
            return Weight { own: 1, returns: 0 };
        };
        if self.depth == MAX_DEPTH {
            return Weight::EXCESSIVE;
        }
        self.targets.insert(target, Target::Open { below: self.below });
        self.depth += 1;
        let weight = self.weigh(found);
        self.depth -= 1;
        self.targets.insert(target, Target::Known(weight));
        weight
    }
}

/// Whether there is something in a value that has an address of its own, as a schema.
fn is_identified(value: &Value) -> bool {
    ["$id", "id"].into_iter().any(|key| value.get(key).is_some_and(Value::is_string))
        || children(value).any(is_identified)
}

fn children(value: &Value) -> impl Iterator<Item = &Value> {
    let (items, members) = match value {
        Value::Array(items) => (Some(items), None),
        Value::Object(members) => (None, Some(members)),
        _ => (None, None),
    };
    items.into_iter().flatten().chain(members.into_iter().flat_map(serde_json::Map::values))
}

/// Whether no value ever has more than one schema: one for each member or item, and a reference stands alone.
pub(super) fn is_plain(schema: &Value) -> bool {
    let has = |keys: &[&str]| keys.iter().any(|key| schema.get(key).is_some());
    let refers_beside = has(&REFERENCES) && has(&PARTS);
    !has(&MANIFOLD) && !refers_beside && children(schema).all(is_plain)
}

const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];
/// What applies to the value itself. Anything else applies to a part of it, or not at all.
const IN_PLACE: [&str; 7] = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else"];
/// As [`IN_PLACE`], with a name for each schema.
const IN_PLACE_BY_NAME: [&str; 2] = ["dependentSchemas", "dependencies"];
/// What gives each member or item one schema.
const PARTS: [&str; 5] = ["properties", "additionalProperties", "items", "prefixItems", "additionalItems"];
/// What gives a value a schema that it may have beside another one.
const MANIFOLD: [&str; 14] = [
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "dependentSchemas",
    "dependencies",
    "patternProperties",
    "propertyNames",
    "contains",
    "unevaluatedItems",
    "unevaluatedProperties",
    "$dynamicRef",
    "$recursiveRef",
];
/// How many schemas a schema may be when each reference stands for what it refers to.
const MAX_WEIGHT: usize = 100_000;
/// How many references are followed one after the other.
const MAX_DEPTH: u32 = 200;
