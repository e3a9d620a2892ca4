//! Information about a session for lists, read from the ends of its file.

mod archived;
mod first_prompt;
mod pasted;
mod programmatic;

use agentwire_protocol::session_info::SessionInfo;
use memchr::memmem;
use serde::Deserialize;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};

pub(crate) use archived::{mark_of, prompted_at};
pub(crate) use first_prompt::{Prompt, has_block, media, prompt_text, texts};
pub(crate) use programmatic::is_programmatic;

use crate::ends::Ends;
use crate::fields::{Field, Fields};
use crate::sessions::SessionFile;
use crate::time::parse_ms;
use first_prompt::{MAX_CHARS, first_media, first_prompt};

/// Returns the information in the ends of a session's file; `None` for a sidechain, or if there is nothing to show.
///
/// Fields are found as in the reference SDK for Python; fields that it does not know, as in the SDK for TypeScript.
/// Titles and summaries inside of other fields, such as a tool's input, don't count, as in the SDK for TypeScript.
///
/// Without `has_folder`, the archive mark and the title in the session's folder are not read.
pub(crate) fn info_of(file: &SessionFile, ends: &Ends, has_folder: bool) -> Option<SessionInfo> {
    if is_sidechain(ends.first_line()) {
        return None;
    }
    let mut info = plain_info(file, ends, has_folder)?;
    info.archived = if has_folder { archived::archived(file, ends) } else { None };
    Some(info)
}

/// Returns the same without the archive mark, also for a session that begins with a sidechain.
pub(crate) fn plain_info(file: &SessionFile, ends: &Ends, has_folder: bool) -> Option<SessionInfo> {
    let folder_title = || if has_folder { folder_title(file) } else { None };
    let (head, tail) = (Fields::of(&ends.head), Fields::of(ends.tail()));
    let custom_title = title(&head, &tail, folder_title);
    let first_prompt = first_prompt(&ends.head);
    let summary = custom_title.clone().or_else(|| tail.last_own(Field::LastPrompt));
    let summary = summary.or_else(|| tail.last_own(Field::Summary)).or_else(|| first_prompt.clone());
    let summary = summary.or_else(|| first_media(&ends.head).map(str::to_owned))?;
    let mut info = SessionInfo::new(file.id.clone(), summary, ends.known.modified_ms);
    info.file_size = Some(ends.known.size);
    info.custom_title = custom_title;
    info.first_prompt = first_prompt;
    info.git_branch = tail.last(Field::GitBranch).or_else(|| head.first(Field::GitBranch));
    let project = || file.project.as_deref().map(|project| project.to_string_lossy().into_owned());
    info.cwd = ends.relocated().or_else(|| head.first(Field::Cwd)).or_else(project);
    // Most sessions have no tag, so the slower search runs only if the name occurs.
    info.tag = if tail.has(Field::Tag) { tag(ends.tail()) } else { None };
    info.created_at = head.first(Field::Timestamp).as_deref().and_then(parse_ms);
    Some(info)
}

/// Returns the user's title for a session, or the generated one.
///
/// A title in the session's folder is older than one at the end of the file, even an empty one, and later than one at
/// its start.
fn title(
    head: &Fields<'_>,
    tail: &Fields<'_>,
    folder_title: impl FnOnce() -> Option<String>,
) -> Option<String> {
    let custom = tail.last_set(Field::CustomTitle).or_else(folder_title);
    let custom = custom.filter(|title| !title.is_empty()).or_else(|| head.last_own(Field::CustomTitle));
    custom.or_else(|| tail.last_own(Field::AiTitle)).or_else(|| head.last_own(Field::AiTitle))
}

/// Returns the user's title in the session's folder, on one line, without invisible characters, truncated.
fn folder_title(file: &SessionFile) -> Option<String> {
    use GeneralCategory::{Control, Format, LineSeparator, ParagraphSeparator};
    let is_space =
        |c: char| matches!(c.general_category(), Control | Format | LineSeparator | ParagraphSeparator);
    let title: FolderTitle = archived::in_folder(file, "custom-title.json")?;
    let parts = title.custom_title.split(is_space).filter(|part| !part.is_empty());
    let title: String = parts.collect::<Vec<_>>().join(" ").trim_start().chars().take(MAX_CHARS).collect();
    let title = title.trim_end();
    (!title.is_empty()).then(|| title.to_owned())
}

/// The content of `custom-title.json`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FolderTitle {
    custom_title: String,
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
