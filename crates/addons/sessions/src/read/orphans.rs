//! Parallel tool calls of one response and their results: their entries branch, and the path follows only one branch.

use std::collections::{HashMap, HashSet};

use super::graph::Graph;
use super::link::Link;

/// Inserts the calls and results that are not on the path after the last entry of their response.
pub(super) fn put_back(graph: &Graph, way: &mut Vec<usize>) {
    let responses = Responses::of(graph);
    let mut on_way: HashSet<_> = way.iter().copied().collect();
    let answered: HashSet<&str> = way.iter().flat_map(|link| ids(&graph.links[*link].results)).collect();
    // The last entry of each response on the path, and the responses in order.
    let (mut last, mut order) = (HashMap::new(), Vec::new());
    for &link in way.iter() {
        if let Some(response) = graph.links[link].response.as_deref()
            && last.insert(response, link).is_none()
        {
            order.push(response);
        }
    }
    let mut missed = HashMap::new();
    for response in order {
        let found = responses.missed(response, &on_way, &answered);
        on_way.extend(&found);
        missed.insert(last[response], found);
    }
    *way = way
        .iter()
        .flat_map(|link| [*link].into_iter().chain(missed.remove(link).unwrap_or_default()))
        .collect();
}

/// The entries of responses, and the results of their calls.
struct Responses<'a> {
    graph: &'a Graph,
    entries: HashMap<&'a str, Vec<usize>>,
    /// The entry with a call; `None` if two responses have the call.
    callers: HashMap<&'a str, Option<usize>>,
    /// The results that may belong to an entry.
    results: HashMap<usize, Vec<usize>>,
}

impl<'a> Responses<'a> {
    fn of(graph: &'a Graph) -> Self {
        let mut found =
            Self { graph, entries: HashMap::new(), callers: HashMap::new(), results: HashMap::new() };
        for (place, link) in graph.links.iter().enumerate() {
            found.add_calls(place, link);
        }
        for (place, link) in graph.links.iter().enumerate().filter(|(_, link)| link.is_result()) {
            found.add_result(place, link);
        }
        found
    }

    fn add_calls(&mut self, place: usize, link: &'a Link) {
        let Some(response) = link.response.as_deref() else { return };
        self.entries.entry(response).or_default().push(place);
        for call in ids(&link.calls) {
            let caller = self.callers.entry(call).or_insert(Some(place));
            let same =
                caller.is_some_and(|caller| self.graph.links[caller].response.as_deref() == Some(response));
            *caller = same.then_some(place);
        }
    }

    /// Adds a result to its parent, to the entry that it names, and to the entries with the calls that it answers.
    fn add_result(&mut self, place: usize, link: &Link) {
        let parent = link.parent.as_ref().and_then(|parent| self.graph.place(parent));
        let source = link.source.as_ref().and_then(|source| self.graph.place(source));
        let callers = ids(&link.results).filter_map(|call| self.callers.get(call).copied().flatten());
        let ours = |entry: &usize| link.same_writer(&self.graph.links[*entry]);
        let entries: Vec<_> =
            parent.into_iter().chain(source.into_iter().chain(callers).filter(ours)).collect();
        for entry in entries {
            // Duplicates are harmless, because readers skip results that they have seen.
            self.results.entry(entry).or_default().push(place);
        }
    }

    /// Returns the entries of a response, and the results of its calls, that are not on the path.
    fn missed(&self, response: &str, on_way: &HashSet<usize>, answered: &HashSet<&str>) -> Vec<usize> {
        let links = &self.graph.links;
        let members = self.entries.get(response).map_or(&[][..], Vec::as_slice);
        let mut calls: Vec<_> = members.iter().copied().filter(|member| !on_way.contains(member)).collect();
        let (mut results, mut strays, mut seen) = (Vec::new(), Vec::new(), HashSet::new());
        for &result in members.iter().filter_map(|member| self.results.get(member)).flatten() {
            if on_way.contains(&result) || !seen.insert(result) {
                continue;
            }
            let parent = links[result].parent.as_ref().and_then(|parent| self.graph.place(parent));
            let own = parent.is_some_and(|parent| members.contains(&parent));
            if own { results.push(result) } else { strays.push(result) }
        }
        self.add_strays(members, strays, answered, &mut results);
        let by_time = |a: &usize, b: &usize| links[*a].timestamp.cmp(&links[*b].timestamp);
        calls.sort_by(by_time);
        results.sort_by(by_time);
        calls.append(&mut results);
        calls
    }

    /// Adds results with a parent outside of the response, if they answer an open call.
    fn add_strays(
        &self,
        members: &[usize],
        mut strays: Vec<usize>,
        answered: &HashSet<&str>,
        results: &mut Vec<usize>,
    ) {
        if strays.is_empty() {
            return;
        }
        let links = &self.graph.links;
        let mut answered = answered.clone();
        answered.extend(results.iter().flat_map(|result| ids(&links[*result].results)));
        strays.sort_unstable();
        for stray in strays {
            let open = |call: &str| {
                let caller = self.callers.get(call).copied().flatten();
                !answered.contains(call) && caller.is_some_and(|caller| members.contains(&caller))
            };
            if ids(&links[stray].results).any(open) {
                answered.extend(ids(&links[stray].results));
                results.push(stray);
            }
        }
    }
}

fn ids(ids: &[String]) -> impl Iterator<Item = &str> {
    ids.iter().map(String::as_str)
}
