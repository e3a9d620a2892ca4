//! The differences: each once, with the first place.

use std::collections::BTreeMap;

/// The differences, by a short name that an exception can list.
#[derive(Debug, Default)]
pub struct Findings(BTreeMap<String, (usize, String)>);

impl Findings {
    /// Adds a difference; only the first `detail` of a name is stored.
    pub fn add(&mut self, what: impl Into<String>, detail: impl Into<String>) {
        let (count, _) = self.0.entry(what.into()).or_insert_with(|| (0, detail.into()));
        *count += 1;
    }

    /// Returns each finding with its detail, and how often it occurred.
    pub fn iter(&self) -> impl Iterator<Item = (&str, usize, &str)> {
        self.0.iter().map(|(what, (count, detail))| (what.as_str(), *count, detail.as_str()))
    }
}

/// Returns a path without the numbers of its items: `a[3].b` is `a[].b`. Names chosen by the user become `*`.
pub fn general(path: &str) -> String {
    let mut general = String::new();
    let mut inside = false;
    for c in path.chars() {
        inside &= c != ']';
        if !inside {
            general.push(c);
        }
        inside |= c == '[';
    }
    let steps: Vec<&str> =
        general.split('.').map(|step| if step.starts_with("any_") { "*" } else { step }).collect();
    steps.join(".")
}
