//! Which models a list of denied ones blocks.

mod name;

use std::fmt;

use name::{Entry, Name};

/// Which of these models a `deniedModels` list blocks, as the reference SDK 0.3.330 reads it.
///
/// The list is that of managed settings: see [`ResolvedSettings::denied_models`](crate::ResolvedSettings::denied_models).
/// An entry is the id of a version, in any spelling (`claude-opus-4-1`, `us.anthropic.claude-opus-4-1-20250805-v1:0`,
/// `opus-4-1`) and without regard to snapshots; a major version alone, which is all of its minor ones; one of the
/// families `fable`, `haiku`, `opus` and `sonnet`; or any other name, which blocks just that name.
///
/// Grant nothing by it: `true` says that the CLI refuses the model too, and `false` promises nothing, since the CLI also
/// looks at what an alias stands for.
///
/// ```
/// let matched = agentwire::match_denied_models(["claude-opus-4-1-20250805", "claude-sonnet-4-5"], ["opus"]);
/// assert_eq!(matched.denied, [true, false]);
/// ```
pub fn match_denied_models<M, D>(models: M, denied: D) -> DeniedModelsMatch
where
    M: IntoIterator,
    M::Item: AsRef<str>,
    D: IntoIterator,
    D::Item: AsRef<str>,
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

/// Which models are blocked, and what is odd about the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeniedModelsMatch {
    /// For each model that was asked about, in order, whether an entry blocks it.
    pub denied: Vec<bool>,
    /// Entries that do something else than they may seem to.
    pub notes: Vec<DeniedModelsNote>,
}

/// An entry that does something else than it may seem to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeniedModelsNote {
    /// The entry, as it stands in the list.
    pub entry: String,
    /// What it does.
    pub kind: DeniedModelsNoteKind,
}

/// What an odd entry does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DeniedModelsNoteKind {
    /// Nothing: it is empty, or stands for another model from time to time, as `default` does.
    Ignored,
    /// It blocks one name, and no other spelling of it.
    OneNameOnly,
    /// It blocks more than it names: its snapshot or its context size is not looked at.
    Wider,
}

impl fmt::Display for DeniedModelsNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let does = match self.kind {
            DeniedModelsNoteKind::Ignored => "is ignored, since it names no model for good",
            DeniedModelsNoteKind::OneNameOnly => "blocks this one name and no other spelling of it",
            DeniedModelsNoteKind::Wider => {
                "blocks every snapshot and context size of the model, not just this one"
            }
        };
        write!(f, "the entry `{}` {does}", self.entry)
    }
}
