//! The session of a page: a file, or a session that the CLI has stored.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use agentwire_protocol::SessionId;
use agentwire_protocol::message::UserMessage;
use agentwire_protocol::session_info::{SessionMessage, SessionMessageKind};
use agentwire_sessions::{Page, Sessions};
use agentwire_testkit::Transcript;
use agentwire_testkit::transcript::{Entry, Header};

use crate::failure::{Failure, While as _};
use crate::{check, sessions};

/// Where the session is.
#[derive(Debug)]
pub(super) enum Source {
    File(PathBuf),
    Stored(Sessions, SessionId),
}

impl Source {
    /// Returns whether the session is read from this file.
    pub(super) fn is_file(&self, other: &Path) -> bool {
        let Self::File(file) = self else { return false };
        let inode = |file: &Path| file.metadata().ok().map(|file| (file.dev(), file.ino()));
        inode(other).is_some_and(|other| inode(file) == Some(other))
    }

    /// Returns the file of this name, or else the stored session of this id.
    pub(super) fn find(name: &OsStr, folder: Option<&Path>) -> Result<Self, Failure> {
        let id = name.to_str().filter(|name| sessions::is_id(name));
        let Some(id) = id.filter(|id| !Path::new(id).exists()) else {
            return Ok(Self::File(PathBuf::from(name)));
        };
        let (sessions, id) = (sessions::local(folder)?, SessionId::from(id));
        // A session without messages has no information.
        if sessions.info(&id)?.is_some() || sessions.messages(&id, Page::ALL)?.is_some() {
            return Ok(Self::Stored(sessions, id));
        }
        Err(Failure::new(format!("there is no file and no stored session {id}")))
    }

    pub(super) fn title(&self) -> String {
        match self {
            Self::File(file) => file.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
            Self::Stored(_, id) => id.to_string(),
        }
    }

    /// Renders the page.
    pub(super) fn page(&self) -> Result<String, Failure> {
        Ok(agentwire_viewer::page(&self.transcript()?, &self.title()))
    }

    /// Returns a text that changes with the content.
    pub(super) fn version(&self) -> Result<String, Failure> {
        let (time, size) = match self {
            Self::File(file) => {
                let metadata = fs::metadata(file).while_doing(|| format!("reading {}", file.display()))?;
                (metadata.modified().ok(), metadata.len())
            }
            Self::Stored(sessions, id) => {
                let size = sessions.info(id)?.and_then(|info| info.file_size);
                (None, size.unwrap_or_default())
            }
        };
        Ok(format!("{size} {time:?}"))
    }

    fn transcript(&self) -> Result<Transcript, Failure> {
        match self {
            Self::File(file) => {
                let reading = || format!("reading {}", file.display());
                let text = fs::read(file).while_doing(reading)?;
                check::parse(file, &text).while_doing(reading)
            }
            Self::Stored(sessions, id) => {
                let messages = sessions.messages(id, Page::ALL)?.unwrap_or_default();
                let entries = messages.iter().map(entry).collect::<Result<_, _>>()?;
                Ok(Transcript::new(Header::default(), None, entries))
            }
        }
    }
}

/// Returns a stored message as a line of a session: prompts were sent to the CLI.
fn entry(message: &SessionMessage) -> serde_json::Result<Entry> {
    let line = serde_json::to_vec(message)?.into();
    let has_result = || {
        let user = message.message.decode::<UserMessage>();
        user.is_ok_and(|user| user.content.blocks().iter().any(|block| block.as_tool_result().is_some()))
    };
    let is_prompt = message.kind == SessionMessageKind::User && !has_result();
    Ok(if is_prompt { Entry::Outbound(line) } else { Entry::Inbound(line) })
}
