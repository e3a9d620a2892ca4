//! The callbacks of a scenario: real callbacks with answers from data.

use std::{
    collections::BTreeMap,
    future::pending,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
    vec,
};

use agentwire::{
    Decision, RawJson,
    control::{CallContext, Reply, Responder},
    hooks::{Hooks, Matcher, PermissionHandler},
    protocol::{
        InboundRequest,
        control::{CanUseTool, HookFailure},
    },
};

use super::{
    spec::{Fail, Hook, Permissions},
    witness::Witness,
};

/// Answers to give, one for each call.
#[derive(Clone, Debug)]
struct Answers {
    left: Arc<Mutex<vec::IntoIter<RawJson>>>,
    fail: Option<Fail>,
    hold: Option<String>,
    witness: Witness,
}

/// Returns the hooks, in the order of the file.
pub(super) fn hooks(specs: &[Hook], witness: &Witness) -> Hooks {
    specs.iter().fold(Hooks::new(), |hooks, spec| {
        let answers = Answers::new(spec.replies.clone(), spec.fail, spec.hold.clone(), witness);
        let witness = witness.clone();
        hooks.on_named(&spec.event, matcher(spec), move |event, _cx| {
            witness.note(|seen| seen.hooked.push(event.name.to_string()));
            let answers = answers.clone();
            async move { answers.next().await.map(|reply| reply.unwrap_or_else(RawJson::empty_object)) }
        })
    })
}

/// Returns the permission callback.
pub(super) fn permissions(spec: &Permissions, witness: &Witness) -> PermissionHandler {
    let answers = Answers::new(spec.answers.clone(), spec.fail, spec.hold.clone(), witness);
    let witness = witness.clone();
    PermissionHandler::new(move |request: CanUseTool, _cx| {
        witness.note(|seen| seen.asked.push(request.tool_name.to_string()));
        let answers = answers.clone();
        async move {
            let answer = answers.next().await?.ok_or("the scenario has no answer left")?;
            answer.decode::<Decision>().map_err(|error| error.to_string())
        }
    })
}

/// Answers requests of kinds that nothing else answers, by their `subtype`.
///
/// An answer is the `response` of a success, or `{"$error": "text"}`, or `{"$hang": true}`.
#[derive(Debug)]
pub(super) struct Others {
    answers: BTreeMap<String, Answers>,
    witness: Witness,
}

impl Others {
    pub(super) fn new(specs: &BTreeMap<String, Vec<RawJson>>, witness: &Witness) -> Self {
        let answers = specs
            .iter()
            .map(|(subtype, answers)| (subtype.clone(), Answers::new(answers.clone(), None, None, witness)));
        Self { answers: answers.collect(), witness: witness.clone() }
    }
}

impl Responder for Others {
    fn respond(&self, request: InboundRequest, _: CallContext) -> Option<Reply> {
        let answers = self.answers.get(request.kind())?.clone();
        self.witness.note(|seen| seen.requested.push(request.kind().to_owned()));
        Some(Box::pin(async move {
            let answer = answers.next().await?.ok_or("the scenario has no answer left")?;
            let read: serde_json::Value = answer.decode().map_err(|error| error.to_string())?;
            if read["$hang"] == true {
                pending::<()>().await;
            }
            read["$error"].as_str().map_or(Ok(answer), |error| Err(error.into()))
        }))
    }
}

impl Answers {
    fn new(answers: Vec<RawJson>, fail: Option<Fail>, hold: Option<String>, witness: &Witness) -> Self {
        Self { left: Arc::new(Mutex::new(answers.into_iter())), fail, hold, witness: witness.clone() }
    }

    /// Returns the next answer, if there is one left.
    async fn next(&self) -> Result<Option<RawJson>, String> {
        if let Some(name) = &self.hold {
            self.witness.until(|seen| seen.answered.contains(name)).await;
        }
        match self.fail {
            None => Ok(self.left.lock().unwrap_or_else(PoisonError::into_inner).next()),
            Some(Fail::Error) => Err("the scenario wants this callback to fail".to_owned()),
            // Unwinds like a panic, without a message on the terminal.
            Some(Fail::Panic) => std::panic::resume_unwind(Box::new("the scenario wants a panic here")),
            Some(Fail::Hang) => pending().await,
        }
    }
}

fn matcher(spec: &Hook) -> Matcher {
    let mut matcher = spec.matcher.as_deref().map_or_else(Matcher::any, Matcher::pattern);
    if let Some(seconds) = spec.timeout {
        matcher = matcher.timeout(Duration::from_secs_f64(seconds));
    }
    if let Some(choice) = &spec.on_failure {
        matcher = matcher.on_failure(HookFailure::from(choice.as_str()));
    }
    matcher
}
