//! `AskUserQuestion`: the model's questions to the user, and the decision that carries the answers.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{Allow, input::Input};
use crate::{DecodeError, control::CanUseTool};

/// Questions of the model to the user, by its tool `AskUserQuestion`.
///
/// The questions arrive as a `can_use_tool` request, and the answers go back in the input of its allow decision.
/// Set the [`answer`](Question::answer) of each question and return [`allow`](Self::allow), return one text
/// for all questions ([`respond`](Self::respond)), or deny with a message for the model.
///
/// The CLI offers the tool to the model only with `--permission-prompt-tool`.
///
/// ```
/// use agentwire_protocol::permission::{Answer, Decision, Questions};
/// # use agentwire_protocol::{DecodeError, control::CanUseTool};
/// # fn decide(request: &CanUseTool) -> Result<Decision, DecodeError> {
/// if let Some(mut asked) = Questions::asked_by(request)? {
///     for question in &mut asked.questions {
///         question.answer = question.options.first().map(|first| Answer::choices([first]));
///     }
///     return Ok(asked.allow().into());
/// }
/// # Ok(Decision::deny("no"))
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Questions {
    /// The questions: one to four.
    pub questions: Vec<Question>,
    input: Input,
}

impl Questions {
    /// The name of the tool.
    pub const TOOL: &'static str = "AskUserQuestion";

    /// Returns the questions of a request; `None` for another tool.
    ///
    /// # Errors
    ///
    /// Returns an error if the tool's input does not contain questions.
    pub fn asked_by(request: &CanUseTool) -> Result<Option<Self>, DecodeError> {
        if &*request.tool_name != Self::TOOL {
            return Ok(None);
        }
        let Asked { questions } = request.input.decode()?;
        Ok(Some(Self { questions, input: request.input.decode()? }))
    }

    /// Returns the decision with the answers (`updatedInput.answers` and `annotations`).
    ///
    /// Questions without an [`answer`](Question::answer) are left out; if all are, the model sees that the user did not
    /// answer.
    /// Answers are keyed by the question's text; the CLI rejects two questions with the same text.
    pub fn allow(&self) -> Allow {
        let answered = || self.questions.iter().filter_map(|q| Some((&*q.question, q.answer.as_ref()?)));
        let answers: BTreeMap<&str, &str> = answered().map(|(q, answer)| (q, &*answer.text)).collect();
        let annotations = answered().map(|(q, answer)| (q, answer.annotations()));
        let annotations: BTreeMap<_, _> = annotations.filter(|(_, texts)| !texts.is_empty()).collect();
        let input = self.input.with("answers", &answers);
        let input = if annotations.is_empty() { input } else { input.with("annotations", &annotations) };
        Allow::new().input(input.into_raw())
    }

    /// Returns the decision with this text instead of single answers (`updatedInput.response`).
    pub fn respond(&self, text: &str) -> Allow {
        let none = BTreeMap::<&str, &str>::new();
        Allow::new().input(self.input.with("answers", &none).with("response", text).into_raw())
    }
}

#[derive(Deserialize)]
struct Asked {
    questions: Vec<Question>,
}

/// One of the model's questions.
#[wire(nulls, camelCase, tolerant)]
pub struct Question {
    /// The question's text, which is also the key of its answer (`question`).
    #[required]
    pub question: String,
    /// A label of one or two words (`header`).
    pub header: String,
    /// Two to four choices (`options`); the user may always answer in their own words.
    pub options: Vec<Choice>,
    /// Whether the user may select several choices (`multiSelect`).
    pub multi_select: bool,
    /// The answer, set by the caller; `None` if unanswered.
    #[serde(skip)]
    pub answer: Option<Answer>,
}

/// A choice.
#[wire(Eq)]
pub struct Choice {
    /// The label, which is also the answer (`label`).
    pub label: String,
    /// The description (`description`).
    #[serde(default)]
    pub description: String,
    /// A preview (`preview`): Markdown, or an HTML fragment if the session requests it.
    ///
    /// The CLI rejects previews of the wrong kind before it asks.
    pub preview: Option<String>,
}

/// The user's answer to one question.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Answer {
    /// The selected labels separated by `, `, or the user's own words. Of several labels, those with `, ` or a quote are
    /// JSON strings.
    ///
    /// If it is not a label, the CLI warns the model to read the answers with care.
    pub text: String,
    /// The preview of the selected choice (`annotations.preview`).
    pub preview: Option<String>,
    /// The user's notes (`annotations.notes`).
    pub notes: Option<String>,
    /// How the question went unanswered (`annotations.unanswered`); `None` for an answer.
    pub unanswered: Option<Unanswered>,
}

impl Answer {
    /// Returns an answer with the selected choices, and with the preview if there is only one.
    pub fn choices<'a>(chosen: impl IntoIterator<Item = &'a Choice>) -> Self {
        let chosen: Vec<&Choice> = chosen.into_iter().collect();
        if let [one] = chosen[..] {
            return Self { preview: one.preview.clone(), ..Self::text(&one.label) };
        }
        // As CLI 2.1.332 joins them; any other form is not a selection for it.
        let labels = chosen.iter().map(|choice| match &*choice.label {
            label if label.contains(", ") || label.contains('"') => {
                serde_json::Value::from(label).to_string()
            }
            label => label.to_owned(),
        });
        Self::text(labels.collect::<Vec<_>>().join(", "))
    }

    /// Returns an answer in the user's own words ("Other").
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), preview: None, notes: None, unanswered: None }
    }

    /// Returns an answer that states how the question went unanswered, with a text for the model.
    ///
    /// The model sees only the text, or, of a [skipped](Unanswered::Skipped) question since CLI 2.1.333, only that it was
    /// skipped. The result of the tool repeats the kind in its `annotations`, for a host that displays or stores it.
    /// Use it only if [`Init::capabilities`](crate::message::Init::capabilities) contains
    /// `ask_user_question_unanswered_v1`: an older CLI may refuse the whole answer.
    pub fn unanswered(kind: Unanswered, text: impl Into<String>) -> Self {
        Self { unanswered: Some(kind), ..Self::text(text) }
    }

    /// Adds notes of the user.
    #[must_use]
    pub fn notes(mut self, notes: impl Into<String>) -> Self {
        self.notes = Some(notes.into());
        self
    }

    /// Returns what is sent beside the text, by the names on the wire.
    fn annotations(&self) -> BTreeMap<&str, &str> {
        let unanswered = self.unanswered.as_ref().map(Unanswered::as_str);
        let texts = [
            ("preview", self.preview.as_deref()),
            ("notes", self.notes.as_deref()),
            ("unanswered", unanswered),
        ];
        texts.into_iter().filter_map(|(name, text)| Some((name, text?))).collect()
    }
}

/// How a question went unanswered. The CLI may refuse any other string.
#[wire]
pub enum Unanswered {
    /// The user skipped the question.
    Skipped = "skipped",
    /// The user sent a chat message instead.
    RepliedInChat = "replied_in_chat",
    /// The user closed the questions.
    Dismissed = "dismissed",
}
