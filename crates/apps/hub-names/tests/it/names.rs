//! Unique names, and the way back.

use std::collections::HashSet;

use agentwire_hub_names::{Misnamed, Names, Naming, ServerName};
use proptest::prelude::*;

fn names(naming: Naming, pairs: &[(&str, &str)]) -> Names {
    Names::new(naming, pairs.iter().map(|(server, tool)| (ServerName::from(*server), *tool)))
}

#[test]
fn each_format_contains_server_and_tool() {
    for (naming, unique) in [
        (Naming::default(), "mcp__git__log"),
        (Naming::UNDERSCORES, "mcp__git__log"),
        (Naming::DASHES, "mcp--git--log"),
        (Naming::UNDERSCORE, "mcp_git_log"),
        (Naming::UNDERSCORES.without_prefix(), "git__log"),
        (Naming::UNDERSCORES.without_server(), "mcp__log"),
        (Naming::UNDERSCORES.without_prefix().without_server(), "log"),
    ] {
        assert_eq!(names(naming, &[("git", "log")]).unique("git", "log"), Some(unique));
    }
}

#[test]
fn invalid_characters_become_underscores_and_names_start_with_a_letter() {
    let bare = Naming::default().without_prefix();
    for (naming, server, tool, unique) in [
        (Naming::default(), "my files", "read.all", "mcp__my_files__read_all"),
        (Naming::default(), "@scope/pkg", "größe", "mcp___scope_pkg__gr__e"),
        (Naming::default(), "", "", "mcp______"),
        (bare, "7zip", "list", "_7zip__list"),
        (bare, "-x", "y", "_-x__y"),
    ] {
        assert_eq!(names(naming, &[(server, tool)]).unique(server, tool), Some(unique));
    }
}

#[test]
fn a_colliding_name_belongs_to_the_pair_that_it_parses_as() {
    let pairs = [("a", "b__c"), ("a__b", "c"), ("x y", "t"), ("x.y", "t"), ("x_y", "t")];
    let names = names(Naming::default(), &pairs);
    assert_eq!(names.unique("a", "b__c"), Some("mcp__a__b__c"));
    assert_eq!(names.unique("x_y", "t"), Some("mcp__x_y__t"));
    for (server, tool, start) in
        [("a__b", "c", "mcp__a__b__c_"), ("x y", "t", "mcp__x_y__t_"), ("x.y", "t", "mcp__x_y__t_")]
    {
        let unique = names.unique(server, tool).unwrap();
        let suffix = unique.strip_prefix(start).unwrap();
        assert_eq!(suffix.len(), 12);
        assert!(suffix.bytes().all(|byte| byte.is_ascii_hexdigit()), "{unique}");
    }
}

#[test]
fn names_without_the_server_get_suffixes_on_collision() {
    let naming = Naming::default().without_prefix().without_server();
    let names = names(naming, &[("a", "log"), ("b", "log"), ("b", "x__y")]);
    assert_eq!(names.unique("b", "x__y"), Some("x__y"));
    for server in ["a", "b"] {
        let unique = names.unique(server, "log").unwrap();
        assert!(
            unique.starts_with("log_") && names.find(unique).unwrap().server.as_str() == server,
            "{unique}"
        );
    }
    assert!(matches!(names.spelt("log"), Err(Misnamed::Ambiguous { .. })));
}

#[test]
fn no_pair_keeps_a_name_that_parses_as_no_pair() {
    let names = names(Naming::default(), &[("x y", "t"), ("x.y", "t")]);
    assert!(names.find("mcp__x_y__t").is_none());
    let Err(Misnamed::Ambiguous { fitting, .. }) = names.spelt("mcp__x_y__t") else { panic!("{names:?}") };
    assert_eq!(fitting.len(), 2);
    for name in fitting {
        assert!(names.find(&name).is_some());
    }
}

#[test]
fn long_names_are_cut_and_stay_unique() {
    let long = "t".repeat(80);
    let longer = format!("{long}x");
    let names = names(Naming::default(), &[("s", &long), ("s", &longer)]);
    let [one, other] = [&long, &longer].map(|tool| names.unique("s", tool).unwrap());
    assert_ne!(one, other);
    assert_eq!((one.len(), other.len()), (64, 64));
    let short = Naming::default().without_prefix().at_most(0);
    let short = self::names(short, &[("server", "a_tool_of_some_length")]);
    assert_eq!(short.iter().next().unwrap().0.len(), 24);
}

