//! The steps that send requests to the CLI.

use std::time::Duration;

use agentwire::{ControlError, Error, RawJson};
use agentwire_net::error_chain;
use serde::Serialize;
use serde_json::Value;
use tokio::time::interval;

use super::Play;
use crate::scenario::{
    pattern::Pattern,
    spec::{Asking, Call},
};

type Reply = Result<RawJson, ControlError>;

impl Play<'_> {
    /// Sends a request and checks the reply; repeats the request until the reply is as expected, if the step demands
    /// it.
    pub(super) async fn call(&mut self, call: &Call) -> Result<(), String> {
        let subtype = subtype(&call.request)?;
        let mut looks = interval(BETWEEN_CALLS);
        loop {
            looks.tick().await;
            let reply = self.session.control().call_raw(&subtype, &call.request).await;
            match check(call, reply) {
                Err(_) if call.again => {}
                outcome => return outcome,
            }
        }
    }

    /// Sends a request without waiting.
    pub(super) fn ask(&mut self, asking: &Asking) -> Result<(), String> {
        let (subtype, request) = (subtype(&asking.request)?, asking.request.clone());
        let control = self.session.control().clone();
        let task = tokio::spawn(async move { control.call_raw(&subtype, &request).await });
        self.asked.insert(asking.name.clone(), task);
        Ok(())
    }

    /// Cancels a request: drops the waiting task, so that the CLI receives a cancellation.
    pub(super) async fn cancel(&mut self, name: &str) -> Result<(), String> {
        let task = self.asked.remove(name).ok_or("nobody has asked that")?;
        task.abort();
        drop(task.await);
        Ok(())
    }

    /// Waits for the reply to an earlier request.
    pub(super) async fn replied(&mut self, call: &Call) -> Result<(), String> {
        let name: String = call.request.decode().map_err(|error| error.to_string())?;
        let task = self.asked.remove(&name).ok_or("nobody has asked that")?;
        let reply = task.await.map_err(|error| error.to_string())?;
        check(call, reply)
    }
}

/// Checks a reply against the outcome that the scenario expects.
fn check(call: &Call, reply: Reply) -> Result<(), String> {
    match (reply, &call.error) {
        (Ok(reply), None) => {
            let value: Value = reply.decode().map_err(|error| error.to_string())?;
            if let Some(pattern) = call.reply.as_ref().filter(|pattern| !pattern.fits(&value)) {
                return Err(format!("was to be answered with {pattern}: {reply}"));
            }
            Ok(())
        }
        (Ok(reply), Some(_)) => Err(format!("was to be refused, but was answered: {reply}")),
        (Err(ControlError::Rejected { message, code, .. }), Some(pattern)) => {
            let error = serde_json::json!({"message": message, "code": code});
            if pattern.fits(&error) { Ok(()) } else { Err(format!("was refused otherwise: {error}")) }
        }
        (Err(error), _) => Err(error_chain(&error)),
    }
}

pub(super) fn done<T>(reply: Result<T, Error>) -> Result<(), String> {
    reply.map(drop).map_err(|error| error_chain(&error))
}

pub(super) fn answered<T: Serialize>(reply: Result<T, Error>, pattern: &Pattern) -> Result<(), String> {
    let reply = reply.map_err(|error| error_chain(&error))?;
    let reply = RawJson::encode(&reply).and_then(|reply| serde_json::from_str(reply.as_str()));
    let reply: Value = reply.map_err(|error| error.to_string())?;
    if pattern.fits(&reply) { Ok(()) } else { Err(format!("was to be answered with {pattern}: {reply}")) }
}

fn subtype(request: &RawJson) -> Result<String, String> {
    let request: Value = request.decode().map_err(|error| error_chain(&error))?;
    Ok(request["subtype"].as_str().unwrap_or_default().to_owned())
}

/// Each repetition of a request is recorded, so wait between them.
const BETWEEN_CALLS: Duration = Duration::from_millis(200);
