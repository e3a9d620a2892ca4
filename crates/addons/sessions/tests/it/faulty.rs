//! Stores with one fault each, which the conformance suite must detect.

use std::collections::{BTreeMap, BTreeSet};
use std::future::ready;
use std::sync::{Mutex, MutexGuard};

use agentwire_protocol::{RawJson, SessionId};
use agentwire_sessions::{
    RawEntry, SessionKey, SessionStore, SessionSummary, StoreError, StoreFuture, StoredSession, fold_summary,
};

use Fault::*;

macro_rules! faults {
    ($($(#[$meta:meta])* $fault:ident,)+) => {
        /// A fault, or a permitted limitation, of a store.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Fault {
            $($(#[$meta])* $fault,)+
        }

        impl Fault {
            pub(crate) const ALL: &[Self] = &[$(Self::$fault),+];
        }
    };
}

faults! {
    /// Not a fault: the store implements no optional method.
    OnlyWhatIsNeeded,
    /// Not a fault: the store refuses entries that it can't represent.
    RefusesLoneSurrogates,
    FailsToAppend, ReversesBatches, PutsAppendsInFront, LoadsUnknownKeysAsEmpty, ForgetsOnEmptyAppends,
    MakesKeysKnownByEmptyAppends, KeepsRepeatedIds, KeepsIdsRepeatedInABatch, DropsARetryOfWhatItHas,
    SharesIdsAmongKeys, ComparesIdsWithoutCase, DropsRepeatedEntriesWithoutId, TakesAnyUuidForAnId,
    LosesAppendsAtOnce, MixesAppendsAtOnce, MixesKeysAtOnce, KeepsRetriesAtOnce, CutsLargeEntries,
    KeepsAThousandEntries, RoundsNumbers, ComposesText, DropsControlCharacters, DropsZeroCharacters,
    ReplacesLoneSurrogates, DropsEmptyValues, TrimsDashes, CutsProjectNames, TrimsSubpaths, IgnoresSubpaths,
    DropsExtensions, IgnoresCase, JoinsKeysWithColons, ListsAllProjects, ListsByPattern,
    ListsSubpathsAsSessions, TellsSeconds, TellsTheFirstTime, ListsSubkeysOfAll, ListsTheSessionAsSubkey,
    EscapesListedSubkeys, DeletesNothing, FailsToDeleteWhatIsNotThere, LeavesWhatIsBeneath,
    LeavesWhatIsBeneathNothing, DeletesInAllProjects, DeletesByPattern, DeletesBeneathSubpaths,
    RemembersDeletedIds, ListsDeletedSessions, ListsDeletedSubkeys, SummarisesDeletedSessions,
    SummarisesTheLastAppend, FoldsTheFirstLast, SummarisesAllProjects, SummarisesSubpaths,
    SummarisesByTheEntriesClock, HasDeleteOnlyOnce,
}

impl Fault {
    /// Returns whether a store may have this limitation.
    pub(crate) fn is_permitted(self) -> bool {
        matches!(self, OnlyWhatIsNeeded | RefusesLoneSurrogates)
    }
}

/// A store in memory with one fault.
#[derive(Debug)]
pub(crate) struct Faulty {
    fault: Fault,
    state: Mutex<State>,
}

/// A project, a session and a subpath.
type Place = (String, String, Option<String>);

#[derive(Debug, Default)]
struct State {
    kept: BTreeMap<Place, Vec<RawEntry>>,
    ids: BTreeSet<(Place, String)>,
    written: BTreeMap<Place, u64>,
    ever: BTreeSet<Place>,
    batches: BTreeMap<Place, Vec<Vec<RawEntry>>>,
}

impl Faulty {
    pub(crate) fn new(fault: Fault) -> Self {
        Self { fault, state: Mutex::default() }
    }

    fn has(&self, fault: Fault) -> bool {
        self.fault == fault
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    fn place(&self, key: &SessionKey) -> Place {
        let (mut project, session) = (self.project(key.project()), key.session_id().to_string());
        let mut subpath = key.subpath().map(str::to_owned);
        match self.fault {
            TrimsSubpaths => subpath = subpath.map(|subpath| subpath.trim().to_owned()),
            IgnoresSubpaths => subpath = None,
            DropsExtensions => subpath = subpath.map(|subpath| subpath.replace(".jsonl", "")),
            IgnoresCase => {
                subpath = subpath.map(|subpath| subpath.to_lowercase());
                return (project, session.to_lowercase(), subpath);
            }
            JoinsKeysWithColons => {
                let joined = format!("{project}:{session}:{}", subpath.unwrap_or_default());
                let mut parts = joined.splitn(3, ':').map(str::to_owned);
                project = parts.next().unwrap();
                let session = parts.next().unwrap();
                return (project, session, parts.next().filter(|subpath| !subpath.is_empty()));
            }
            _ => {}
        }
        (project, session, subpath)
    }

    fn project(&self, project: &str) -> String {
        match self.fault {
            TrimsDashes => project.trim_matches('-').to_owned(),
            CutsProjectNames => project.chars().take(200).collect(),
            IgnoresCase => project.to_lowercase(),
            _ => project.to_owned(),
        }
    }

    fn altered(&self, entry: &RawEntry) -> RawEntry {
        let text = entry.as_str();
        let altered = match self.fault {
            RoundsNumbers => serde_json::from_str::<serde_json::Value>(text)
                .map_or(text.to_owned(), |value| value.to_string()),
            ComposesText => text.replace("e\u{301}", "é"),
            DropsControlCharacters => text.replace("\\u001f", ""),
            DropsZeroCharacters => text.replace("\\u0000", ""),
            ReplacesLoneSurrogates => text.replace("\\ud83d\"", "\u{fffd}\""),
            DropsEmptyValues => text.replace("\"empty\":[{}", "\"empty\":[null"),
            CutsLargeEntries => text.replace(&"0123456789abcdef".repeat(64), ""),
            _ => return entry.clone(),
        };
        RawEntry::parse(altered).unwrap()
    }

    async fn add(&self, key: &SessionKey, entries: &[RawEntry]) -> Result<(), StoreError> {
        let refuses =
            |entry: &RawEntry| self.has(RefusesLoneSurrogates) && entry.as_str().contains("\\ud83d\"");
        if self.has(FailsToAppend) || entries.iter().any(refuses) {
            return Err(StoreError::new("appending", "not that"));
        }
        let place = self.place(key);
        match self.fault {
            LosesAppendsAtOnce => {
                let read = self.state().kept.get(&place).cloned().unwrap_or_default();
                tokio::task::yield_now().await;
                if self.state().kept.get(&place).is_some_and(|now| now.len() != read.len()) {
                    return Ok(());
                }
            }
            MixesAppendsAtOnce => {
                for entry in entries {
                    self.put(&place, std::slice::from_ref(entry));
                    tokio::task::yield_now().await;
                }
                return Ok(());
            }
            MixesKeysAtOnce => {
                let before = self.state().batches.len();
                tokio::task::yield_now().await;
                // Another key was appended meanwhile.
                let other = Some(self.state()).filter(|state| state.batches.len() > before.max(1));
                let other = other.and_then(|state| state.kept.keys().next().cloned());
                self.put(&other.unwrap_or(place), entries);
                return Ok(());
            }
            KeepsRetriesAtOnce => {
                let known = self.known(&place, entries);
                tokio::task::yield_now().await;
                let new: Vec<_> = entries.iter().zip(known).filter(|(_, known)| !known).collect();
                let mut state = self.state();
                for (entry, _) in new {
                    state.ids.extend(entry.uuid().map(|id| (place.clone(), id.to_string())));
                    state.kept.entry(place.clone()).or_default().push(entry.clone());
                }
                state.written(&place, entries);
                return Ok(());
            }
            _ => {}
        }
        self.put(&place, entries);
        Ok(())
    }

    fn known(&self, place: &Place, entries: &[RawEntry]) -> Vec<bool> {
        let mut seen = self.state().ids.clone();
        let new =
            |entry: &RawEntry| entry.uuid().is_none_or(|id| seen.insert((place.clone(), id.to_string())));
        entries.iter().map(new).map(|new| !new).collect()
    }

    fn put(&self, place: &Place, entries: &[RawEntry]) {
        let mut state = self.state();
        if entries.is_empty() {
            match self.fault {
                ForgetsOnEmptyAppends => _ = state.kept.remove(place),
                MakesKeysKnownByEmptyAppends => {
                    state.written(place, entries);
                    _ = state.kept.entry(place.clone()).or_default();
                }
                _ => {}
            }
            return;
        }
        let before = state.ids.clone();
        if self.has(DropsARetryOfWhatItHas)
            && entries[0].uuid().is_some_and(|id| before.contains(&(place.clone(), id.to_string())))
        {
            return;
        }
        let mut new = Vec::new();
        for entry in entries {
            let id = match self.fault {
                ComparesIdsWithoutCase => entry.uuid().map(|id| id.as_str().to_lowercase()),
                DropsRepeatedEntriesWithoutId => Some(entry.as_str().to_owned()),
                TakesAnyUuidForAnId if entry.as_str().contains("\"uuid\"") => {
                    Some(entry.uuid().map_or(entry.as_str().to_owned(), |id| id.to_string()))
                }
                KeepsRepeatedIds => None,
                _ => entry.uuid().map(|id| id.to_string()),
            };
            let of = if self.has(SharesIdsAmongKeys) { Place::default() } else { place.clone() };
            let is_new = id.is_none_or(|id| {
                let id = (of, id);
                state.ids.insert(id.clone()) || self.has(KeepsIdsRepeatedInABatch) && !before.contains(&id)
            });
            if is_new {
                new.push(self.altered(entry));
            }
        }
        if self.has(ReversesBatches) {
            new.reverse();
        }
        let kept = state.kept.entry(place.clone()).or_default();
        let at = if self.has(PutsAppendsInFront) { 0 } else { kept.len() };
        kept.splice(at..at, new);
        if self.has(KeepsAThousandEntries) {
            kept.truncate(1_000);
        }
        state.written(place, entries);
    }

    fn sessions(&self, project: &str) -> Vec<StoredSession> {
        let state = self.state();
        let mut of = BTreeMap::new();
        let now = state.kept.keys();
        let places: Vec<_> =
            if self.has(ListsDeletedSessions) { state.ever.iter().collect() } else { now.collect() };
        for place @ (its, session, subpath) in places {
            let asked = match self.fault {
                ListsAllProjects => true,
                ListsByPattern => matches(&self.project(project), its),
                _ => *its == self.project(project),
            };
            if asked && (subpath.is_none() || self.has(ListsSubpathsAsSessions)) {
                let written = state.written.get(place).copied().unwrap_or_default();
                let modified = match self.fault {
                    TellsSeconds => written / 1_000,
                    TellsTheFirstTime => FIRST_TIME,
                    _ => written,
                };
                of.insert(session.clone(), StoredSession::new(SessionId::from(session.as_str()), modified));
            }
        }
        of.into_values().collect()
    }

    fn summaries(&self, project: &str) -> Vec<SessionSummary> {
        let state = self.state();
        let mut summaries = Vec::new();
        let ever: Vec<_> = state
            .batches
            .iter()
            .filter(|(place, _)| self.has(SummarisesDeletedSessions) || state.kept.contains_key(place))
            .collect();
        for (place @ (its, session, subpath), batches) in ever {
            if subpath.is_some() || !(*its == self.project(project) || self.has(SummarisesAllProjects)) {
                continue;
            }
            let mut all: Vec<RawEntry> = match self.fault {
                SummarisesTheLastAppend => batches.last().cloned().unwrap_or_default(),
                FoldsTheFirstLast if batches.len() == 3 => batches.iter().rev().flatten().cloned().collect(),
                _ => batches.concat(),
            };
            if self.has(SummarisesSubpaths) {
                let beneath =
                    state.batches.iter().filter(|((its, id, _), _)| (its, id) == (&place.0, &place.1));
                all = beneath.flat_map(|(_, batches)| batches.concat()).collect();
            }
            let data: RawJson = fold_summary(None, &all).unwrap();
            let written =
                if self.has(SummarisesByTheEntriesClock) { 1_704_067_200_000 } else { state.written[place] };
            summaries.push(SessionSummary::new(SessionId::from(session.as_str()), written, data));
        }
        summaries
    }

    fn remove(&self, key: &SessionKey) -> Result<(), StoreError> {
        let mut state = self.state();
        let (project, session, subpath) = self.place(key);
        let gone = |place: &Place| {
            let (its, of, beneath) = place;
            let same_project = match self.fault {
                DeletesInAllProjects => true,
                DeletesByPattern => matches(&project, its),
                _ => *its == project,
            };
            let same_path = match (&subpath, beneath) {
                (None, None) => true,
                (None, Some(_)) => !self.has(LeavesWhatIsBeneath),
                (Some(one), Some(other)) if self.has(DeletesBeneathSubpaths) => {
                    one == other || other.starts_with(&format!("{one}/"))
                }
                (one, other) => one == other,
            };
            same_project && *of == session && same_path
        };
        let mut places: Vec<Place> = state.kept.keys().filter(|place| gone(place)).cloned().collect();
        if places.is_empty() && self.has(FailsToDeleteWhatIsNotThere) {
            return Err(StoreError::new("deleting", "there is no such thing"));
        }
        if self.has(LeavesWhatIsBeneathNothing)
            && subpath.is_none()
            && places.iter().all(|place| place.2.is_some())
            || self.has(DeletesNothing)
        {
            places.clear();
        }
        for place in places {
            state.kept.remove(&place);
            if !self.has(SummarisesDeletedSessions) {
                state.batches.remove(&place);
            }
            if !self.has(RemembersDeletedIds) {
                state.ids.retain(|(of, _)| *of != place);
            }
        }
        Ok(())
    }

    fn subkeys(&self, key: &SessionKey) -> Vec<String> {
        let state = self.state();
        let (project, session, _) = self.place(&key.session());
        if !self.has(ListsDeletedSubkeys) {
            return self.current(&state, &project, &session);
        }
        let ever = state.ever.iter().filter(|place| (&place.0, &place.1) == (&project, &session));
        ever.filter_map(|place| place.2.clone()).collect()
    }

    fn current(&self, state: &State, project: &str, session: &str) -> Vec<String> {
        let of = state.kept.keys().filter(|place| {
            self.has(ListsSubkeysOfAll) || (place.0.as_str(), place.1.as_str()) == (project, session)
        });
        of.filter_map(|(_, _, subpath)| match self.fault {
            ListsTheSessionAsSubkey => Some(subpath.clone().unwrap_or_default()),
            EscapesListedSubkeys => subpath.as_ref().map(|subpath| subpath.replace('%', "%25")),
            _ => subpath.clone(),
        })
        .collect()
    }
}

impl State {
    fn written(&mut self, place: &Place, entries: &[RawEntry]) {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        self.written.insert(place.clone(), now.as_millis() as u64);
        self.ever.insert(place.clone());
        self.batches.entry(place.clone()).or_default().push(entries.to_vec());
    }
}

impl SessionStore for Faulty {
    fn append<'a>(&'a self, key: &'a SessionKey, entries: &'a [RawEntry]) -> StoreFuture<'a, ()> {
        Box::pin(self.add(key, entries))
    }

    fn load<'a>(&'a self, key: &'a SessionKey) -> StoreFuture<'a, Option<Vec<RawEntry>>> {
        let kept = self.state().kept.get(&self.place(key)).cloned();
        let kept = kept.or_else(|| self.has(LoadsUnknownKeysAsEmpty).then(Vec::new));
        Box::pin(ready(Ok(kept)))
    }

    fn list_sessions<'a>(&'a self, project: &'a str) -> Option<StoreFuture<'a, Vec<StoredSession>>> {
        (!self.has(OnlyWhatIsNeeded)).then(|| Box::pin(ready(Ok(self.sessions(project)))) as _)
    }

    fn list_summaries<'a>(&'a self, project: &'a str) -> Option<StoreFuture<'a, Vec<SessionSummary>>> {
        (!self.has(OnlyWhatIsNeeded)).then(|| Box::pin(ready(Ok(self.summaries(project)))) as _)
    }

    fn delete<'a>(&'a self, key: &'a SessionKey) -> Option<StoreFuture<'a, ()>> {
        let once = self.has(HasDeleteOnlyOnce) && self.state().kept.values().all(Vec::is_empty);
        (once || !matches!(self.fault, OnlyWhatIsNeeded | HasDeleteOnlyOnce))
            .then(|| Box::pin(ready(self.remove(key))) as _)
    }

    fn list_subkeys<'a>(&'a self, key: &'a SessionKey) -> Option<StoreFuture<'a, Vec<String>>> {
        (!self.has(OnlyWhatIsNeeded)).then(|| Box::pin(ready(Ok(self.subkeys(key)))) as _)
    }
}

/// Returns whether a name matches a pattern of SQL's `like`.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.chars().next() {
        None => name.is_empty(),
        Some('%') => {
            name.char_indices().any(|(at, _)| matches(&pattern[1..], &name[at..]))
                || matches(&pattern[1..], "")
        }
        Some(one) => name.chars().next().is_some_and(|first| {
            (one == '_' || one == first) && matches(&pattern[one.len_utf8()..], &name[first.len_utf8()..])
        }),
    }
}

/// In milliseconds, in the year 2001, so never the current time.
const FIRST_TIME: u64 = 1_000_000_000_000;
