//! This workspace, as cargo sees it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;

use crate::failure::{Failure, While as _};
use crate::program;

/// The fields of `cargo metadata` that the commands use.
#[derive(Debug, Deserialize)]
pub(crate) struct Metadata {
    packages: Vec<Package>,
    pub(crate) target_directory: PathBuf,
}

/// One package.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) manifest_path: PathBuf,
    pub(crate) dependencies: Vec<Dependency>,
    pub(crate) features: BTreeMap<String, Vec<String>>,
    publish: Option<Vec<String>>,
    #[serde(default)]
    pub(crate) targets: Vec<Target>,
}

/// A library, program, test or example of a package.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Target {
    kind: Vec<String>,
    pub(crate) src_path: PathBuf,
}

impl Target {
    /// Whether this is a library or a program, and no test, example, benchmark or build script.
    pub(crate) fn is_product(&self) -> bool {
        self.kind.iter().any(|kind| matches!(kind.as_str(), "lib" | "bin" | "proc-macro"))
    }
}

/// One entry of a manifest's dependencies.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// `None`, `dev` or `build`.
    pub(crate) kind: Option<String>,
    /// The version requirement, or `*`.
    pub(crate) req: String,
    pub(crate) uses_default_features: bool,
}

impl Metadata {
    /// Asks cargo.
    pub(crate) fn load() -> Result<Self, Failure> {
        let mut cargo = program::cargo()?;
        let text = program::output(cargo.args(["metadata", "--no-deps", "--format-version", "1"]))?;
        serde_json::from_str(&text).while_doing(|| "reading the output of `cargo metadata`".to_owned())
    }

    /// The crates of this workspace, by name.
    pub(crate) fn members(&self) -> impl Iterator<Item = &Package> {
        self.packages.iter()
    }
}

impl Package {
    /// Whether a registry may publish the package.
    pub(crate) fn is_published(&self) -> bool {
        self.publish.is_none()
    }

    /// Whether this is a dependency of any kind.
    pub(crate) fn depends_on(&self, name: &str) -> bool {
        self.dependencies.iter().any(|dependency| dependency.name == name)
    }

    /// The default features.
    pub(crate) fn default_features(&self) -> &[String] {
        self.features.get("default").map_or(&[], Vec::as_slice)
    }
}
