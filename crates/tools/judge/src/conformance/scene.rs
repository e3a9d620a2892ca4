//! A transcript as the checks see it: each line read once, with the marks before it.

use std::{collections::HashMap, sync::Arc};

use bytes::Bytes;

use agentwire_testkit::{End, Transcript, recorded::Recorded, transcript::Entry};

/// The events of a transcript, in order.
#[derive(Debug)]
pub(crate) struct Scene {
    pub(crate) items: Vec<Item>,
    /// Whether only output was captured, so that nothing of ours can be missed.
    pub(crate) bare: bool,
    /// The recorded arguments.
    pub(crate) argv: Vec<String>,
    /// Whether the header declares faulty lines of our side.
    pub(crate) faults: bool,
}

/// An event.
#[derive(Debug)]
pub(crate) struct Item {
    /// Its index among the entries of the transcript.
    pub(crate) entry: usize,
    /// The line of the transcript's file.
    pub(crate) line: usize,
    pub(crate) what: What,
    pub(crate) marks: Vec<Mark>,
}

#[derive(Debug)]
pub(crate) enum What {
    /// `>`; `None` if it is not a JSON object.
    Ours(Bytes, Option<Arc<Recorded>>),
    /// `<`; `None` if it is not a JSON object.
    Theirs(Bytes, Option<Arc<Recorded>>),
    EndOfInput,
    Signal,
    Stderr,
    End(End),
}

/// The meaning of a comment for the next line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// `# undecodable`: it cannot be decoded, or is not JSON, on purpose.
    Undecodable,
    /// `# noise`: it is not a JSON object, on purpose.
    Noise,
    /// `# unanswered`: the request has no answer, on purpose.
    Unanswered,
}

impl Scene {
    pub(crate) fn new(transcript: &Transcript) -> Self {
        Self::with(transcript, &Known::default())
    }

    /// Creates a scene that reuses lines that were read before.
    pub(crate) fn with(transcript: &Transcript, known: &Known) -> Self {
        let mut items = Vec::new();
        let mut marks = Vec::new();
        for (index, entry) in transcript.entries.iter().enumerate() {
            if let Entry::Comment(text) = entry {
                marks.extend(Mark::read(text));
                continue;
            }
            if let Some(what) = What::of(entry, known) {
                let line = transcript.line_number(index);
                items.push(Item { entry: index, line, what, marks: std::mem::take(&mut marks) });
            }
        }
        let bare = !items.iter().any(|item| !matches!(item.what, What::Theirs(..)));
        let argv = transcript.argv.as_ref().map(|argv| argv.args().to_vec()).unwrap_or_default();
        Self { items, bare, argv, faults: transcript.header.faults == Some(true) }
    }

    /// Returns the lines of the CLI that are JSON objects.
    pub(crate) fn theirs(&self) -> impl Iterator<Item = &Recorded> {
        self.items.iter().filter_map(|item| item.theirs())
    }
}

/// Lines that were read before: a copy of the transcript shares their bytes, so they are not read again.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// By the address of the bytes, which is not reused while the bytes are kept here.
    lines: HashMap<*const u8, (Bytes, Option<Arc<Recorded>>)>,
}

impl Known {
    pub(crate) fn of(scene: &Scene) -> Self {
        let lines = scene.items.iter().filter_map(|item| match &item.what {
            What::Ours(line, read) | What::Theirs(line, read) => {
                Some((line.as_ptr(), (line.clone(), read.clone())))
            }
            _ => None,
        });
        Self { lines: lines.collect() }
    }

    fn read(&self, line: &Bytes) -> Option<Arc<Recorded>> {
        match self.lines.get(&line.as_ptr()) {
            Some((known, read)) if known.len() == line.len() => read.clone(),
            _ => Recorded::read(line).map(Arc::new),
        }
    }
}

impl Item {
    pub(crate) fn theirs(&self) -> Option<&Recorded> {
        match &self.what {
            What::Theirs(_, read) => read.as_deref(),
            _ => None,
        }
    }

    pub(crate) fn ours(&self) -> Option<&Recorded> {
        match &self.what {
            What::Ours(_, read) => read.as_deref(),
            _ => None,
        }
    }

    pub(crate) fn has(&self, mark: Mark) -> bool {
        self.marks.contains(&mark)
    }
}

impl What {
    /// Returns the line of either side, if it is a JSON object.
    pub(crate) fn read(&self) -> Option<&Recorded> {
        match self {
            Self::Ours(_, read) | Self::Theirs(_, read) => read.as_deref(),
            _ => None,
        }
    }

    fn of(entry: &Entry, known: &Known) -> Option<Self> {
        match entry {
            Entry::Outbound(line) => Some(Self::Ours(line.clone(), known.read(line))),
            Entry::Inbound(line) => Some(Self::Theirs(line.clone(), known.read(line))),
            Entry::EndOfInput => Some(Self::EndOfInput),
            Entry::Signal(_) => Some(Self::Signal),
            Entry::Stderr(_) => Some(Self::Stderr),
            Entry::End(end) => Some(Self::End(end.clone())),
            _ => None,
        }
    }
}

impl Mark {
    fn read(comment: &[u8]) -> Option<Self> {
        match comment.trim_ascii() {
            b"undecodable" => Some(Self::Undecodable),
            b"noise" => Some(Self::Noise),
            b"unanswered" => Some(Self::Unanswered),
            _ => None,
        }
    }
}
