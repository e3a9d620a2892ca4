//! Whether a server may be written: only what is read again as it is meant.

use super::entry::Json;
use super::error::Refusal;
use crate::{Origin, Problem, Severity, file, syntax};

/// Refuses a server that would be refused when its file is read, by the reader itself.
///
/// It is looked at alone: what else is wrong with the file is no reason against it.
pub(super) fn readable(server: &str, entry: &Json) -> Result<(), Refusal> {
    let text = Json::object([(SECTION, Json::object([(server, entry.clone())]))]).inline(true);
    let contents = file::parse(&text, &Origin::Program);
    let is_error = |problem: &Problem| problem.severity() == Severity::Error;
    let problems: Vec<_> =
        contents.problems.into_iter().filter(is_error).map(|problem| within(server, problem)).collect();
    if problems.is_empty() { Ok(()) } else { Err(Refusal::Invalid { problems }) }
}

/// The problem with its path below the server, and no place: the text that was read stands in no file.
fn within(server: &str, problem: Problem) -> Problem {
    let above = syntax::key(SECTION, server);
    let below = problem.path.strip_prefix(&above).unwrap_or(&problem.path);
    Problem { position: None, path: below.trim_start_matches('.').to_owned(), ..problem }
}

const SECTION: &str = "mcpServers";
