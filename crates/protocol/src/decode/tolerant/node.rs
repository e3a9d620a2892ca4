//! A JSON text from which members and elements can be set aside.

use std::{borrow::Cow, collections::HashSet, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, SeqAccess, Visitor},
};
use serde_json::value::RawValue;

use super::{Step, UNREAD};

/// A value of the text, expanded as far as needed.
pub(super) struct Node<'a> {
    text: &'a str,
    state: State<'a>,
}

enum State<'a> {
    /// The original text, not expanded.
    Whole,
    /// An object that is read as an unknown kind.
    Unread,
    SetAside,
    Object(Vec<(Cow<'a, str>, Node<'a>)>),
    List(Vec<Node<'a>>),
}

/// A part that was set aside.
pub(super) struct SetAside<'a> {
    /// The path in the original text.
    pub(super) path: Vec<Step>,
    pub(super) value: &'a str,
    /// Whether a later member has the same name.
    pub(super) is_repeated: bool,
}

impl<'a> Node<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, state: State::Whole }
    }

    /// Sets aside the part that prevents the value at `path` below this node from being read; `path` does not count
    /// parts set aside before. `above` is the path of this node.
    ///
    /// Returns `None` if nothing can be set aside there.
    pub(super) fn set_aside(
        &mut self,
        path: &[Step],
        mut above: Vec<Step>,
        may_miss: &impl Fn(&[Step]) -> bool,
    ) -> Option<SetAside<'a>> {
        let Some((step, below)) = path.split_first() else {
            return self.set_aside_here(above, may_miss);
        };
        self.expand();
        match (&mut self.state, step) {
            (State::Object(members), Step::Key(name)) => {
                above.push(step.clone());
                if members.iter().filter(|(other, node)| other == name && node.is_there()).count() > 1 {
                    let value = keep_last(members, name, may_miss(&above))?;
                    return Some(SetAside { path: above, value, is_repeated: true });
                }
                let (_, node) = members.iter_mut().find(|(other, node)| other == name && node.is_there())?;
                node.set_aside(below, above, may_miss)
            }
            (State::List(items), Step::Index(index)) => {
                let mut there = items.iter_mut().enumerate().filter(|(_, item)| item.is_there());
                let (index, node) = there.nth(*index)?;
                above.push(Step::Index(index));
                node.set_aside(below, above, may_miss)
            }
            _ => None,
        }
    }

    fn set_aside_here(
        &mut self,
        mut path: Vec<Step>,
        may_miss: &impl Fn(&[Step]) -> bool,
    ) -> Option<SetAside<'a>> {
        self.expand();
        if let State::Object(members) = &mut self.state
            && let Some(name) = repeated(members)
        {
            path.push(Step::Key(name.clone()));
            if let Some(value) = keep_last(members, &name, may_miss(&path)) {
                return Some(SetAside { path, value, is_repeated: true });
            }
            path.pop();
        }
        if path.is_empty() || !may_miss(&path) {
            return None;
        }
        self.state = match self.state {
            State::Object(_) => State::Unread,
            _ => State::SetAside,
        };
        Some(SetAside { path, value: self.text, is_repeated: false })
    }

    fn is_there(&self) -> bool {
        !matches!(self.state, State::SetAside)
    }

    /// Expands an object or a list that has at most [`MAX_PARTS`] parts.
    fn expand(&mut self) {
        if matches!(self.state, State::Whole)
            && let Ok(Parts(state)) = serde_json::from_str(self.text)
        {
            self.state = state;
        }
    }

    /// Returns the text without the parts that were set aside.
    pub(super) fn write(&self, out: &mut String) {
        match &self.state {
            State::Whole => out.push_str(self.text),
            State::Unread => out.extend(["{\"", UNREAD.as_str(), "\":", self.text, "}"]),
            State::SetAside => {}
            State::Object(members) => {
                out.push('{');
                let mut separator = "";
                for (name, node) in members.iter().filter(|(_, node)| node.is_there()) {
                    out.extend([separator, &serde_json::Value::from(&**name).to_string(), ":"]);
                    node.write(out);
                    separator = ",";
                }
                out.push('}');
            }
            State::List(items) => {
                out.push('[');
                let mut separator = "";
                for node in items.iter().filter(|node| node.is_there()) {
                    out.push_str(separator);
                    node.write(out);
                    separator = ",";
                }
                out.push(']');
            }
        }
    }
}

/// Returns a name that occurs more than once.
fn repeated(members: &[(Cow<'_, str>, Node<'_>)]) -> Option<String> {
    let mut seen = HashSet::new();
    let mut there = members.iter().filter(|(_, node)| node.is_there());
    there.find(|(name, _)| !seen.insert(&**name)).map(|(name, _)| name.clone().into_owned())
}

/// Keeps the last member of a name. Returns `None` if the values differ and must not be dropped.
fn keep_last<'a>(members: &mut [(Cow<'a, str>, Node<'a>)], name: &str, may_miss: bool) -> Option<&'a str> {
    let mut same = members.iter_mut().rev().map(|(other, node)| (&**other == name, node));
    let (_, last) = same.find(|(is_same, node)| *is_same && node.is_there())?;
    let mut value = None;
    for (_, node) in same.filter(|(is_same, _)| *is_same) {
        if !may_miss && node.text != last.text {
            return None;
        }
        node.state = State::SetAside;
        value = Some(node.text);
    }
    value
}

/// The parts of an object or a list; deserializing fails above [`MAX_PARTS`].
struct Parts<'a>(State<'a>);

impl<'de> Deserialize<'de> for Parts<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PartsVisitor)
    }
}

struct PartsVisitor;

impl<'de> Visitor<'de> for PartsVisitor {
    type Value = Parts<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or a list")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Parts<'de>, A::Error> {
        let mut members = Vec::new();
        while let Some((name, value)) = map.next_entry::<Name<'de>, &RawValue>()? {
            members.push((name.0, Node::new(value.get())));
            few(members.len())?;
        }
        Ok(Parts(State::Object(members)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Parts<'de>, A::Error> {
        let mut items = Vec::new();
        while let Some(value) = list.next_element::<&RawValue>()? {
            items.push(Node::new(value.get()));
            few(items.len())?;
        }
        Ok(Parts(State::List(items)))
    }
}

fn few<E: Error>(parts: usize) -> Result<(), E> {
    if parts > MAX_PARTS { Err(E::custom("too many parts")) } else { Ok(()) }
}

/// A name, borrowed if it has no escapes.
#[derive(Deserialize)]
#[serde(transparent)]
pub(crate) struct Name<'a>(#[serde(borrow)] pub(crate) Cow<'a, str>);

/// The maximum number of parts to expand: a node takes more memory than a short text.
const MAX_PARTS: usize = 100_000;
