//! Opens a store by its URL.

use std::path::Path;

use agentwire_sessions::{FolderStore, SessionStore};

use crate::failure::Failure;

/// Opens the store. With `creates`, creates a missing folder, and the tables that a database lacks.
pub(super) async fn open(url: &str, creates: bool) -> Result<Box<dyn SessionStore>, Failure> {
    match url.split_once("://") {
        Some(("file", "")) => Err(Failure::new(format!("`{url}` names no folder: use file://FOLDER"))),
        Some(("file", folder)) if !creates && !Path::new(folder).is_dir() => {
            Err(Failure::new(format!("`{url}`: there is no such folder")))
        }
        Some(("file", folder)) => Ok(Box::new(FolderStore::at(folder))),
        Some(("redis", _)) => redis(url),
        Some(("postgres" | "postgresql", _)) => postgres(url, creates).await,
        Some(("s3", _)) => s3(url),
        // The rest may contain a password.
        Some((scheme, _)) => Err(no_store(&format!("`{scheme}://`"))),
        None => Err(no_store("an address without `://`")),
    }
}

fn no_store(name: &str) -> Failure {
    Failure::new(format!("{name} is not a store: use file://, redis://, postgres:// or s3://"))
}

#[cfg(feature = "redis")]
fn redis(url: &str) -> Result<Box<dyn SessionStore>, Failure> {
    use agentwire_store_redis::{RedisStore, redis::Client};

    Ok(Box::new(RedisStore::new(Client::open(url)?)))
}

#[cfg(not(feature = "redis"))]
fn redis(_: &str) -> Result<Box<dyn SessionStore>, Failure> {
    Err(missing("redis"))
}

#[cfg(feature = "postgres")]
async fn postgres(url: &str, creates: bool) -> Result<Box<dyn SessionStore>, Failure> {
    use agentwire_store_postgres::PostgresStore;

    let store = PostgresStore::new(url.parse()?);
    if creates {
        store.create_tables().await?;
    }
    Ok(Box::new(store))
}

#[cfg(not(feature = "postgres"))]
async fn postgres(_: &str, _: bool) -> Result<Box<dyn SessionStore>, Failure> {
    Err(missing("postgres"))
}

#[cfg(feature = "s3")]
fn s3(url: &str) -> Result<Box<dyn SessionStore>, Failure> {
    use std::sync::Arc;

    use agentwire_store_object::{BucketStore, object_store::aws::AmazonS3Builder};

    // An error means that there is a provider already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let place = url.trim_start_matches("s3://");
    let (bucket, prefix) = place.split_once('/').unwrap_or((place, ""));
    if bucket.is_empty() {
        return Err(Failure::new(format!("`{url}` names no bucket: use s3://BUCKET/PREFIX")));
    }
    let client = AmazonS3Builder::from_env().with_bucket_name(bucket).build()?;
    Ok(Box::new(BucketStore::new(Arc::new(client), prefix)))
}

#[cfg(not(feature = "s3"))]
fn s3(_: &str) -> Result<Box<dyn SessionStore>, Failure> {
    Err(missing("s3"))
}

#[cfg(not(all(feature = "redis", feature = "postgres", feature = "s3")))]
fn missing(feature: &str) -> Failure {
    Failure::new(format!(
        "this build has no stores of {feature}: install agentwire with `--features {feature}`"
    ))
}
