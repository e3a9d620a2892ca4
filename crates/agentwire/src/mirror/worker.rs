//! The task that appends to the store.

use std::sync::Arc;

use agentwire_control::panics::error_chain;
use agentwire_sessions::SessionStore;
use tokio::task::consume_budget;

use super::{
    TranscriptPaths,
    append::append,
    batch::{Batch, Part},
    queue::{Job, Queue},
};
use crate::StoreFault;

/// Appends the entries that the filter took off the stream.
///
/// However it ends, the remaining entries are counted and reported, and nothing waits for it any more.
pub(super) struct Worker {
    queue: Arc<Queue>,
    store: Arc<dyn SessionStore>,
    paths: Arc<TranscriptPaths>,
    batch: Batch,
}

impl Worker {
    pub(super) fn new(queue: Arc<Queue>, store: Arc<dyn SessionStore>, paths: Arc<TranscriptPaths>) -> Self {
        Self { queue, store, paths, batch: Batch::default() }
    }

    /// Runs until everything is stored and no more frames can arrive, or its time is over.
    pub(super) async fn run(mut self) {
        let queue = Arc::clone(&self.queue);
        tokio::select! {
            biased;
            () = self.work() => {}
            () = queue.enforce_deadlines() => {}
        }
    }

    async fn work(&mut self) {
        loop {
            // A store that is always ready must not starve other tasks, including the timer.
            consume_budget().await;
            match self.queue.next_job().await {
                Job::Frame(line) => {
                    if let Some(error) = self.batch.add(&line, &self.paths) {
                        self.queue.report(error);
                    }
                    if self.queue.appends_now() || self.batch.is_full(self.queue.options.max_pending) {
                        self.flush().await;
                    }
                }
                Job::Flush => self.flush().await,
                Job::End => return self.flush().await,
            }
        }
    }

    /// Appends the batch, key by key. Entries that the store did not accept stay in the batch, before the next ones.
    async fn flush(&mut self) {
        let mut at = 0;
        // A key that the store keeps refusing must not delay the others.
        self.batch.parts.sort_by_key(|part| part.reported > 0);
        // Entries being appended stay in the batch, so that they are counted if this future is dropped.
        while let Some(Part { key, entries, .. }) = self.batch.parts.get(at) {
            match append(&*self.store, key, entries, self.queue.options.append_limit).await {
                Ok(()) => self.queue.stored(&self.batch.parts.remove(at)),
                // It may still complete.
                Err(fault @ StoreFault::TimedOut { .. }) => {
                    let mut part = self.batch.parts.remove(at);
                    self.queue.failed(&mut part, error_chain(&fault), false);
                }
                Err(fault) => {
                    self.queue.failed(&mut self.batch.parts[at], error_chain(&fault), true);
                    at += 1;
                }
            }
        }
        let (frames, bytes) = self.batch.flushed();
        self.queue.finish(frames, bytes, at == 0);
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        for line in self.queue.take_frames() {
            if let Some(error) = self.batch.add(&line, &self.paths) {
                self.queue.report(error);
            }
        }
        for part in &mut self.batch.parts {
            let why = "the session ended before the store had taken it".to_owned();
            self.queue.failed(part, why, false);
        }
        self.queue.worker_ended();
    }
}
