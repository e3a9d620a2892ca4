//! Information about a session for lists, read from the ends of its file.

mod archived;
mod first_prompt;
mod programmatic;

use std::path::Path;

use agentwire_protocol::SessionId;
use agentwire_protocol::session_info::SessionInfo;
use memchr::memmem;

pub(crate) use archived::{mark_of, prompted_at};
pub(crate) use first_prompt::{Prompt, first_media, first_prompt, prompts};
pub(crate) use programmatic::is_programmatic;

use crate::ends::Ends;
use crate::fields::{Field, Fields};
use crate::sessions::SessionFile;
use crate::time::parse_ms;

/// Returns the information in the ends of a session's file; `None` for a sidechain, or if there is nothing to show.
///
/// Finds the fields in the same way as the published SDKs.
///
/// Without a folder beside the file, a session can't be archived.
pub(crate) fn info_of(file: &SessionFile, ends: &Ends, has_folder: bool) -> Option<SessionInfo> {
    let mut info = plain_info(&file.id, ends, file.project.as_deref())?;
    info.archived = if has_folder { archived::archived(file, ends) } else { None };
    Some(info)
}

fn plain_info(id: &SessionId, ends: &Ends, project: Option<&Path>) -> Option<SessionInfo> {
    if is_sidechain(ends.first_line()) {
        return None;
    }
    let (head, tail) = (Fields::of(&ends.head), Fields::of(ends.tail()));
    let custom_title = title(&head, &tail);
    let first_prompt = first_prompt(&ends.head);
    let summary = custom_title.clone().or_else(|| tail.last(Field::LastPrompt));
    let summary = summary.or_else(|| tail.last(Field::Summary)).or_else(|| first_prompt.clone());
    let summary = summary.or_else(|| first_media(&ends.head).map(str::to_owned))?;
    let mut info = SessionInfo::new(id.clone(), summary, ends.known.modified_ms);
    info.file_size = Some(ends.known.size);
    info.custom_title = custom_title;
    info.first_prompt = first_prompt;
    info.git_branch = tail.last(Field::GitBranch).or_else(|| head.first(Field::GitBranch));
    let project = || project.map(|project| project.to_string_lossy().into_owned());
    info.cwd = head.first(Field::Cwd).or_else(project);
    // Most sessions have no tag, so the slower search runs only if the name occurs.
    info.tag = if tail.has(Field::Tag) { tag(ends.tail()) } else { None };
    info.created_at = head.first(Field::Timestamp).as_deref().and_then(parse_ms);
    Some(info)
}

/// Returns the title or the first prompt from the ends of a session's file.
pub(crate) fn called(ends: &Ends) -> Option<String> {
    title(&Fields::of(&ends.head), &Fields::of(ends.tail())).or_else(|| first_prompt(&ends.head))
}

/// Returns the user's title for a session, or the generated one.
fn title(head: &Fields<'_>, tail: &Fields<'_>) -> Option<String> {
    let last = |field| tail.last(field).or_else(|| head.last(field));
    last(Field::CustomTitle).or_else(|| last(Field::AiTitle))
}

fn is_sidechain(line: &[u8]) -> bool {
    [&b"\"isSidechain\":true"[..], b"\"isSidechain\": true"]
        .iter()
        .any(|mark| memmem::find(line, mark).is_some())
}

/// Returns the last tag; in lines of other kinds `tag` has other meanings.
fn tag(tail: &[u8]) -> Option<String> {
    // A reverse search is many times slower.
    let starts = memmem::find_iter(tail, TAG_LINE).filter(|&at| at == 0 || tail[at - 1] == b'\n');
    let start = starts.last()?;
    let line = tail[start..].split(|&byte| byte == b'\n').next()?;
    Fields::of(line).last(Field::Tag)
}

const TAG_LINE: &[u8] = br#"{"type":"tag""#;
