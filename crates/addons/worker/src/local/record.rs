//! The state of one session on disk.

use std::{
    collections::VecDeque,
    ffi::OsStr,
    fmt::Display,
    fs::{self, DirBuilder, File},
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use agentwire::protocol::{ToolUseId, Uuid};
use rustix::{
    fs::{FlockOperation, flock},
    io::Errno,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    outcome::Outcome,
    secrets::is_name,
    turn::{Answer, Question, SessionName, TurnInput, TurnSpec},
};

/// The state of a session.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Record {
    /// The number of the last turn.
    pub(super) epoch: u64,
    /// The prompts that have not ended. Only the first one runs or is parked.
    pub(super) prompts: VecDeque<Prompt>,
    /// The input of the turn that runs, as far as is known.
    pub(super) running: Option<TurnInput>,
    /// Whether the running prompt was cancelled, which its turn may not have noticed.
    #[serde(default)]
    pub(super) is_cancelled: bool,
    /// The parked questions of the first prompt.
    pub(super) parked: Vec<Parked>,
    /// The last prompts that have ended.
    pub(super) ends: VecDeque<(Uuid, Outcome)>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Prompt {
    /// The id of the prompt as it was queued.
    pub(super) id: Uuid,
    /// The turn to start.
    pub(super) turn: TurnSpec,
    /// How many times it was started again after it was cut.
    #[serde(default)]
    pub(super) restarts: u32,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Parked {
    pub(super) question: Question,
    pub(super) answer: Option<Answer>,
}

impl Record {
    /// Returns whether a prompt is queued or has ended.
    pub(super) fn knows(&self, prompt: &Uuid) -> bool {
        self.prompts.iter().any(|known| known.id == *prompt) || self.end_of(prompt).is_some()
    }

    /// Returns the outcome of a prompt that has ended.
    pub(super) fn end_of(&self, prompt: &Uuid) -> Option<&Outcome> {
        self.ends.iter().find(|(id, _)| id == prompt).map(|(_, outcome)| outcome)
    }

    /// Returns whether there is a turn to start now.
    pub(super) fn is_due(&self) -> bool {
        let is_answered = self.parked.iter().all(|parked| parked.answer.is_some());
        self.running.is_none() && !self.prompts.is_empty() && is_answered
    }

    /// Returns the turn to start now.
    pub(super) fn due(&self) -> Option<TurnSpec> {
        if !self.is_due() {
            return None;
        }
        let mut turn = self.prompts.front()?.turn.clone();
        if !self.parked.is_empty() {
            let answered = |parked: &Parked| Some((parked.question.clone(), parked.answer.clone()?));
            turn.input = TurnInput::Answers(self.parked.iter().map(answered).collect::<Option<_>>()?);
        }
        Some(turn)
    }

    /// Stores the answer to a parked question, and returns whether it was open.
    pub(super) fn answer(&mut self, question: &ToolUseId, answer: Answer) -> bool {
        let open =
            self.parked.iter_mut().find(|parked| parked.question.id == *question && parked.answer.is_none());
        open.map(|parked| parked.answer = Some(answer)).is_some()
    }

    /// Ends all prompts but the running one as cancelled, and returns their ids. Marks the running one as cancelled.
    pub(super) fn cancel(&mut self) -> Vec<Uuid> {
        let first = usize::from(self.running.is_some()).min(self.prompts.len());
        self.is_cancelled = first > 0;
        if first == 0 {
            self.parked.clear();
        }
        let ids: Vec<_> = self.prompts.drain(first..).map(|prompt| prompt.id).collect();
        ids.iter().for_each(|id| self.remember(id.clone(), Outcome::Cancelled));
        ids
    }

    /// Ends the first prompt, and returns its id.
    pub(super) fn end(&mut self, outcome: Outcome) -> Option<Uuid> {
        (self.running, self.is_cancelled) = (None, false);
        self.parked.clear();
        let prompt = self.prompts.pop_front()?;
        self.remember(prompt.id.clone(), outcome);
        Some(prompt.id)
    }

    fn remember(&mut self, prompt: Uuid, outcome: Outcome) {
        self.ends.push_back((prompt, outcome));
        if self.ends.len() > ENDS {
            self.ends.pop_front();
        }
    }
}

/// Creates the folder and locks it. An engine that was dropped a moment ago may still hold the lock.
pub(super) fn lock(folder: &Path) -> io::Result<File> {
    make(folder)?;
    // The folder of a tenant has no name that starts with a dot.
    let lock =
        File::options().write(true).create(true).truncate(true).mode(0o600).open(folder.join(".lock"))?;
    let deadline = Instant::now() + RELEASED;
    while let Err(error) = flock(&lock, FlockOperation::NonBlockingLockExclusive) {
        match error {
            Errno::WOULDBLOCK if Instant::now() < deadline => thread::sleep(Duration::from_millis(10)),
            Errno::WOULDBLOCK => return Err(io::Error::other("another engine uses it")),
            error => return Err(error.into()),
        }
    }
    Ok(lock)
}

/// Creates a folder that only this user can read. Missing parents may contain folders of other users.
fn make(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder.parent().unwrap_or(folder))?;
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Returns the file of a session.
pub(super) fn path(folder: &Path, session: &SessionName) -> PathBuf {
    folder.join(&*session.tenant).join(format!("{}.json", session.session))
}

/// Replaces a file, so that it has the old or the new content after a crash.
pub(super) fn write(path: &Path, value: &impl Serialize) -> io::Result<()> {
    let folder = path.parent().unwrap_or(path);
    make(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    serde_json::to_writer(&mut file, value)?;
    file.flush()?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    // A power failure must not undo the rename, nor the creation of the tenant's folder.
    for folder in folder.ancestors().take(2) {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

/// Reads a file; `None` if there is none.
pub(super) fn read<T: DeserializeOwned>(path: &Path) -> io::Result<Option<T>> {
    match fs::read(path) {
        Ok(text) => serde_json::from_slice(&text).map(Some).map_err(unreadable(path)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unreadable(path)(error)),
    }
}

fn unreadable<E: Display>(path: &Path) -> impl FnOnce(E) -> io::Error {
    move |error| io::Error::other(format!("can't read {}: {error}", path.display()))
}

/// Returns the tenants with a folder in this folder.
pub(super) fn tenants(folder: &Path) -> io::Result<Vec<Box<str>>> {
    let mut tenants = Vec::<Box<str>>::new();
    for tenant in fs::read_dir(folder)? {
        let tenant = tenant?;
        let name = tenant.file_name();
        // A volume has a folder `lost+found`.
        if let Some(name) = name.to_str().filter(|name| is_name(name))
            && tenant.file_type()?.is_dir()
        {
            tenants.push(name.into());
        }
    }
    Ok(tenants)
}

/// Reads all sessions of a folder.
pub(super) fn read_all(folder: &Path) -> io::Result<Vec<(SessionName, Record)>> {
    let mut records = Vec::new();
    for tenant in tenants(folder)? {
        let folder = folder.join(&*tenant);
        for file in fs::read_dir(&folder).map_err(unreadable(&folder))? {
            let path = file?.path();
            if path.extension().is_some_and(|end| end == "json")
                && let Some(session) = path.file_stem().and_then(OsStr::to_str)
                && let Some(record) = read(&path)?
            {
                records.push((SessionName::new(tenant.clone(), session), record));
            }
        }
    }
    Ok(records)
}

/// How many ended prompts of a session are remembered.
const ENDS: usize = 1000;

/// How long to wait for the lock of another engine.
const RELEASED: Duration = Duration::from_secs(2);
