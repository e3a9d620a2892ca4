//! One name for each tool or prompt of each server.

mod misnamed;
mod naming;
mod uris;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

pub use misnamed::Misnamed;
pub use naming::Naming;
pub use uris::Uris;

use crate::ServerName;

/// The unique names of the tools of all servers, or of their prompts, and the way back.
///
/// A name is made by a [`Naming`]; it consists of letters, digits, `-` and `_`, and starts with a letter or `_`.
/// Where two pairs would have the same name, the one that the name reads as when it is parsed keeps it: both server and
/// tool are spelt in it as they are, and the first separator ends the server.
/// All others get a suffix: `_` and 12 digits of the SHA-256 of server and tool; so does a name that had to be cut.
///
/// The names depend on which pairs there are, and not on their order or their past.
/// When a server comes or goes, a name changes only where one collides with it.
///
/// ```
/// use agentwire_hub_names::{Names, Naming, ServerName};
///
/// let pairs = [("git", "log"), ("my files", "read.all")];
/// let names = Names::new(Naming::default(), pairs.map(|(server, tool)| (ServerName::from(server), tool)));
/// assert_eq!(names.unique("git", "log"), Some("mcp__git__log"));
/// assert_eq!(names.unique("my files", "read.all"), Some("mcp__my_files__read_all"));
/// let found = names.find("mcp__my_files__read_all").unwrap();
/// assert_eq!((found.server.as_str(), &*found.item), ("my files", "read.all"));
/// assert_eq!(&*names.spelt("mcp__my-files__read-all")?.item, "read.all");
/// # Ok::<(), agentwire_hub_names::Misnamed>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// In the order of the pairs.
    entries: Vec<(Box<str>, Named)>,
    by_name: HashMap<Box<str>, usize>,
    /// Names in which `-` and `_` are the same.
    loose: Index,
    /// Names that a pair would have with or without the others, likewise.
    otherwise: Index,
    /// Those that lead to what can't be used now: they are understood, and not proposed.
    hidden: BTreeSet<usize>,
}

/// A tool or a prompt of a server.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_structs, reason = "it is a pair")]
pub struct Named {
    /// The server, as it is configured.
    pub server: ServerName,
    /// The tool or prompt, as its server calls it.
    pub item: Arc<str>,
}

type Index = HashMap<String, BTreeSet<usize>>;

impl Names {
    /// Names these pairs of a server and what it offers; one that comes twice counts once.
    pub fn new<S: Into<Arc<str>>>(naming: Naming, pairs: impl IntoIterator<Item = (ServerName, S)>) -> Self {
        let pairs = pairs.into_iter().map(|(server, item)| Named { server, item: item.into() });
        let pairs: BTreeSet<Named> = pairs.collect();
        let unique = assign(naming, &pairs.iter().collect::<Vec<_>>());
        let mut names = Self::default();
        for (position, (pair, unique)) in pairs.into_iter().zip(unique).enumerate() {
            names.loose.entry(loosened(&unique)).or_default().insert(position);
            let (candidate, suffixed) = (naming.candidate(&pair), naming.suffixed(&pair, 0));
            for other in [candidate, suffixed] {
                names.otherwise.entry(loosened(&other)).or_default().insert(position);
            }
            names.by_name.insert(unique.clone(), position);
            names.entries.push((unique, pair));
        }
        names
    }

    /// The same, with names that are understood and never proposed.
    pub fn hiding(mut self, hides: impl Fn(&Named) -> bool) -> Self {
        let hidden = self.entries.iter().enumerate().filter(|(_, (_, named))| hides(named));
        self.hidden = hidden.map(|(position, _)| position).collect();
        self
    }

    /// Those of these that may be proposed, each with what it leads to.
    fn proposed(&self, fits: impl Fn(&Named) -> bool) -> impl Iterator<Item = (&str, &str)> {
        let shown = self.entries.iter().enumerate().filter(|(position, _)| !self.hidden.contains(position));
        shown.filter(move |(_, (_, named))| fits(named)).map(|(_, (unique, named))| (&**unique, &*named.item))
    }

    /// The unique name of a tool of a server; `None` where the pair was not among those that were named.
    pub fn unique(&self, server: &str, item: &str) -> Option<&str> {
        self.entry(server, item).map(|(unique, _)| &**unique)
    }

    /// What has exactly this unique name.
    pub fn find(&self, unique: &str) -> Option<&Named> {
        self.by_name.get(unique).map(|position| &self.entries[*position].1)
    }

