//! Unique names for the tools or prompts of all servers.

mod naming;
mod rewrite;
mod uris;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

pub use naming::Naming;
pub use rewrite::Rewrite;
pub use uris::Uris;

use rmcp::model::Tool;

use crate::ServerName;

/// The unique names of the tools or prompts of all servers, and the way back.
///
/// A [`Naming`] defines the format of names. They consist of letters, digits, `-` and `_`, and start with a letter or
/// `_`.
/// If two pairs have the same name, the pair that parsing the name returns keeps it: the name contains server and tool
/// literally, and the first separator ends the server.
/// All others get a suffix, `_` and 12 digits of the SHA-256 of server and tool, and so do names that were cut.
///
/// The names depend on the set of pairs, and not on their order or history.
/// When a server is added or removed, only colliding names change.
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
    /// Sorted by pair.
    entries: Vec<(Box<str>, Named)>,
    by_name: HashMap<Box<str>, usize>,
    /// Names with `-` replaced by `_`.
    loose: Index,
    /// Names that a pair would have with or without the others, with the same replacement.
    otherwise: Index,
    /// Unusable pairs: their names are understood, but not suggested.
    hidden: BTreeSet<usize>,
}

/// A tool or a prompt of a server.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_structs, reason = "it is a pair")]
pub struct Named {
    /// The configured name of the server.
    pub server: ServerName,
    /// The name of the tool or prompt on its server.
    pub item: Arc<str>,
}

/// A tool with its unique name.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct NamedTool {
    /// The unique name for models.
    pub name: Arc<str>,
    /// Its server.
    pub server: ServerName,
    /// The tool as its server describes it, with its name on the server.
    pub tool: Tool,
}

impl NamedTool {
    /// Creates a tool of a server with a unique name.
    pub fn new(name: impl Into<Arc<str>>, server: impl Into<ServerName>, tool: Tool) -> Self {
        Self { name: name.into(), server: server.into(), tool }
    }
}

type Index = HashMap<String, BTreeSet<usize>>;

impl Names {
    /// Creates names for pairs of a server and an item. Duplicate pairs count once.
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

    /// Marks names that are understood, but never suggested.
    pub fn hiding(mut self, hides: impl Fn(&Named) -> bool) -> Self {
        let hidden = self.entries.iter().enumerate().filter(|(_, (_, named))| hides(named));
        self.hidden = hidden.map(|(position, _)| position).collect();
        self
    }

    /// Returns the names to suggest, with their items.
    fn proposed(&self) -> impl Iterator<Item = (&str, &str)> {
        let shown = self.entries.iter().enumerate().filter(|(position, _)| !self.hidden.contains(position));
        shown.map(|(_, (unique, named))| (&**unique, &*named.item))
    }

    /// Returns the unique name of a pair; `None` for an unknown pair.
    pub fn unique(&self, server: &str, item: &str) -> Option<&str> {
        let place =
            |(_, named): &(Box<str>, Named)| (named.server.as_str(), &*named.item).cmp(&(server, item));
        let position = self.entries.binary_search_by(place).ok()?;
        Some(&self.entries[position].0)
    }

    /// Returns the pair with exactly this unique name.
    pub fn find(&self, unique: &str) -> Option<&Named> {
        self.by_name.get(unique).map(|position| &self.entries[*position].1)
    }

    /// Returns the pair for a name as a model spells it: the exact name, or the only similar one, with `-` and `_` exchanged.
    ///
    /// A name that a pair had before or during a collision is accepted if it is unambiguous.
    ///
    /// # Errors
    ///
    /// [`Misnamed`] with suggestions if no name or several names match.
    pub fn spelt(&self, name: &str) -> Result<&Named, Misnamed> {
        if let Some(found) = self.find(name) {
            return Ok(found);
        }
        let key = loosened(name);
        let found = self.loose.get(&key).or_else(|| self.otherwise.get(&key));
        match found.map(|positions| positions.iter().copied().collect::<Vec<_>>()).as_deref() {
            Some([one]) => Ok(&self.entries[*one].1),
            Some(several) => Err(Misnamed::ambiguous(name, several.iter().map(|at| &*self.entries[*at].0))),
            None => Err(Misnamed::unknown(name, self.proposed())),
        }
    }

    /// Returns all names sorted by pair.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Named)> {
        self.entries.iter().map(|(unique, named)| (&**unique, named))
    }
}

/// An unknown or ambiguous name. The message suggests names to a model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Misnamed {
    /// No pair has this name.
    #[error("nothing is called `{name}`; {}", known(near, *of))]
    Unknown {
        /// The requested name.
        name: String,
        /// A few similar unique names.
        near: Vec<String>,
        /// The number of names.
        of: usize,
    },
    /// Several names match, and none exactly.
    #[error("`{name}` could be any of {}: say which", listed(fitting))]
    Ambiguous {
        /// The requested name.
        name: String,
        /// The matching unique names.
        fitting: Vec<String>,
    },
}

impl Misnamed {
    /// Creates an error with suggestions from all unique names and their items.
    fn unknown<'a>(name: &str, all: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let meant = loosened(name).to_lowercase();
        let holds = |long: &str, short: &str| short.len() > 2 && long.contains(short);
        let (mut near, mut others, mut of) = (Vec::new(), Vec::new(), 0);
        for (unique, item) in all {
            of += 1;
            let (unique_key, item) = (loosened(unique).to_lowercase(), loosened(item).to_lowercase());
            match holds(&meant, &item) || holds(&unique_key, &meant) {
                true if near.len() < FEW => near.push(unique.to_owned()),
                false if others.len() < FEW => others.push(unique.to_owned()),
                _ => {}
            }
        }
        Self::Unknown { name: name.to_owned(), near: if near.is_empty() { others } else { near }, of }
    }

    fn ambiguous<'a>(name: &str, fitting: impl Iterator<Item = &'a str>) -> Self {
        Self::Ambiguous { name: name.to_owned(), fitting: fitting.map(str::to_owned).collect() }
    }
}

fn known(near: &[String], of: usize) -> String {
    match (near, of) {
        ([], _) => "there is nothing".to_owned(),
        (near, of) if near.len() == of => format!("there is {}", listed(near)),
        (near, of) => format!("there are {of}, among them {}", listed(near)),
    }
}

fn listed(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Assigns names to sorted pairs.
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
            // Terminates: at most as many names are in use as there are pairs.
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

/// Replaces `-` by `_`.
fn loosened(name: &str) -> String {
    name.replace('-', "_")
}

/// The limit of suggestions.
const FEW: usize = 8;
