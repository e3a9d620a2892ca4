//! An MCP server over HTTP, streamable and with the older stream of events, that does what a test wants of it.

#![allow(dead_code, reason = "two programs of tests use it, each a part")]

#[path = "web/answers.rs"]
mod answers;
#[path = "web/place.rs"]
mod place;
#[path = "web/requests.rs"]
mod requests;

use std::{
    collections::HashMap,
    io,
    net::SocketAddr,
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use axum::{Router, response::Response};
use bytes::Bytes;
use serde_json::Value;
use tokio::{
    runtime::Runtime,
    sync::{mpsc, watch},
};

pub(crate) use self::{
    place::Place,
    requests::{Seen, status},
};

/// A server with its own threads: when it is stopped, all its connections end, as those of a killed process.
pub(crate) struct WebServer {
    runtime: Option<Runtime>,
    address: SocketAddr,
    state: Arc<State>,
}

/// The state of a server that a test can see and change.
#[derive(Default)]
pub(crate) struct State {
    streams: Mutex<HashMap<String, Option<Stream>>>,
    seen: watch::Sender<Vec<Seen>>,
    fault: Mutex<Option<Fault>>,
    tools: Mutex<Vec<String>>,
    takes_subscriptions: AtomicBool,
}

type Stream = mpsc::UnboundedSender<io::Result<Bytes>>;
type Fault = Box<dyn FnMut(&Seen) -> Option<Response> + Send>;

impl WebServer {
    /// Starts a server with the tool `echo`.
    pub(crate) fn start() -> Self {
        Self::at(Place::new(), &["echo"])
    }

    /// Starts a server with these tools at a reserved address.
    pub(crate) fn at(place: Place, tools: &[&str]) -> Self {
        let state = Arc::new(State::default());
        *lock(&state.tools) = tools.iter().map(|name| (*name).to_owned()).collect();
        let router = Router::new().fallback(requests::handle).with_state(Arc::clone(&state));
        Self::serve(place, router, state)
    }

    /// Starts a server with a test's routes.
    pub(crate) fn routes(router: Router) -> Self {
        Self::serve(Place::new(), router, Arc::default())
    }

    fn serve(place: Place, router: Router, state: Arc<State>) -> Self {
        let address = place.address();
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let listener = {
            let _inside = runtime.enter();
            place.listen()
        };
        runtime.spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { runtime: Some(runtime), address, state }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Ends the server with all its connections, and returns its address, which now refuses connections.
    pub(crate) fn stop(mut self) -> Place {
        if let Some(runtime) = self.runtime.take() {
            // A thread may wait for the end of others, a task may not.
            std::thread::spawn(move || runtime.shutdown_timeout(PATIENCE)).join().unwrap();
        }
        Place::at(self.address)
    }

    /// Sets a function that sees each request first and may return the response.
    pub(crate) fn fault(&self, fault: impl FnMut(&Seen) -> Option<Response> + Send + 'static) {
        *lock(&self.state.fault) = Some(Box::new(fault));
    }

    pub(crate) fn no_fault(&self) {
        *lock(&self.state.fault) = None;
    }

    /// Returns the requests so far.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.state.seen.borrow().clone()
    }

    /// Waits until there were this many requests of a kind.
    pub(crate) async fn saw(&self, count: usize, is_one: impl Fn(&Seen) -> bool) {
        let mut seen = self.state.seen.subscribe();
        seen.wait_for(|seen| seen.iter().filter(|seen| is_one(seen)).count() >= count).await.unwrap();
    }

    /// Removes all sessions, as a restarted server does. Their streams stay open.
    pub(crate) fn forget(&self) -> Vec<Stream> {
        lock(&self.state.streams).drain().filter_map(|(_, stream)| stream).collect()
    }

    pub(crate) fn offer(&self, tools: &[&str]) {
        *lock(&self.state.tools) = tools.iter().map(|name| (*name).to_owned()).collect();
    }

    /// Offers resources that can be subscribed to.
    pub(crate) fn take_subscriptions(&self) {
        self.state.takes_subscriptions.store(true, Ordering::Relaxed);
    }

    /// Puts bytes on every stream that is open; an error cuts the connection.
    pub(crate) fn push(&self, bytes: impl Fn() -> io::Result<Bytes>) {
        for stream in lock(&self.state.streams).values().flatten() {
            let _ = stream.send(bytes());
        }
    }

    pub(crate) fn event(&self, message: &Value) {
        let event = format!("data: {message}\n\n");
        self.push(|| Ok(Bytes::from(event.clone())));
    }

    /// Ends every open stream in an orderly way.
    pub(crate) fn end_streams(&self) {
        for stream in lock(&self.state.streams).values_mut() {
            *stream = None;
        }
    }
}

impl Drop for WebServer {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap()
}

const PATIENCE: Duration = Duration::from_secs(20);
