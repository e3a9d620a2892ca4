//! Resolves types: looks up names, and applies the helpers of the language and of zod.

use super::{Declarations, Field, Type};

/// Resolves a type's outermost name; `Err` contains a name that is not declared here.
pub(super) fn resolve(of: &Type, declared: &Declarations) -> Result<Type, String> {
    let mut of = of.clone();
    for _ in 0..LOOKUPS {
        of = match of {
            Type::Name { name, args } => named(&name, args, declared)?,
            Type::Part { of, name } => part(&of, &name, declared),
            done => return Ok(done),
        };
    }
    Ok(Type::Any)
}

fn named(name: &str, arguments: Vec<Type>, declared: &Declarations) -> Result<Type, String> {
    let mut arguments = arguments.into_iter();
    let first = arguments.next().unwrap_or(Type::Any);
    let field = |of: Type| Field { name: None, optional: false, of };
    Ok(match name {
        "Record" | "z.ZodRecord" => Type::Object { of: vec![field(arguments.next().unwrap_or(Type::Any))] },
        "Array" | "ReadonlyArray" | "z.ZodArray" => Type::List { of: Box::new(first) },
        "Readonly" | "Promise" | "Required" | "z.infer" | "z.ZodPreprocess" | "z.ZodDefault"
        | "z.ZodObject" | "z.ZodReadonly" | "z.ZodLiteral" | "z.ZodOptional" => first,
        "z.ZodNullable" => Type::Union { of: vec![first, NULL] },
        "z.ZodUnion" => match first {
            Type::Name { name: tuple, args } if tuple == "tuple" => Type::Union { of: args },
            other => other,
        },
        "z.ZodEnum" => match first {
            Type::Object { of } => Type::Union { of: of.into_iter().map(|field| field.of).collect() },
            _ => Type::Any,
        },
        "z.ZodString" | "UUID" => Type::Text,
        "z.ZodNumber" => Type::Number,
        "z.ZodBoolean" => Type::Bool,
        "z.ZodUnknown" | "z.ZodAny" => Type::Any,
        "Partial" => match resolve(&first, declared)? {
            Type::Object { of } => {
                Type::Object { of: of.into_iter().map(|field| Field { optional: true, ..field }).collect() }
            }
            other => other,
        },
        "NonNullable" => match resolve(&first, declared)? {
            Type::Union { of } => Type::Union { of: of.into_iter().filter(|arm| *arm != NULL).collect() },
            other => other,
        },
        "Omit" | "Pick" => {
            let names = texts(&arguments.next().unwrap_or(Type::Any), declared);
            // An index signature stays in both.
            let keep = |field: &Field| {
                let named = field.name.as_ref().map(|field| names.contains(field));
                named.is_none_or(|named| named == (name == "Pick"))
            };
            match resolve(&first, declared)? {
                Type::Object { of } => Type::Object { of: of.into_iter().filter(keep).collect() },
                other => other,
            }
        }
        "ReturnType" => match resolve(&first, declared)? {
            Type::Function { of } => *of,
            _ => Type::Any,
        },
        "typeof" => first,
        "tuple" => {
            Type::List { of: Box::new(Type::Union { of: std::iter::once(first).chain(arguments).collect() }) }
        }
        name => {
            let plain = name.rsplit('.').next().unwrap_or(name);
            declared.get(plain).cloned().ok_or_else(|| plain.to_owned())?
        }
    })
}

fn part(of: &Type, name: &str, declared: &Declarations) -> Type {
    let shapes = shapes(of, declared).unwrap_or_default();
    let found = shapes.into_iter().flatten().find(|field| field.name.as_deref() == Some(name));
    found.map_or(Type::Any, |field| field.of)
}

/// The texts of a set of literals.
pub(super) fn texts(of: &Type, declared: &Declarations) -> Vec<String> {
    match resolve(of, declared) {
        Ok(Type::Literal { value: serde_json::Value::String(text) }) => vec![text],
        Ok(Type::Union { of: arms }) => arms.iter().flat_map(|arm| texts(arm, declared)).collect(),
        _ => Vec::new(),
    }
}

/// The objects that a type may be, each by its fields; `None` where it is no object.
pub(super) fn shapes(of: &Type, declared: &Declarations) -> Option<Vec<Vec<Field>>> {
    match resolve(of, declared).ok()? {
        Type::Object { of } => Some(vec![of]),
        Type::Union { of: arms } => {
            let shapes: Option<Vec<_>> = arms.iter().map(|arm| shapes(arm, declared)).collect();
            shapes.map(|shapes| shapes.into_iter().flatten().collect())
        }
        Type::And { of: parts } => {
            let mut all = vec![Vec::new()];
            for part in &parts {
                // A part that is not known adds nothing.
                let Some(shapes) = shapes(part, declared) else { continue };
                let joined = |fields: &Vec<Field>| {
                    shapes.iter().map(|more| merge(fields.clone(), more)).collect::<Vec<_>>()
                };
                all = all.iter().flat_map(joined).collect();
            }
            Some(all)
        }
        _ => None,
    }
}

/// Merges the fields of both objects; the later one takes precedence.
fn merge(mut fields: Vec<Field>, more: &[Field]) -> Vec<Field> {
    for field in more {
        fields.retain(|other| other.name.is_none() || other.name != field.name);
        fields.push(field.clone());
    }
    fields
}

const NULL: Type = Type::Literal { value: serde_json::Value::Null };

/// A longer chain of names is a cycle.
const LOOKUPS: usize = 40;
