//! The callbacks of a session: no tool runs before its record is stored, and questions go to a person.

use std::sync::{Arc, Mutex, PoisonError};

use agentwire::{
    Decision, StoreHandle,
    control::CancellationToken,
    hooks::{Hooks, Matcher, PermissionHandler},
    protocol::{
        RawJson, ToolUseId,
        hook::{HookReply, PreToolUse},
        mcp::McpSource,
        permission::Allow,
    },
};
use tokio::sync::{mpsc, oneshot};

use crate::turn::{Answer, Question, TurnInput, Way};

/// A question of a callback, and where to answer it.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) question: Question,
    pub(crate) verdict: oneshot::Sender<Verdict>,
}

/// The answer for a callback.
#[derive(Debug)]
pub(crate) enum Verdict {
    Answer(Answer),
    Defer,
}

/// Asks for tool uses, and remembers the answers to parked ones.
#[derive(Clone)]
pub(crate) struct Gate {
    asked: mpsc::Sender<Asked>,
    answers: Arc<Mutex<Vec<(Question, Answer)>>>,
    /// Tool uses of earlier prompts, which the CLI may have deferred.
    ended: Arc<Mutex<Vec<ToolUseId>>>,
    /// The tool uses that the hook has allowed in this turn. For some of them, the CLI calls the handler nevertheless.
    allowed: Arc<Mutex<Vec<Question>>>,
}

impl Gate {
    /// Returns a gate that sends questions to `asked`.
    pub(crate) fn new(asked: mpsc::Sender<Asked>) -> Self {
        Self { asked, answers: Arc::default(), ended: Arc::default(), allowed: Arc::default() }
    }

