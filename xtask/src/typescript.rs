//! TypeScript declarations, read by the package `typescript` and turned into sample values.

mod sample;
mod shape;

pub(crate) use sample::{FREE, Sampler};

use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::Stdio;

use serde::Deserialize;
use serde_json::Value;

use crate::failure::{Failure, While as _};
use crate::npm::Script;

/// The types of a file by name.
pub(crate) type Declarations = BTreeMap<String, Type>;

/// A type.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(crate) enum Type {
    /// `'a'`, `1`, `true`, `null`.
    Literal {
        value: Value,
    },
    Text,
    Number,
    Bool,
    /// `unknown`, `any`, and syntax that the script does not read.
    Any,
    /// `undefined`, `void`, `never`: not on the wire.
    Nothing,
    List {
        of: Box<Type>,
    },
    Object {
        of: Vec<Field>,
    },
    Union {
        of: Vec<Type>,
    },
    And {
        of: Vec<Type>,
    },
    /// A name with its arguments and namespaces: `Record`, `z.ZodString`, `PermissionUpdate`.
    Name {
        name: String,
        args: Vec<Type>,
    },
    /// `T['name']`.
    Part {
        of: Box<Type>,
        name: String,
    },
    /// `() => T`, for `ReturnType`.
    Function {
        of: Box<Type>,
    },
}

/// A field of an object.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub(crate) struct Field {
    /// `None` for an index signature.
    pub(crate) name: Option<String>,
    pub(crate) optional: bool,
    pub(crate) of: Type,
}

/// Returns the types that the text declares.
///
/// First checks that the script returns, for the declarations of the tests, the output that the tests assume.
pub(crate) fn parse(text: &str) -> Result<Declarations, Failure> {
    if run_script(EXAMPLE)? != example() {
        return Err(Failure::new("typescript/example.json is not the output for typescript/example.d.ts"));
    }
    run_script(text)
}

/// The declarations of the tests, as the script returns them.
pub(crate) fn example() -> Declarations {
    serde_json::from_str(include_str!("typescript/example.json")).unwrap_or_default()
}

fn run_script(text: &str) -> Result<Declarations, Failure> {
    let mut command = SCRIPT.command()?;
    let mut node = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    if let Some(mut input) = node.stdin.take() {
        // The script reads all of its input before it writes.
        input.write_all(text.as_bytes())?;
    }
    let output = node.wait_with_output()?;
    if !output.status.success() {
        return Err(Failure::new(format!("{} ended with {}", SCRIPT.name, output.status)));
    }
    serde_json::from_slice(&output.stdout).while_doing(|| format!("reading the output of {}", SCRIPT.name))
}

const EXAMPLE: &str = include_str!("typescript/example.d.ts");
const SCRIPT: Script =
    Script { package: ("typescript", "5.9.3"), file: "lib/typescript.js", name: "declarations.mjs" };

#[cfg(test)]
mod tests;
