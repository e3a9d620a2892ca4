//! Sample values of a type: together they have each field and each arm of a union, and one lacks the optional fields.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::shape::{resolve, shapes, texts};
use super::{Declarations, Field, Type};

/// Creates samples, and records the sets of strings that it finds.
#[derive(Debug)]
pub(crate) struct Sampler<'a> {
    declared: &'a Declarations,
    /// Samples of types that are declared elsewhere.
    foreign: BTreeMap<&'static str, Value>,
    /// The names that are being sampled, so that a type within itself ends.
    within: Vec<String>,
    /// Sets of two strings and more, each with the first place that it was met in.
    pub(crate) sets: BTreeMap<BTreeSet<String>, String>,
    /// Names that are declared nowhere.
    pub(crate) missing: BTreeSet<String>,
    place: Vec<String>,
}

impl<'a> Sampler<'a> {
    pub(crate) fn new(declared: &'a Declarations, foreign: BTreeMap<&'static str, Value>) -> Self {
        Self {
            declared,
            foreign,
            within: Vec::new(),
            sets: BTreeMap::new(),
            missing: BTreeSet::new(),
            place: Vec::new(),
        }
    }

    /// Samples of a declaration; none where it is not declared.
    pub(crate) fn of(&mut self, name: &str) -> Vec<Value> {
        if !self.declared.contains_key(name) {
            return Vec::new();
        }
        self.place = vec![name.to_owned()];
        self.with_and_without(&Type::Name { name: name.to_owned(), args: Vec::new() })
    }

    /// Samples of a field of a declaration, even if `foreign` has a sample of the declaration; none where it is not
    /// declared.
    pub(crate) fn of_field(&mut self, name: &str, field: &str) -> Vec<Value> {
        let fields = self.declared_fields(name);
        let Some(found) = fields.into_iter().find(|declared| declared.name.as_deref() == Some(field)) else {
            return Vec::new();
        };
        self.place = vec![name.to_owned(), field.to_owned()];
        self.with_and_without(&found.of)
    }

    /// Samples with the optional fields, and without them.
    fn with_and_without(&mut self, of: &Type) -> Vec<Value> {
        let mut samples = self.samples(of, true);
        samples.extend(self.samples(of, false));
        samples.dedup();
        samples
    }

    /// Returns the declarations of a union, including those of unions in it.
    pub(crate) fn arms(&self, name: &str) -> Vec<String> {
        let members = self.members(name);
        if members.is_empty() {
            return vec![plain(name).to_owned()];
        }
        members.iter().flat_map(|member| self.arms(member)).collect()
    }

    /// The names that a union lists itself; none where it is no union of names.
    pub(crate) fn members(&self, name: &str) -> Vec<String> {
        let Some(Type::Union { of: arms }) = self.declared.get(plain(name)) else { return Vec::new() };
        let names = arms.iter().map(|arm| match arm {
            Type::Name { name, .. } => Some(plain(name).to_owned()),
            _ => None,
        });
        names.collect::<Option<_>>().unwrap_or_default()
    }

    /// The literals that a field of a declaration may have.
    pub(crate) fn literals(&self, name: &str, field: &str) -> Vec<String> {
        let mut fields = self.declared_fields(name);
        fields.retain(|declared| declared.name.as_deref() == Some(field));
        let mut found: Vec<String> =
            fields.iter().flat_map(|field| texts(&field.of, self.declared)).collect();
        found.dedup();
        found
    }

    /// The names of a declaration's fields.
    pub(crate) fn fields(&self, name: &str) -> Vec<String> {
        let fields = self.declared_fields(name).into_iter();
        let mut names: Vec<String> = fields.filter_map(|field| field.name).collect();
        names.dedup();
        names
    }

    /// The fields of each object that a declaration may be.
    fn declared_fields(&self, name: &str) -> Vec<Field> {
        let of = Type::Name { name: name.to_owned(), args: Vec::new() };
        shapes(&of, self.declared).unwrap_or_default().into_iter().flatten().collect()
    }