#[test]
fn dashes_and_underscores_are_interchangeable() {
    let names = names(Naming::default(), &[("my-server", "get_it"), ("s", "a-b"), ("s", "a_b")]);
    for spelt in ["mcp__my-server__get_it", "mcp__my_server__get-it", "mcp--my-server--get-it"] {
        assert_eq!(&*names.spelt(spelt).unwrap().item, "get_it", "{spelt}");
    }
    assert_eq!(&*names.spelt("mcp__s__a-b").unwrap().item, "a-b");
    assert_eq!(&*names.spelt("mcp__s__a_b").unwrap().item, "a_b");
    let error = names.spelt("mcp-_s__a_b").unwrap_err();
    assert!(matches!(error, Misnamed::Ambiguous { .. }));
    let message = error.to_string();
    assert!(message.contains("`mcp__s__a-b`") && message.contains("`mcp__s__a_b`"), "{message}");
}

#[test]
fn a_name_from_before_a_collision_is_accepted() {
    let pairs = [("x y", "t"), ("x.y", "t")];
    let both = names(Naming::default(), &pairs);
    let one = names(Naming::default(), &pairs[..1]);
    let unique = both.unique("x y", "t").unwrap();
    assert_eq!(one.spelt(unique).unwrap().server.as_str(), "x y");
}

#[test]
fn an_unknown_name_gets_suggestions() {
    let many: Vec<String> = (0..30).map(|number| format!("tool{number}")).collect();
    let pairs = many.iter().map(|tool| ("s", tool.as_str())).chain([("s", "search")]);
    let names = names(Naming::default(), &pairs.collect::<Vec<_>>());
    let message = names.spelt("search").unwrap_err().to_string();
    assert!(message.contains("`mcp__s__search`") && !message.contains("tool1"), "{message}");
    let message = names.spelt("zzz").unwrap_err().to_string();
    assert!(message.contains("31") && message.len() < 400, "{message}");
}

fn parts() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ab_.-]{0,4}",
        "[ab_-]{20,40}",
        "\\PC{0,12}",
        Just("mcp".to_owned()),
        Just("a__b".to_owned()),
    ]
}

fn schemes() -> impl Strategy<Value = Naming> {
    let all = vec![Naming::UNDERSCORES, Naming::DASHES, Naming::UNDERSCORE];
    (prop::sample::select(all), any::<bool>(), 0..80usize).prop_map(|(naming, bare, most)| {
        let naming = if bare { naming.without_prefix() } else { naming };
        naming.at_most(most)
    })
}

proptest! {
    #[test]
    fn names_are_unique_short_legal_and_lead_back(
        naming in schemes(),
        pairs in prop::collection::vec((parts(), parts()), 0..40),
    ) {
        let named = |pairs: &[(String, String)]| {
            Names::new(naming, pairs.iter().map(|(server, tool)| (ServerName::from(server.as_str()), tool.as_str())))
        };
        let names = named(&pairs);
        let mut seen = HashSet::new();
        for (server, tool) in &pairs {
            let unique = names.unique(server, tool).unwrap();
            prop_assert!((1..=64).contains(&unique.len()));
            prop_assert!(unique.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)));
            prop_assert!(unique.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_'));
            for found in [names.find(unique), names.spelt(unique).ok()] {
                let found = found.unwrap();
                prop_assert_eq!((found.server.as_str(), &*found.item), (server.as_str(), tool.as_str()));
            }
            seen.insert(unique.to_owned());
        }
        let different: HashSet<_> = pairs.iter().collect();
        prop_assert_eq!(seen.len(), different.len());
        // The order of pairs does not matter.
        let mut turned = pairs.clone();
        turned.reverse();
        let turned = named(&turned);
        prop_assert!(names.iter().eq(turned.iter()));
    }

    #[test]
    fn names_stay_when_a_server_comes_that_collides_with_none(
        pairs in prop::collection::vec((parts(), parts()), 0..20),
        tools in prop::collection::vec("[a-z]{1,10}", 0..5),
    ) {
        let named = |pairs: &[(String, String)]| {
            let pairs = pairs.iter().map(|(server, tool)| (ServerName::from(server.as_str()), tool.as_str()));
            Names::new(Naming::default(), pairs)
        };
        let before = named(&pairs);
        let mut more = pairs.clone();
        more.extend(tools.into_iter().map(|tool| ("newcomer".to_owned(), tool)));
        let after = named(&more);
        for (server, tool) in &pairs {
            prop_assert_eq!(before.unique(server, tool), after.unique(server, tool));
        }
    }
}
