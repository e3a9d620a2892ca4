//! `AskUserQuestion`: what the model asks the user, and the answers as an allowance that carries them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Allow, input::Input};
use crate::{DecodeError, control::CanUseTool};

/// What the model asks the user, by its tool `AskUserQuestion`.
///
/// The question comes as a `can_use_tool`, and the answers go back in the input of its allowance.
/// Fill in the [`answer`](Question::answer) of each question and give back [`allow`](Self::allow); or say something
/// else in its place ([`respond`](Self::respond)); or deny, and the model is told the denial's message.
///
/// The tool is offered to the model only where somebody can be asked (`--permission-prompt-tool`).
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

    /// The questions of a request; `None` where it is about another tool.
    ///
    /// # Errors
    ///
    /// When the tool's input does not have the shape of questions.
    pub fn asked_by(request: &CanUseTool) -> Result<Option<Self>, DecodeError> {
        if &*request.tool_name != Self::TOOL {
            return Ok(None);
        }
        let Asked { questions } = request.input.decode()?;
        Ok(Some(Self { questions, input: request.input.decode()? }))
    }

    /// The allowance that gives the model the answers (`updatedInput.answers` and `annotations`).
    ///
    /// Questions without an answer are left out; where none has one, the model is told that the user did not answer.
    /// On the wire an answer is filed under its question's text; the CLI refuses two questions with the same one.
    pub fn allow(&self) -> Allow {
        let answered = || self.questions.iter().filter_map(|q| Some((&*q.question, q.answer.as_ref()?)));
        let answers: BTreeMap<&str, &str> = answered().map(|(q, answer)| (q, &*answer.text)).collect();
        let annotations: BTreeMap<&str, Annotation<'_>> = answered()
            .map(|(q, answer)| {
                (q, Annotation { preview: answer.preview.as_deref(), notes: answer.notes.as_deref() })
            })
            .filter(|(_, annotation)| annotation.preview.is_some() || annotation.notes.is_some())
            .collect();
        let input = self.input.with("answers", &answers);
        let input = if annotations.is_empty() { input } else { input.with("annotations", &annotations) };
        Allow::new().input(input.into_raw())
    }

    /// The allowance that gives the model this text in the place of all answers (`updatedInput.response`).
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
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Question {
    /// The question's text, which is also its key (`question`).
    pub question: String,
    /// A label of a word or two (`header`).
    #[serde(default)]
    pub header: String,
    /// What can be chosen: two to four (`options`); the user may always say something else.
    #[serde(default)]
    pub options: Vec<Choice>,
    /// Whether several may be chosen (`multiSelect`).
    #[serde(default)]
    pub multi_select: bool,
    /// The answer, to be filled in; `None` where there is none.
    #[serde(skip)]
    pub answer: Option<Answer>,
}

/// What can be chosen.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Choice {
    /// What is shown, and what the answer is (`label`).
    pub label: String,
    /// What it means (`description`).
    #[serde(default)]
    pub description: String,
    /// What it would look like (`preview`): Markdown, or a fragment of HTML where the session asks for that.
    ///
    /// The CLI refuses previews of the wrong kind before anybody is asked.
    pub preview: Option<String>,
}

/// The user's answer to one question.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Answer {
    /// The labels that were chosen with `, ` between them, or the user's own words.
    ///
    /// Where it is other than a label, the model is told to read the answers with care.
    pub text: String,
    /// The preview of what was chosen (`annotations.preview`).
    pub preview: Option<String>,
    /// What the user has to say of it (`annotations.notes`).
    pub notes: Option<String>,
}

impl Answer {
    /// What the user has chosen: one, or several where the question lets him; with the preview of a single one.
    pub fn choices<'a>(chosen: impl IntoIterator<Item = &'a Choice>) -> Self {
        let chosen: Vec<&Choice> = chosen.into_iter().collect();
        let labels: Vec<&str> = chosen.iter().map(|choice| &*choice.label).collect();
        let preview = if let [one] = chosen[..] { one.preview.clone() } else { None };
        Self { text: labels.join(", "), preview, notes: None }
    }

    /// The user's own words ("Other").
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), preview: None, notes: None }
    }

    /// Adds what the user has to say of it.
    #[must_use]
    pub fn notes(mut self, notes: impl Into<String>) -> Self {
        self.notes = Some(notes.into());
        self
    }
}

#[skip_serializing_none]
#[derive(Serialize)]
struct Annotation<'a> {
    preview: Option<&'a str>,
    notes: Option<&'a str>,
}
