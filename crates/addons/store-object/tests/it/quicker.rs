//! A bucket in which another process deletes the first object before the store does.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    ObjectStoreExt as _, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};

#[derive(Debug)]
pub(crate) struct Quicker(pub(crate) Arc<InMemory>);

impl fmt::Display for Quicker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Quicker")
    }
}

type Answer<'b, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'b>>;

// Written without the attribute of `async-trait`.
impl ObjectStore for Quicker {
    fn put_opts<'a, 'c, 'b>(
        &'a self,
        location: &'c Path,
        payload: PutPayload,
        options: PutOptions,
    ) -> Answer<'b, PutResult>
    where
        'a: 'b,
        'c: 'b,
        Self: 'b,
    {
        self.0.put_opts(location, payload, options)
    }

    fn put_multipart_opts<'a, 'c, 'b>(
        &'a self,
        location: &'c Path,
        options: PutMultipartOptions,
    ) -> Answer<'b, Box<dyn MultipartUpload>>
    where
        'a: 'b,
        'c: 'b,
        Self: 'b,
    {
        self.0.put_multipart_opts(location, options)
    }

    fn get_opts<'a, 'c, 'b>(&'a self, location: &'c Path, options: GetOptions) -> Answer<'b, GetResult>
    where
        'a: 'b,
        'c: 'b,
        Self: 'b,
    {
        self.0.get_opts(location, options)
    }

    fn delete_stream(&self, locations: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        let objects = Arc::clone(&self.0);
        let delete = move |(at, location): (usize, Result<Path>)| {
            let objects = Arc::clone(&objects);
            async move {
                let location = location?;
                objects.delete(&location).await?;
                match at {
                    0 => Err(Error::NotFound { path: location.to_string(), source: "it is gone".into() }),
                    _ => Ok(location),
                }
            }
        };
        locations.enumerate().then(delete).boxed()
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.0.list(prefix)
    }

    fn list_with_delimiter<'a, 'c, 'b>(&'a self, prefix: Option<&'c Path>) -> Answer<'b, ListResult>
    where
        'a: 'b,
        'c: 'b,
        Self: 'b,
    {
        self.0.list_with_delimiter(prefix)
    }

    fn copy_opts<'a, 'c, 'd, 'b>(
        &'a self,
        from: &'c Path,
        to: &'d Path,
        options: CopyOptions,
    ) -> Answer<'b, ()>
    where
        'a: 'b,
        'c: 'b,
        'd: 'b,
        Self: 'b,
    {
        self.0.copy_opts(from, to, options)
    }
}
