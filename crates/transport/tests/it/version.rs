//! Parsing and comparing versions.

use agentwire_transport::process::CliVersion;

fn check(text: &str, expect: Option<(u32, u32, u32)>) {
    let found = CliVersion::parse(text).map(|version| (version.major, version.minor, version.patch));
    assert_eq!(found, expect, "{text:?}");
}

#[test]
fn output_of_the_cli_is_parsed() {
    check("2.1.330 (Claude Code)\n", Some((2, 1, 330)));
    check("2.1.330", Some((2, 1, 330)));
    check("2.2.0-beta.1", Some((2, 2, 0)));
    check("10.0.4294967295", Some((10, 0, u32::MAX)));
}

#[test]
fn other_text_is_rejected() {
    for text in
        ["", "2", "2.1", "2.1.", "2..1", ".2.1", "2.1.3.4", "2.1.3x", "v2.1.3", "2.1.4294967296", "bash: no"]
    {
        check(text, None);
    }
}

#[test]
fn versions_compare_by_number() {
    let version = |text| CliVersion::parse(text).unwrap();
    assert!(version("2.1.30") < version("2.1.200"));
    assert!(version("2.1.330") >= CliVersion::MIN);
    assert!(CliVersion::MIN > version("0.0.0"));
    assert_eq!(version("2.1.330").to_string(), "2.1.330");
}
