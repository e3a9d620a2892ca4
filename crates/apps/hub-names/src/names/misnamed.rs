//! A name that leads to nothing, or to more than one thing.

use super::loosened;

/// A name that leads to nothing, or to more than one thing. Its text tells a model which names there are.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Misnamed {
    /// Nothing is called so.
    #[error("nothing is called `{name}`; {}", known(near, *of))]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// Unique names that may have been meant: a few.
        near: Vec<String>,
        /// How many names there are.
        of: usize,
    },
    /// Several fit, and none exactly.
    #[error("`{name}` could be any of {}: say which", listed(fitting))]
    Ambiguous {
        /// The name that was asked for.
        name: String,
        /// The unique names that fit.
        fitting: Vec<String>,
    },
}

impl Misnamed {
    /// `all`: each unique name, and what its server calls it.
    pub(super) fn unknown<'a>(name: &str, all: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let meant = loosened(name).to_lowercase();
        let holds = |long: &str, short: &str| short.len() > 2 && long.contains(short);
        let (mut near, mut others, mut of) = (Vec::new(), Vec::new(), 0);
        for (unique, item) in all {
            of += 1;
            let (unique_key, item) = (loosened(unique).to_lowercase(), loosened(item).to_lowercase());
            match holds(&meant, &item) || holds(&unique_key, &meant) {
                true if near.len() < FEW => near.push(unique.to_owned()),
                false if others.len() < FEW => others.push(unique.to_owned()),
                _ => {}
            }
        }
        Self::Unknown { name: name.to_owned(), near: if near.is_empty() { others } else { near }, of }
    }

    pub(super) fn ambiguous<'a>(name: &str, fitting: impl Iterator<Item = &'a str>) -> Self {
        Self::Ambiguous { name: name.to_owned(), fitting: fitting.map(str::to_owned).collect() }
    }
}

fn known(near: &[String], of: usize) -> String {
    match (near, of) {
        ([], _) => "there is nothing".to_owned(),
        (near, of) if near.len() == of => format!("there is {}", listed(near)),
        (near, of) => format!("there are {of}, among them {}", listed(near)),
    }
}

fn listed(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// So many names are told.
const FEW: usize = 8;