    /// What a model means by a name: exactly this name, or else the only one that differs in `-` and `_` alone.
    ///
    /// A name that a pair had before another one collided with it, or while one did, is understood where it is clear.
    ///
    /// # Errors
    ///
    /// [`Misnamed`] where there is no such name, or where several fit; it tells the ones that are near.
    pub fn spelt(&self, name: &str) -> Result<&Named, Misnamed> {
        if let Some(found) = self.find(name) {
            return Ok(found);
        }
        let key = loosened(name);
        let found = self.loose.get(&key).or_else(|| self.otherwise.get(&key));
        match found.map(|positions| positions.iter().copied().collect::<Vec<_>>()).as_deref() {
            Some([one]) => Ok(&self.entries[*one].1),
            Some(several) => Err(Misnamed::ambiguous(name, several.iter().map(|at| &*self.entries[*at].0))),
            None => Err(Misnamed::unknown(name, self.proposed(|_| true))),
        }
    }

    /// What a model means by a server and a tool, each as it is or as it is spelt in a unique name; `-` and `_` are the
    /// same where nothing fits exactly.
    ///
    /// # Errors
    ///
    /// As [`spelt`](Self::spelt).
    pub fn spelt_pair(&self, server: &str, item: &str) -> Result<&Named, Misnamed> {
        if let Some((_, exact)) = self.entry(server, item) {
            return Ok(exact);
        }
        let loosely = |one: &str, other: &str| one == other || part(one) == part(other);
        let of_server = |exact: bool| {
            let fits = move |named: &Named| {
                if exact { named.server.as_str() == server } else { loosely(named.server.as_str(), server) }
            };
            self.entries.iter().filter(move |(_, named)| fits(named))
        };
        let exact = of_server(true).next().is_some();
        let fitting: Vec<_> = of_server(exact).filter(|(_, named)| loosely(&named.item, item)).collect();
        let exactly = fitting.iter().filter(|(_, named)| *named.item == *item);
        match (&*fitting, &*exactly.collect::<Vec<_>>()) {
            ([(_, one)], _) | (_, [(_, one)]) => Ok(one),
            ([], _) => {
                let fits = |named: &Named| match exact {
                    true => named.server.as_str() == server,
                    false => loosely(named.server.as_str(), server),
                };
                Err(Misnamed::unknown(&format!("{server}/{item}"), self.proposed(fits)))
            }
            (several, _) => Err(Misnamed::ambiguous(
                &format!("{server}/{item}"),
                several.iter().map(|(unique, _)| &**unique),
            )),
        }
    }

    fn entry(&self, server: &str, item: &str) -> Option<&(Box<str>, Named)> {
        let place =
            |(_, named): &(Box<str>, Named)| (named.server.as_str(), &*named.item).cmp(&(server, item));
        self.entries.binary_search_by(place).ok().map(|position| &self.entries[position])
    }

    /// All names, in the order of server and tool.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Named)> {
        self.entries.iter().map(|(unique, named)| (&**unique, named))
    }
}

/// The names of these pairs, which are sorted.
fn assign(naming: Naming, pairs: &[&Named]) -> Vec<Box<str>> {
    let mut same: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (position, pair) in pairs.iter().enumerate() {
        same.entry(naming.candidate(pair)).or_default().push(position);
    }
    let mut names: Vec<Option<Box<str>>> = vec![None; pairs.len()];
    let mut taken = BTreeSet::new();
    for (candidate, positions) in same {
        let owner = positions.iter().copied().find(|at| naming.reads_as(&candidate, pairs[*at]));
        let alone = (positions.len() == 1).then(|| positions[0]);
        if naming.fits(&candidate)
            && let Some(keeper) = owner.or(alone)
        {
            taken.insert(Box::from(&*candidate));
            names[keeper] = Some(candidate.into());
        }
    }
    let named = names.into_iter().zip(pairs).map(|(name, pair)| {
        name.unwrap_or_else(|| {
            // Endless, and yet soon over: only as many names are taken as there are pairs.
            let mut again = 0;
            loop {
                let suffixed = Box::from(naming.suffixed(pair, again));
                if taken.insert(Box::clone(&suffixed)) {
                    return suffixed;
                }
                again += 1;
            }
        })
    });
    named.collect()
}

/// A name in which `-` and `_` are the same.
fn loosened(name: &str) -> String {
    name.replace('-', "_")
}

/// A server's or tool's own name, likewise.
fn part(name: &str) -> String {
    loosened(&naming::sanitised(name))
}
