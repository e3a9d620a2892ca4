//! Requests of handlers to workers.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use agentwire_net::error_chain;
use agentwire_worker::{Fence, Recovery, SessionName, TurnInput};
use reqwest::{RequestBuilder, Response};
use serde::de::DeserializeOwned;

use crate::{
    ingress::{Ingress, escaped},
    wire::{Begun, Call, Place},
};

/// The workers of a pool.
#[derive(Clone, Debug)]
pub(crate) struct Peers {
    ingress: Ingress,
    pool: Box<str>,
    known: Arc<Mutex<Known>>,
}

/// The addresses of the workers, as they were read last.
#[derive(Debug, Default)]
struct Known {
    addresses: Vec<String>,
    read: Option<Instant>,
}

impl Peers {
    pub(crate) fn new(ingress: Ingress, pool: Box<str>) -> Self {
        Self { ingress, pool, known: Arc::default() }
    }

    /// Sends a request to a worker; `None` without an answer, in which case the worker may have got the request.
    pub(crate) async fn call<T: DeserializeOwned>(&self, address: &str, call: &Call) -> Option<T> {
        read(address, self.answer(address, call).await)
    }

    async fn answer<T: DeserializeOwned>(&self, address: &str, call: &Call) -> reqwest::Result<T> {
        self.request(address, call).send().await.and_then(Response::error_for_status)?.json().await
    }

    /// As [`call`](Self::call), for a start. A call that the worker refuses would be refused again.
    pub(crate) async fn start(&self, address: &str, call: &Call) -> Option<Begun> {
        match self.request(address, call).send().await {
            Ok(response) if response.status().is_client_error() => {
                let status = response.status().as_u16();
                read(address, response.text().await).map(|why| Begun::Refused(status, why))
            }
            Ok(response) => read(address, response.json().await),
            Err(error) => read(address, Err(error)),
        }
    }

    fn request(&self, address: &str, call: &Call) -> RequestBuilder {
        // The worker loads the whole session.
        let limit = if matches!(call, Call::Recovery(..)) { RECOVERY } else { LIMIT };
        self.ingress.client().post(address).timeout(limit).json(call)
    }

    /// Gets a fence from the worker `first`, or from the next one in an order that depends on the session and `tried`.
    /// The error is the reason why no worker gives one.
    pub(crate) async fn fence(
        &self,
        session: &SessionName,
        epoch: u64,
        first: Option<Box<str>>,
        tried: usize,
    ) -> Result<Place, String> {
        let others = self.addresses().await;
        let workers = others.len();
        let start = session.session.bytes().map(usize::from).sum::<usize>() + tried;
        let others = others.iter().map(String::as_str).cycle().skip(start % workers.max(1)).take(workers);
        let mut last = String::new();
        for address in first.as_deref().into_iter().filter(|_| tried == 0).chain(others) {
            let call = Call::Fence(session.clone(), epoch);
            match self.answer::<Option<Fence>>(address, &call).await {
                Ok(Some(fence)) => return Ok(Place { address: address.into(), fence, workers }),
                Ok(None) => last = format!("{address}: it has not reached Restate yet"),
                Err(error) => {
                    last = format!("{address}: {}", error_chain(&error));
                    tracing::debug!("a worker gives no fence: {last}");
                }
            }
        }
        let pool = &self.pool;
        Err(if workers == 0 {
            format!("no worker of the pool `{pool}` is known")
        } else {
            format!("no worker of the pool `{pool}` takes sessions ({workers} in the pool; the last, {last})")
        })
    }

    /// Asks any worker for the state of a turn of a lost one.
    pub(crate) async fn recovery(&self, session: &SessionName, input: &TurnInput) -> Option<Recovery> {
        let call = Call::Recovery(session.clone(), input.clone());
        for address in self.addresses().await {
            if let Some(Some(state)) = self.call::<Option<Recovery>>(&address, &call).await {
                return Some(state);
            }
        }
        tracing::warn!(%session, "no worker has read the state of a lost turn, which is not reported yet");
        None
    }

    async fn addresses(&self) -> Vec<String> {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        {
            let known = known();
            if known.read.is_some_and(|read| read.elapsed() < FRESH) {
                return known.addresses.clone();
            }
        }
        let path = format!("AgentPool/{}/list", escaped(&self.pool));
        match self.ingress.post::<BTreeMap<String, String>>(&path, &(), None, LIMIT).await {
            Ok(workers) => {
                let mut known = known();
                known.addresses = workers.into_values().collect();
                known.addresses.sort();
                known.addresses.dedup();
                known.read = Some(Instant::now());
            }
            Err(error) => tracing::warn!("the list of workers can't be read: {error}"),
        }
        known().addresses.clone()
    }
}

fn read<T>(address: &str, answer: reqwest::Result<T>) -> Option<T> {
    answer
        .inspect_err(|error| tracing::debug!("the worker {address} does not answer: {}", error_chain(error)))
        .ok()
}

/// How long a worker may take to answer.
const LIMIT: Duration = Duration::from_secs(5);

/// How long a worker may take to read the state of a turn.
const RECOVERY: Duration = Duration::from_secs(60);

/// How long a list of workers is used.
const FRESH: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn failed_fence_names_the_pool_and_the_last_failure() {
        let peers = Peers::new(Ingress::new(["http://127.0.0.1:1"]).unwrap(), "agents".into());
        let why = async || peers.fence(&SessionName::new("tenant", "session"), 1, None, 0).await.unwrap_err();
        assert_eq!(why().await, "no worker of the pool `agents` is known");
        *peers.known.lock().unwrap() =
            Known { addresses: vec!["http://127.0.0.1:1".to_owned()], read: Some(Instant::now()) };
        let why = why().await;
        let names =
            "no worker of the pool `agents` takes sessions (1 in the pool; the last, http://127.0.0.1:1: ";
        assert!(why.starts_with(names) && why.contains("Connection refused"), "{why}");
    }

    #[test]
    fn worker_may_take_a_minute_to_read_the_state_of_a_turn() {
        let peers = Peers::new(Ingress::new(["http://127.0.0.1:1"]).unwrap(), "agents".into());
        let session = SessionName::new("tenant", "session");
        let limit = |call| peers.request("http://127.0.0.1:1", &call).build().unwrap().timeout().copied();
        assert_eq!(limit(Call::Phase(session.clone())), Some(Duration::from_secs(5)));
        let recovery = Call::Recovery(session, TurnInput::Answers(Vec::new()));
        assert_eq!(limit(recovery), Some(Duration::from_secs(60)));
    }
}
