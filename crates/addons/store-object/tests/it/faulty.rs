//! A bucket in memory with faults.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::StreamExt as _;
use futures_util::future::pending;
use futures_util::stream::{self, BoxStream};
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    ObjectStoreExt as _, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};
use tokio::task::yield_now;

#[derive(Debug)]
pub(crate) struct Faulty {
    objects: Arc<InMemory>,
    /// Whether objects are written, but no write is answered.
    pub(crate) is_silent: AtomicBool,
    /// Returns the error of a deletion, from its number in a request and the object.
    refuse: fn(usize, &Path) -> Option<Error>,
}

impl Faulty {
    pub(crate) fn new(refuse: fn(usize, &Path) -> Option<Error>) -> Self {
        Self { objects: Arc::new(InMemory::new()), is_silent: AtomicBool::new(false), refuse }
    }
}

/// The error for an object that another process has deleted.
pub(crate) fn not_found(path: &Path) -> Error {
    Error::NotFound { path: path.to_string(), source: "it is gone".into() }
}

impl fmt::Display for Faulty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Faulty")
    }
}

type Answer<'b, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'b>>;

// Written without the attribute of `async-trait`.
impl ObjectStore for Faulty {
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
        Box::pin(async move {
            let written = self.objects.put_opts(location, payload, options).await;
            if self.is_silent.load(Ordering::Relaxed) { pending().await } else { written }
        })
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
        self.objects.put_multipart_opts(location, options)
    }

    fn get_opts<'a, 'c, 'b>(&'a self, location: &'c Path, options: GetOptions) -> Answer<'b, GetResult>
    where
        'a: 'b,
        'c: 'b,
        Self: 'b,
    {
        self.objects.get_opts(location, options)
    }

    fn delete_stream(&self, locations: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        let (objects, refuse) = (Arc::clone(&self.objects), self.refuse);
        let delete = move |(at, location): (usize, Result<Path>)| {
            let objects = Arc::clone(&objects);
            async move {
                let location = location?;
                let refusal = refuse(at, &location);
                if matches!(refusal, None | Some(Error::NotFound { .. })) {
                    objects.delete(&location).await?;
                }
                refusal.map_or(Ok(location), Err)
            }
        };
        locations.enumerate().then(delete).boxed()
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        let (objects, prefix) = (Arc::clone(&self.objects), prefix.cloned());
        // Lists at the second poll, so that a test can run another call in between.
        let listed = async move {
            yield_now().await;
            objects.list(prefix.as_ref())
        };
        stream::once(listed).flatten().boxed()
    }

    fn list_with_delimiter<'a, 'c, 'b>(&'a self, prefix: Option<&'c Path>) -> Answer<'b, ListResult>
    where
        'a: 'b,
        'c: 'b,
        Self: 'b,
    {
        self.objects.list_with_delimiter(prefix)
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
        self.objects.copy_opts(from, to, options)
    }
}
