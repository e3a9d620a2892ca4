//! Secrets by name.

use std::{future::Future, pin::Pin};

/// Resolves the names of secrets on the worker, so that no journal, event log or store contains their values.
pub trait SecretResolver: Send + Sync {
    /// Returns the value of a tenant's secret.
    ///
    /// # Errors
    ///
    /// A sentence without the value, if the tenant has no such secret or it can't be read.
    fn resolve<'a>(&'a self, tenant: &'a str, name: &'a str) -> SecretFuture<'a>;
}

/// The future of [`SecretResolver::resolve`].
pub type SecretFuture<'a> = Pin<Box<dyn Future<Output = Result<String, String>> + Send + 'a>>;

/// Secrets in files: `ROOT/TENANT/NAME`, as orchestrators mount them. A line break at the end is removed.
#[derive(Clone, Debug)]
pub struct SecretFolder {
    root: std::path::PathBuf,
}

impl SecretFolder {
    /// Returns a resolver for the files in this folder.
    pub fn new(root: impl Into<std::path::PathBuf>) -> Self {
        Self { root: root.into() }
    }
}

impl SecretResolver for SecretFolder {
    fn resolve<'a>(&'a self, tenant: &'a str, name: &'a str) -> SecretFuture<'a> {
        Box::pin(async move {
            if !is_name(tenant) || !is_name(name) {
                return Err(format!("`{tenant}/{name}` is not the name of a secret: each part {NAME}"));
            }
            let text = tokio::fs::read_to_string(self.root.join(tenant).join(name)).await;
            let text =
                text.map_err(|error| format!("can't read the secret `{name}` of `{tenant}`: {error}"))?;
            Ok(text.strip_suffix('\n').unwrap_or(&text).to_owned())
        })
    }
}

/// The rule of [`is_name`], for errors.
pub(crate) const NAME: &str =
    "must consist of ASCII letters, digits, `-`, `_` and `.`, without a `.` at its start";

/// Returns whether the text is a single path component of letters, digits, `-`, `_` and `.`.
pub(crate) fn is_name(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    !text.is_empty() && text.chars().all(plain) && !text.starts_with('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn secret_of_another_tenant_is_out_of_reach() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("a")).unwrap();
        std::fs::write(root.path().join("a/token"), "value\n").unwrap();
        let secrets = SecretFolder::new(root.path());
        assert_eq!(secrets.resolve("a", "token").await.unwrap(), "value");
        for (tenant, name) in [("b", "token"), ("b", "../a/token"), ("..", "token"), ("a", "")] {
            let error = secrets.resolve(tenant, name).await.unwrap_err();
            assert!(!error.contains("value"), "{error}");
        }
    }
}
