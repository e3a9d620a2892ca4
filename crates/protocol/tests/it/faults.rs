//! Properties of broken messages, for every fixture: a fault has the same path in any field order, and new fields and
//! strings are not faults.

use std::sync::LazyLock;

use agentwire_protocol::{Message, decode::decode};
use proptest::prelude::*;

use crate::{messages::known_fixtures, properties::shuffle, tagged::Union, tree::Tree};

proptest! {
    #![proptest_config(ProptestConfig { cases: 4 * ProptestConfig::default().cases, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn fault_has_the_same_path_in_any_field_order(
        line in any::<prop::sample::Index>(),
        at in any::<prop::sample::Index>(),
        change in prop::sample::select(CHANGES),
        seed in any::<u64>(),
    ) {
        let mut tree = known(&line);
        let mut at = at.index(count(&tree));
        change_at(&mut tree, &mut at, &mut |value| change(value));
        let mut in_order = 0;
        let text = shuffle(&tree, &mut in_order);
        let shuffled = shuffle(&tree, &mut seed.clone());
        let (expected, found) = (decode::<Message>(&text), decode::<Message>(&shuffled));
        let (Err(expected), Err(found)) = (&expected, &found) else {
            prop_assert_eq!(expected.is_err(), found.is_err(), "{} {}", text, shuffled);
            return Ok(());
        };
        prop_assert_eq!(found.reason(), expected.reason(), "{} {}", text, shuffled);
        prop_assert_eq!(found.path(), expected.path(), "{} {}", text, shuffled);
        // Both positions follow the same value, or the same object with its fields in another order.
        let last = |text: &str, offset: usize| text[..offset].chars().next_back();
        prop_assert_eq!(last(&shuffled, found.offset()), last(&text, expected.offset()), "{} {}", text, shuffled);
    }

    #[test]
    fn new_fields_and_new_strings_are_not_faults(
        line in any::<prop::sample::Index>(),
        at in any::<prop::sample::Index>(),
        field in prop::sample::select(NEW),
    ) {
        let mut tree = known(&line);
        let whole = decode::<Message>(&shuffle(&tree, &mut 0)).unwrap();
        let (mut at, mut new_text) = (at.index(count(&tree)), false);
        change_at(&mut tree, &mut at, &mut |value| match value {
            Tree::Object(fields) => fields.push(("later".to_owned(), Tree::of(field))),
            Tree::Text(text) => {
                "new".clone_into(text);
                new_text = true;
            }
            Tree::List(_) | Tree::Word(_) => {}
        });
        let text = shuffle(&tree, &mut 0);
        let message = decode::<Message>(&text);
        if message.as_ref().is_err_and(|error| MAPS.iter().any(|map| error.path().contains(&format!("{map}.later")))) {
            return Ok(());
        }
        prop_assert!(message.is_ok(), "{:?}: {}", message, text);
        let message = message.unwrap();
        let written = serde_json::to_string(&message).unwrap();
        if new_text {
            prop_assert!(written.contains("\"new\""), "{} {}", text, written);
        } else {
            prop_assert_eq!(message.kind_text(), whole.kind_text());
        }
        prop_assert_eq!(decode::<Message>(&written).unwrap(), message, "{}", written);
    }
}

/// A fixture of a known kind.
fn known(index: &prop::sample::Index) -> Tree {
    KNOWN[index.index(KNOWN.len())].clone()
}

static KNOWN: LazyLock<Vec<Tree>> = LazyLock::new(|| {
    let known = known_fixtures();
    known.map(|fixture| Tree::of(&fixture.text)).collect()
});

/// Counts the values in the tree, including the tree itself.
fn count(tree: &Tree) -> usize {
    1 + match tree {
        Tree::List(items) => items.iter().map(count).sum(),
        Tree::Object(fields) => fields.iter().map(|(_, value)| count(value)).sum(),
        Tree::Text(_) | Tree::Word(_) => 0,
    }
}

/// Applies `change` to the value with this index, in the order of [`count`].
fn change_at(tree: &mut Tree, at: &mut usize, change: &mut dyn FnMut(&mut Tree)) {
    if *at == 0 {
        change(tree);
    }
    *at = at.wrapping_sub(1);
    match tree {
        Tree::List(items) => items.iter_mut().for_each(|item| change_at(item, at, change)),
        Tree::Object(fields) => fields.iter_mut().for_each(|(_, value)| change_at(value, at, change)),
        Tree::Text(_) | Tree::Word(_) => {}
    }
}

/// A change of a value.
const CHANGES: &[fn(&mut Tree)] = &[
    |value| *value = Tree::Word("77".to_owned()),
    |value| *value = Tree::Word("null".to_owned()),
    |value| *value = Tree::Word("1e400".to_owned()),
    |value| *value = Tree::Word(r#""\ud83d""#.to_owned()),
    |value| *value = Tree::Text("text".to_owned()),
    |value| *value = Tree::List(Vec::new()),
    |value| *value = Tree::Object(Vec::new()),
    |value| {
        *value = Tree::Object(vec![("type".to_owned(), Tree::Text("text".to_owned()))]);
    },
    |value| *value = Tree::List(vec![value.clone(), Tree::Word("true".to_owned())]),
    |value| match value {
        Tree::Object(fields) => drop(fields.pop()),
        Tree::List(items) => drop(items.pop()),
        Tree::Text(text) => text.push('x'),
        Tree::Word(word) => word.insert(0, '-'),
    },
    |value| {
        if let Tree::Object(fields) = value
            && !fields.is_empty()
        {
            fields.remove(0);
        }
    },
];

/// Maps, in which a new field is a new entry.
const MAPS: &[&str] =
    &["modelUsage", "model_usage", "model_usage_since_last_result", "by_type", "time_to_request_phases_ms"];

/// Unknown fields.
const NEW: &[&str] =
    &["5", "1e400", r#""\ud83d""#, "null", r#"[{"type":5}]"#, r#"{"type":"text","text":5,"a":{},"a":[]}"#];
