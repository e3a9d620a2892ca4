//! Matches models against a list of denied ones.

mod name;

use std::fmt;

use name::{Entry, Name};

/// Returns which of these models a `deniedModels` list blocks, with the rules of the reference SDK 0.3.332.
///
/// The list comes from managed settings: see
/// [`ResolvedSettings::denied_models`](crate::ResolvedSettings::denied_models).
/// An entry is one of: the id of a version in any spelling (`claude-opus-4-1`,
/// `us.anthropic.claude-opus-4-1-20250805-v1:0`, `opus-4-1`), regardless of snapshots; a major version, which includes
/// all of its minor versions; one of the families `fable`, `haiku`, `opus` and `sonnet`; or any other name, which
/// blocks only that name.
///
/// Do not grant access based on it: `true` means that the CLI rejects the model too, but `false` guarantees nothing,
/// because the CLI also resolves aliases.
///
/// ```
/// let matched = agentwire::match_denied_models(["claude-opus-4-1-20250805", "claude-sonnet-4-5"], ["opus"]);
/// assert_eq!(matched.denied, [true, false]);
/// ```
pub fn match_denied_models<M, D>(models: M, denied: D) -> DeniedModelsMatch
where
    M: IntoIterator<Item: AsRef<str>>,
    D: IntoIterator<Item: AsRef<str>>,
{
    let (mut entries, mut notes) = (Vec::new(), Vec::new());
    for text in denied {
        let (entry, kind) = Entry::read(text.as_ref());
        entries.push(entry);
        notes.extend(kind.map(|kind| DeniedModelsNote { entry: text.as_ref().to_owned(), kind }));
    }
    let blocks = |model: M::Item| {
        let name = Name::read(model.as_ref());
        entries.iter().any(|entry| entry.blocks(&name))
    };
    DeniedModelsMatch { denied: models.into_iter().map(blocks).collect(), notes }
}

/// The blocked models, and notes on unusual entries of the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeniedModelsMatch {
    /// Whether an entry blocks the model, for each given model in order.
    pub denied: Vec<bool>,
    /// Entries with an effect that their text does not suggest.
    pub notes: Vec<DeniedModelsNote>,
}

/// An entry with an effect that its text does not suggest.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeniedModelsNote {
    /// The entry, as written in the list.
    pub entry: String,
    /// Its effect.
    pub kind: DeniedModelsNoteKind,
}

/// The effect of an unusual entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DeniedModelsNoteKind {
    /// None: it is empty, or its meaning changes over time, as with `default`.
    Ignored,
    /// It blocks one name and no other spelling of the same model.
    OneNameOnly,
    /// It blocks more than it names: its snapshot or context size is ignored.
    Wider,
}

impl fmt::Display for DeniedModelsNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let does = match self.kind {
            DeniedModelsNoteKind::Ignored => "is ignored, since the model that it names changes over time",
            DeniedModelsNoteKind::OneNameOnly => "blocks this one name and no other spelling of it",
            DeniedModelsNoteKind::Wider => {
                "blocks every snapshot and context size of the model, not just this one"
            }
        };
        write!(f, "the entry `{}` {does}", self.entry)
    }
}
