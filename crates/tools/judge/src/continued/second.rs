//! The second half: the conversation continues from the store alone.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use agentwire::{Session, hooks::Hooks, protocol::hook::UserPromptSubmit, sessions::SessionStore};

use super::{
    Failure, check,
    first::{First, asked, load, same, without_metadata},
    place::{Place, lines},
};
use agentwire_testkit::ScriptedModel;

/// The files of the session when the prompt came, before the CLI wrote to them.
struct Found {
    config: PathBuf,
    entries: Vec<String>,
    beneath: Vec<String>,
    modes: Vec<u32>,
}

pub(super) async fn go_on(
    place: &Place<'_>,
    model: &ScriptedModel,
    store: &Arc<dyn SessionStore>,
    first: First,
) -> Result<(), Failure> {
    let found = Arc::new(Mutex::new(None));
    let options = place.options("second").resume(first.key.session_id().as_str());
    let subpath = first.beneath.subpath().unwrap_or_default().to_owned();
    let look = {
        let found = Arc::clone(&found);
        move |file: &str| {
            let looked = look(Path::new(file), &subpath).map_err(|error| error.to_string());
            *found.lock().unwrap_or_else(PoisonError::into_inner) = Some(looked);
        }
    };
    let hooks = Hooks::new().on(UserPromptSubmit, move |input, _| {
        look(input.transcript_path.as_deref().unwrap_or_default());
        async {}
    });
    let builder = Session::builder().options(options).hooks(hooks).session_store(Arc::clone(store));
    let mut session = builder.connect().await?;
    let turn = session.ask("What did it say?").await?;
    let result = turn.finish().await?.ok_or("the second turn has no result")?;
    check(result.session_id.as_ref() == Some(first.key.session_id()), || "it is another session".to_owned())?;
    session.close().await?;

    let found =
        found.lock().unwrap_or_else(PoisonError::into_inner).take().ok_or("the hook was not called")??;
    let before = first.entries.len();
    check(found.entries.len() >= before, || "the session's file was shorter than what is stored".to_owned())?;
    same("the file on the other side", &found.entries[..before], &first.entries)?;
    same("the subagent's file on the other side", &found.beneath, &without_metadata(&first.beneath_entries))?;
    check(found.modes.iter().all(|mode| mode & 0o077 == 0), || {
        format!("others can read the files: {:?}", found.modes)
    })?;
    check(!found.config.exists(), || "the folder is still there".to_owned())?;
    let own = place.home("second").join(".claude/projects");
    check(!own.exists(), || "something was stored in the home of the other side".to_owned())?;

    // The answer of the first half, and the new prompt.
    let expected = [&first.roles[..], &["assistant".into(), "user".into()]].concat();
    let roles = asked(model)?;
    check(roles == expected, || format!("the model was asked with {roles:?}, and not with {expected:?}"))?;
    check(model.unused() == 0 && model.exhausted() == 0, || "the model was asked otherwise".to_owned())?;

    let now = load(store, &first.key).await?;
    check(now.len() > before && now[..before] == first.entries, || {
        "the store has not what it had, and then what was new".to_owned()
    })
}

/// Reads the session's files where the CLI has them.
fn look(file: &Path, subpath: &str) -> Result<Found, Failure> {
    let beneath = file.with_extension("").join(format!("{subpath}.jsonl"));
    let config = file.ancestors().nth(3).ok_or("the file lies in no configuration folder")?.to_owned();
    let modes = [&config, file, &*beneath].map(mode).into_iter().collect::<Result<_, _>>()?;
    Ok(Found { config, entries: lines(file)?, beneath: lines(&beneath)?, modes })
}

fn mode(path: &Path) -> Result<u32, Failure> {
    use std::os::unix::fs::PermissionsExt;

    Ok(fs::metadata(path)?.permissions().mode())
}