    fn samples(&mut self, of: &Type, full: bool) -> Vec<Value> {
        if let Type::Name { name, .. } = of {
            let name = plain(name);
            if let Some(sample) = self.foreign.get(name) {
                return vec![sample.clone()];
            }
            if self.within.iter().any(|outer| outer == name) {
                return Vec::new();
            }
            // The helpers of the language may be nested in themselves.
            let declared = self.declared.contains_key(name);
            let mut outer = None;
            if declared {
                self.within.push(name.to_owned());
                outer = Some(std::mem::replace(&mut self.place, vec![name.to_owned()]));
            }
            let samples = match resolve(of, self.declared) {
                Ok(of) => self.samples(&of, full),
                Err(name) => {
                    self.missing.insert(name);
                    vec![free()]
                }
            };
            if let Some(outer) = outer {
                self.within.pop();
                self.place = outer;
            }
            return samples;
        }
        match of {
            Type::Literal { value } => vec![value.clone()],
            Type::Text => vec![json!("text")],
            Type::Number => vec![json!(1)],
            Type::Bool => vec![json!(true)],
            Type::Any | Type::Function { .. } => vec![free()],
            Type::Nothing | Type::Name { .. } => Vec::new(),
            Type::List { of } => vec![Value::Array(if full { self.samples(of, full) } else { Vec::new() })],
            Type::Union { of: arms } => {
                self.note(of);
                let mut samples: Vec<Value> = arms.iter().flat_map(|arm| self.samples(arm, full)).collect();
                samples.dedup();
                samples
            }
            Type::Object { .. } | Type::And { .. } => {
                let shapes = shapes(of, self.declared).unwrap_or_default();
                shapes.iter().flat_map(|fields| self.objects(fields, full)).collect()
            }
            Type::Part { of: whole, name: field } if self.is_foreign(whole) => {
                let wholes = self.samples(whole, full);
                wholes.iter().map(|whole| whole.get(field).cloned().unwrap_or_else(free)).collect()
            }
            Type::Part { .. } => match resolve(of, self.declared) {
                Ok(of) => self.samples(&of, full),
                Err(_) => vec![free()],
            },
        }
    }

    fn is_foreign(&self, of: &Type) -> bool {
        matches!(of, Type::Name { name, .. } if self.foreign.contains_key(plain(name)))
    }

    /// Objects with these fields: as many as the field with the most samples has.
    fn objects(&mut self, fields: &[Field], full: bool) -> Vec<Value> {
        let mut values: Vec<(String, Vec<Value>)> = Vec::new();
        for field in fields {
            let optional = field.optional || is_zod_optional(&field.of);
            match &field.name {
                Some(_) if optional && !full => {}
                Some(name) => {
                    self.place.push(name.clone());
                    let samples = self.samples(&field.of, full);
                    self.place.pop();
                    if !samples.is_empty() {
                        values.push((name.clone(), samples));
                    }
                }
                // An index signature: one field for each sample. With unknown values beside named fields it only permits
                // other fields, and declares none.
                None if full && (fields.len() == 1 || field.of != Type::Any) => {
                    let samples = self.samples(&field.of, full);
                    let named = samples.into_iter().take(MAX_SAMPLES).enumerate();
                    values.extend(named.map(|(index, sample)| (format!("any_{index}"), vec![sample])));
                }
                None => {}
            }
        }
        let count = values.iter().map(|(_, samples)| samples.len()).max().unwrap_or(1).min(MAX_SAMPLES);
        let object = |index: usize| {
            let fields =
                values.iter().map(|(name, samples)| (name.clone(), samples[index % samples.len()].clone()));
            Value::Object(fields.collect::<Map<_, _>>())
        };
        (0..count).map(object).collect()
    }

    fn note(&mut self, of: &Type) {
        let set: BTreeSet<String> = texts(of, self.declared).into_iter().collect();
        if set.len() > 1 {
            let place = self.place.join(".");
            self.sets.entry(set).or_insert(place);
        }
    }
}

/// A name without its namespace.
fn plain(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

fn is_zod_optional(of: &Type) -> bool {
    matches!(of, Type::Name { name, .. } if name == "z.ZodOptional")
}

/// A value of no declared shape.
fn free() -> Value {
    json!({FREE: 1})
}

/// The field that marks a value of no declared shape.
pub(crate) const FREE: &str = "any_free";

/// No type has more samples than this.
const MAX_SAMPLES: usize = 64;