    /// Replaces the answers to parked questions by those of this turn; each is used once.
    pub(crate) fn grant(&self, input: &TurnInput) {
        let answers = if let TurnInput::Answers(answers) = input { answers.clone() } else { Vec::new() };
        *self.answers.lock().unwrap_or_else(PoisonError::into_inner) = answers;
        self.allowed.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Replaces the tool uses that are refused because their prompts have ended.
    pub(crate) fn refuse(&self, ended: Vec<ToolUseId>) {
        *self.ended.lock().unwrap_or_else(PoisonError::into_inner) = ended;
    }

    /// Removes the unused grants, and returns their questions.
    pub(crate) fn withdraw_grants(&self) -> Vec<Question> {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers
            .extract_if(.., |(question, _)| question.way == Way::Grant)
            .map(|(question, _)| question)
            .collect()
    }

    /// Converts the unused answers to deferred tool uses into grants, and returns them.
    pub(crate) fn answers_as_grants(&self) -> Vec<(Question, Answer)> {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let deferred = answers.iter_mut().filter(|(question, _)| question.way == Way::Defer);
        deferred
            .map(|answer| {
                answer.0.way = Way::Grant;
                answer.clone()
            })
            .collect()
    }

    /// Returns hooks that wait for the store before each tool use, and ask for the tools of `approvals`.
    ///
    /// A hook that fails refuses the tool use.
    pub(crate) fn hooks(&self, hooks: Hooks, approvals: Matcher, stored: StoreHandle) -> Hooks {
        let gate = self.clone();
        let shared = Arc::new((approvals, stored));
        // The person has the grace period of the machine, so the limit of the hook is far beyond it.
        let every = Matcher::any().timeout(std::time::Duration::from_secs(86_400));
        hooks.on_matching(PreToolUse, every, move |input, context| {
            let (gate, shared) = (gate.clone(), Arc::clone(&shared));
            async move {
                let (approvals, stored) = &*shared;
                stored.stored(&input.tool_use_id).await.map_err(|error| error.to_string())?;
                if gate.ended.lock().unwrap_or_else(PoisonError::into_inner).contains(&input.tool_use_id) {
                    // After a denial alone, the model would continue that prompt. An error means that the session ends.
                    let _ = context.control.interrupt().await;
                    return Ok(HookReply::deny("the prompt of this tool use has ended"));
                }
                let answer = gate.answered(&input.tool_use_id, &input.tool_name, &input.tool_input);
                if answer.is_none() && !approvals.matches(input.tool_name.as_str()) {
                    return Ok(HookReply::proceed());
                }
                // The CLI does not keep a deferred tool use of a subagent or of an in-process server.
                let in_process = input.mcp_server.is_some_and(|server| server.source == Some(McpSource::Sdk));
                let lost = input.agent_id.is_some() || in_process;
                let way = if lost { Way::Grant } else { Way::Defer };
                let mut question =
                    Question::new(input.tool_use_id, input.tool_name.as_str(), input.tool_input, way);
                let verdict = match answer {
                    Some(answer) => Ok(Verdict::Answer(answer)),
                    None => gate.ask(question.clone(), &context.cancelled).await,
                };
                if let Ok(Verdict::Answer(Answer::Allow { input })) = &verdict {
                    question.input = input.clone().unwrap_or(question.input);
                    gate.allowed.lock().unwrap_or_else(PoisonError::into_inner).push(question);
                }
                verdict.map(hook_reply)
            }
        })
    }

    /// Returns a handler that asks for what neither a rule nor the mode decides.
    pub(crate) fn permissions(&self) -> PermissionHandler {
        let gate = self.clone();
        PermissionHandler::new(move |request, context| {
            let gate = gate.clone();
            async move {
                if gate.has_allowed(&request.tool_use_id, &request.tool_name, &request.input) {
                    return Ok(Decision::allow());
                }
                if let Some(answer) = gate.answered(&request.tool_use_id, &request.tool_name, &request.input)
                {
                    return Ok(decision(answer));
                }
                let question =
                    Question::new(request.tool_use_id, request.tool_name.as_str(), request.input, Way::Grant);
                match gate.ask(question, &context.cancelled).await? {
                    Verdict::Answer(answer) => Ok(decision(answer)),
                    Verdict::Defer => Err("only a hook can defer a tool use".to_owned()),
                }
            }
        })
    }

    /// Takes the answer to a parked question about this tool use, or the grant for an equal one.
    fn answered(&self, id: &ToolUseId, tool: &str, input: &RawJson) -> Option<Answer> {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let is_answer = |(question, _): &(Question, Answer)| {
            (question.id == *id || question.way == Way::Grant) && question.is_about(tool, input)
        };
        let at = answers.iter().position(is_answer)?;
        Some(answers.swap_remove(at).1)
    }

    /// Returns whether the hook has allowed this tool use, with this input.
    fn has_allowed(&self, id: &ToolUseId, tool: &str, input: &RawJson) -> bool {
        let allowed = self.allowed.lock().unwrap_or_else(PoisonError::into_inner);
        allowed.iter().any(|allowed| allowed.id == *id && allowed.is_about(tool, input))
    }

    async fn ask(&self, question: Question, cancelled: &CancellationToken) -> Result<Verdict, String> {
        let (verdict, answer) = oneshot::channel();
        let ended = |_| "the worker ended the turn".to_owned();
        self.asked.send(Asked { question, verdict }).await.map_err(|_| ended(()))?;
        tokio::select! {
            answer = answer => answer.map_err(|_| ended(())),
            () = cancelled.cancelled() => Err("the CLI has withdrawn the question".to_owned()),
        }
    }
}

fn hook_reply(verdict: Verdict) -> HookReply<PreToolUse> {
    match verdict {
        Verdict::Answer(Answer::Allow { input: Some(input) }) => HookReply::allow_with_input(input),
        Verdict::Answer(Answer::Allow { input: None }) => HookReply::allow(),
        Verdict::Answer(Answer::Deny { reason }) => HookReply::deny(reason),
        Verdict::Defer => HookReply::defer(),
    }
}

fn decision(answer: Answer) -> Decision {
    match answer {
        Answer::Allow { input: Some(input) } => Decision::Allow(Allow::new().input(input)),
        Answer::Allow { input: None } => Decision::allow(),
        Answer::Deny { reason } => Decision::deny(reason),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unused_answer_does_not_outlive_its_turn() {
        let gate = Gate::new(mpsc::channel(1).0);
        let input = RawJson::encode(&serde_json::json!({"command": "rm a"})).unwrap();
        let question = Question::new("toolu_1".into(), "Bash", input.clone(), Way::Grant);
        let answered = |gate: &Gate| gate.answered(&"toolu_2".into(), "Bash", &input);
        let grant = TurnInput::Answers(vec![(question, Answer::allow())]);
        gate.grant(&grant);
        assert_eq!(answered(&gate), Some(Answer::allow()));
        gate.grant(&grant);
        gate.grant(&TurnInput::Prompt { id: "other".into(), text: "Go on.".to_owned() });
        assert_eq!(answered(&gate), None);
    }

    #[test]
    fn grants_that_the_model_does_not_know_of_are_withdrawn() {
        let gate = Gate::new(mpsc::channel(1).0);
        let input = RawJson::encode(&serde_json::json!({"command": "rm a"})).unwrap();
        let [deferred, granted] = [("toolu_1", Way::Defer), ("toolu_2", Way::Grant)]
            .map(|(id, way)| Question::new(id.into(), "Bash", input.clone(), way));
        let answers = [&deferred, &granted].map(|question| (question.clone(), Answer::allow()));
        gate.grant(&TurnInput::Answers(answers.to_vec()));
        assert_eq!(gate.withdraw_grants(), [granted]);
        assert_eq!(gate.answered(&"toolu_3".into(), "Bash", &input), None);
        assert_eq!(gate.answered(&"toolu_1".into(), "Bash", &input), Some(Answer::allow()));
    }
}
