//! The shapes of secrets in any text: one table of patterns, and the names that secrets have.

use std::ops::Range;
use std::sync::LazyLock;

use regex::{Regex, RegexSet, RegexSetBuilder};

use super::{ids, report::SecretKind};

/// Calls `show` for each secret with a known shape in the text.
pub(super) fn find(text: &str, mut show: impl FnMut(SecretKind, Range<usize>)) {
    if text.len() < SHORTEST_TEXT {
        return;
    }
    // Without the patterns, every text may hold a secret.
    let Some(set) = ANY.as_ref() else { return show(SecretKind::Key, 0..text.len()) };
    for (shape, pattern) in set.matches(text).into_iter().filter_map(|index| PATTERNS.get(index)) {
        for captures in pattern.captures_iter(text) {
            let Some(range) = captures.get(captures.len() - 1).map(|part| part.range()) else { continue };
            match shape.then {
                Then::Blank => show(shape.kind, range),
                Then::Random if changes(&text[range.clone()]) >= 12 => show(shape.kind, range),
                Then::Mixed if is_mixed(&text[range.clone()]) => show(shape.kind, range),
                Then::Assigned if is_name(captures.get(1).map_or("", |name| name.as_str())) => {
                    show_value(text, range, |_| true, |range| show(shape.kind, range));
                }
                Then::Claimed => show_value(text, range, is_mixed, |range| show(shape.kind, range)),
                Then::Url => url(&text[range.clone()], |part| {
                    show(shape.kind, range.start + part.start..range.start + part.end);
                }),
                Then::Mixed | Then::Random | Then::Assigned => {}
            }
        }
    }
}

/// Returns whether the name of a JSON key, a variable or an option is that of a secret.
pub(super) fn names_a_secret(name: &str) -> bool {
    is_name(name) && NAME.as_ref().is_none_or(|pattern| pattern.is_match(name))
}

/// Returns whether a text in a place of secrets may stay: too short, a stand-in, or a word such as `null`.
pub(super) fn is_harmless(value: &str) -> bool {
    value.chars().count() < SHORTEST || is_stand_in(value) || WORDS.contains(&value)
}

fn is_stand_in(value: &str) -> bool {
    let number = value.strip_prefix("<redacted-").and_then(|rest| rest.strip_suffix('>'));
    value == "<prose>" || number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Shows the value that follows the name of a secret: within quotes, or up to the next blank or quote.
fn show_value(text: &str, after: Range<usize>, fits: fn(&str) -> bool, show: impl FnOnce(Range<usize>)) {
    let rest = &text[after.end..];
    let slashes = rest.bytes().take_while(|byte| *byte == b'\\').count();
    let quote = rest.as_bytes().get(slashes).copied().filter(|byte| b"\"'`".contains(byte));
    let (start, length) = match quote {
        Some(quote) => (slashes + 1, quoted(&rest[slashes + 1..], quote, slashes)),
        None => (0, bare(rest)),
    };
    let value = &rest[start..start + length];
    let is_reference = value.strip_prefix('$').is_some_and(|name| {
        let name = name.strip_prefix('{').and_then(|name| name.strip_suffix('}')).unwrap_or(name);
        name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
    });
    if !is_harmless(value) && !is_reference && (quote.is_some() || fits(value)) {
        show(after.end + start..after.end + start + length);
    }
}

/// Returns the length of a quoted value: up to the same quote after as many backslashes, or the end of the line.
fn quoted(text: &str, quote: u8, slashes: usize) -> usize {
    let mut before = 0;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'\n' => return at,
            byte if byte == quote && before == slashes => return at - slashes,
            b'\\' => before += 1,
            _ => before = 0,
        }
    }
    text.len()
}

/// Returns the length of a value without quotes.
fn bare(text: &str) -> usize {
    let end = text.find(|char: char| char.is_whitespace() || "\"'`".contains(char)).unwrap_or(text.len());
    let end = text[..end].find("</").unwrap_or(end);
    text[..end].trim_end_matches([')', ']', '}', ',', ';', '.', '\\']).len()
}

/// Shows the user info, the values of query and fragment, and random segments of the path.
fn url(url: &str, mut show: impl FnMut(Range<usize>)) {
    let Some((scheme, rest)) = url.split_once("//") else { return };
    let base = scheme.len() + 2;
    let mut authority = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let is_web = scheme.is_empty() || scheme.starts_with("http") || scheme.starts_with("ws");
    // Connection strings often hold passwords that are not encoded.
    if let Some(at) = rest.rfind('@').filter(|at| !is_web && rest[..*at].contains(':')) {
        authority = authority.max(at + 1);
    }
    if let Some(at) = rest[..authority].rfind('@').filter(|at| !is_harmless(&rest[..*at])) {
        show(base..base + at);
    }
    let path = url[base + authority..].find(['?', '#']).map_or(url.len(), |at| base + authority + at);
    let mut at = base + authority;
    for part in url[at..path].split_inclusive('/') {
        let segment = part.trim_end_matches('/');
        if !scheme.is_empty() && is_random(segment) {
            show(at..at + segment.len());
        }
        at += part.len();
    }
    for part in url[path..].split_inclusive(['?', '#', '&', ';']) {
        let item = part.trim_end_matches(['?', '#', '&', ';']);
        // Base64 without a name ends in `=`.
        let name =
            item.find('=').filter(|at| !item[*at..].trim_matches('=').is_empty()).map_or(0, |at| at + 1);
        let is_anchor = name == 0 && url[..at].ends_with('#');
        if !is_anchor && !is_harmless(&item[name..]) {
            show(at + name..at + item.len());
        }
        at += part.len();
    }
}

/// Returns whether a segment of a path looks random.
fn is_random(segment: &str) -> bool {
    let [upper, lower, digits] = classes(segment);
    let is_uuid = ids::uuid_at(segment.as_bytes()).is_some();
    let is_mixed = upper > 0 && lower > 0 && segment.len() >= 16;
    !is_uuid && digits > 0 && (is_mixed || (upper + lower > 0 && segment.len() >= 32))
}

/// Returns whether a text has digits, capitals or signs that no word has.
fn is_mixed(text: &str) -> bool {
    let [upper, lower, digits] = classes(text);
    let signs = text
        .trim_matches(|char: char| !char.is_alphanumeric())
        .contains(['!', '#', '$', '%', '&', '*', '+', '=', '@', '^']);
    // A capital at the start alone begins a sentence.
    let is_capital = upper > 1 && lower > 0;
    digits > 0 || is_capital || signs || text.len() >= 24
}

/// Returns how often capitals, small letters, digits and signs alternate: in names and paths they rarely do.
fn changes(text: &str) -> usize {
    let class = |byte: &u8| match byte {
        b'A'..=b'Z' => 0,
        b'a'..=b'z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    let is_hex = text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let pairs = text.as_bytes().windows(2).filter(|pair| class(&pair[0]) != class(&pair[1]));
    if is_hex { 0 } else { pairs.count() }
}

fn classes(text: &str) -> [usize; 3] {
    let count = |is: fn(&u8) -> bool| text.bytes().filter(is).count();
    [count(u8::is_ascii_uppercase), count(u8::is_ascii_lowercase), count(u8::is_ascii_digit)]
}

/// Returns whether a name with a word for secrets is the name of a secret itself, such as `api_key` and not
/// `key_count`.
fn is_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let rest = name.trim_end_matches(['"', '\'', '`', '\\', ']', ' ', '\t', '-', '_']);
    !rest.ends_with("progresstoken") && !ABOUT.iter().any(|ending| rest.ends_with(ending))
}

/// One row of the table: the last group of the pattern is the place. Classes are ASCII: `regex` has no Unicode tables.
struct Shape {
    kind: SecretKind,
    then: Then,
    pattern: &'static str,
}

/// The treatment of a match.
#[derive(Clone, Copy)]
enum Then {
    /// It is the secret.
    Blank,
    /// It is the secret if it does not read as a word.
    Mixed,
    /// It is the secret if it looks random.
    Random,
    /// The secret follows it, if the name in the first group is one of a secret.
    Assigned,
    /// The secret follows it, if it does not read as a word.
    Claimed,
    /// It is a URL.
    Url,
}

const fn shape(kind: SecretKind, then: Then, pattern: &'static str) -> Shape {
    Shape { kind, then, pattern }
}

/// The words for a secret, as they stand in names.
macro_rules! words {
    () => {
        r"(?:(?:(?i-u:passw(?:or)?d|pass[_-]?phrase|passcode|pwd|secret|token|credential|_auth|connection[_-]?string|(?:api|app|access|account|auth|client|deploy|encryption|license|master|private|secret|service|session|shared|signing|ssh|subscription)(?:[_.-][a-z0-9]{1,20}){0,3}[ _.-]?key|(?-u:\b)x-[a-z0-9-]{0,40}key)(?:[_-][A-Za-z0-9_-]{1,40}|[0-9]{1,4}|[A-Z][A-Za-z0-9]{1,30})?)|(?:(?i-u:[_-]pass)|[A-Z0-9]{1,40}PASS|[A-Z0-9]_PAT|(?-u:\b)PW)(?:[_-]?[0-9]{1,4})?(?-u:\b)|[\x22']pass[\x22'])"
    };
}

#[rustfmt::skip]
const SHAPES: &[Shape] = {
    use SecretKind::{Field, Header, Key, PrivateKey, Url, WebToken};
    &[
        shape(PrivateKey, Then::Blank, r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----(?s:.)*?(?:-----END [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----|$)"),
        shape(PrivateKey, Then::Blank, r"(?:^|[^A-Za-z0-9+/])((?:MII[A-Za-z0-9+/]|MHcCAQ|MHQCAQ|MIGHAgE|MIGTAgE|MC4CAQAw|b3BlbnNzaC1rZXkt|LS0tLS1CRUdJTi)[A-Za-z0-9+/=\r\n]{24,})"),
        shape(PrivateKey, Then::Blank, r"MII[A-Z][A-Za-z0-9+/]{2}IBA[A-Za-z0-9+/=\r\n]{24,}|AGE-SECRET-KEY-1[0-9A-Z]{20,}"),
        shape(WebToken, Then::Blank, r"eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}(?:\.[A-Za-z0-9_-]*)*"),
        shape(Key, Then::Blank, r"sk-(?:ant|proj|or|svcacct|admin|lf)-[A-Za-z0-9_-]{6,}"),
        shape(Key, Then::Mixed, r"(?:^|[^A-Za-z0-9])(sk-[A-Za-z0-9_-]{16,}|fc-[a-f0-9]{32}|ATBB[A-Za-z0-9]{24,}|[a-f0-9]{32}-us[0-9]{1,2})"),
        shape(Key, Then::Mixed, r"sk-[A-Za-z0-9]{20,}"),
        shape(Key, Then::Blank, r"(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA|AGPA|AIDA|AROA|AIPA|ANPA|ANVA|APKA)[A-Z0-9]{16}(?:[^A-Za-z0-9+]{1,3}[A-Za-z0-9/+]{40})?"),
        shape(Key, Then::Random, r"(?:^|[^A-Za-z0-9/+=])([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)"),
        shape(Key, Then::Blank, r"gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{16,}|gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|soat|ffct|oas)-[A-Za-z0-9_-]{12,}|GR1348941[A-Za-z0-9_-]{16,}"),
        shape(Key, Then::Blank, r"xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{8,}|xapp-[A-Za-z0-9-]{8,}|hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_-]+"),
        shape(Key, Then::Blank, r"AIza[A-Za-z0-9_-]{30,}|ya29\.[A-Za-z0-9_-]{8,}|GOCSPX-[A-Za-z0-9_-]{16,}|1//0[A-Za-z0-9_-]{20,}"),
        shape(Key, Then::Blank, r"npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{16,}|rubygems_[a-f0-9]{32,}|dckr_(?:pat|oat)_[A-Za-z0-9_-]{16,}"),
        shape(Key, Then::Blank, r"[spr]k_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{16,}|sq0[a-z]{3}-[A-Za-z0-9_-]{20,}|shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}"),
        shape(Key, Then::Blank, r"hf_[A-Za-z0-9]{30,}|gsk_[A-Za-z0-9]{30,}|xai-[A-Za-z0-9]{30,}|pplx-[A-Za-z0-9]{30,}|r8_[A-Za-z0-9]{30,}|nvapi-[A-Za-z0-9_-]{30,}"),
        shape(Key, Then::Blank, r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|SK[a-f0-9]{32}|key-[a-f0-9]{32}|[0-9]{8,10}:AA[A-Za-z0-9_-]{33}|[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}"),
        shape(Key, Then::Blank, r"do[opr]_v1_[a-f0-9]{32,}|dapi[a-f0-9]{32}|hv[sbr]\.[A-Za-z0-9_-]{20,}|lin_api_[A-Za-z0-9]{20,}|ntn_[A-Za-z0-9]{20,}|fig[dp]_[A-Za-z0-9_-]{20,}|gl(?:sa|c)_[A-Za-z0-9+/=_]{20,}|NRAK-[A-Z0-9]{20,}|pscale_[a-z]+_[A-Za-z0-9_-]{20,}|sbp_[a-f0-9]{32,}|dp\.[a-z]+\.[A-Za-z0-9]{30,}|ATATT3[A-Za-z0-9_=-]{20,}|HRKU-[A-Za-z0-9-]{20,}|pul-[a-f0-9]{32,}|[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{30,}|sntry[su]_[A-Za-z0-9_=+/-]{20,}|tskey-[A-Za-z0-9-]{16,}|PMAK-[A-Za-z0-9-]{20,}|CFPAT-[A-Za-z0-9_-]{20,}|sb_secret_[A-Za-z0-9_-]{20,}|tvly-[A-Za-z0-9-]{20,}|nfp_[A-Za-z0-9]{30,}|[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}"),
        shape(Header, Then::Mixed, r"(?i-u:bearer|basic)[ \t]+([A-Za-z0-9._~+/=-]{6,})"),
        shape(Header, Then::Blank, r"(?i-u:(?:proxy-)?authorization)[\\\x22']{0,8}[ \t]*[:=][ \t]*[\\\x22']{0,8}((?i-u:digest)[^\r\n]{3,}|[^\r\n\x22'`<]{3,})"),
        shape(Header, Then::Blank, r"(?i-u:cookie2?)[\\\x22']{0,8}[ \t]*:[ \t]*[\\\x22']{0,8}([^ =\r\n\x22'`<]+=[^\r\n\x22'`<]{3,})"),
        shape(Header, Then::Blank, r"(?:--cookie[ =]|(?-u:\b)curl[ \t](?:[^\r\n;|&<]*?[ \t])??-b)[ \t]*[\\\x22']{0,8}([^ =\r\n\x22'`<]+=[^ ;\r\n\x22'`<]+(?:; ?[^ =;\r\n\x22'`<]+=[^ ;\r\n\x22'`<]+)*)"),
        shape(Url, Then::Url, r"(?:[A-Za-z][A-Za-z0-9+.-]{0,20}:)?//(?:[^\t-\r \x22'<>`\\]|<redacted-[0-9]+>|<prose>)+"),
        shape(Field, Then::Assigned, concat!("(", words!(), r"[\\\x22'`\]]{0,8})[ \t]*(?::?[ \t]*(?:Option(?:al)?[<\[])?&?(?:'static )?(?:str|[Ss]tring)[>\]?]?(?: \| (?:null|None|undefined))?[ \t]*=|[:=]=?=?>?|>)[ \t]*()")),
        shape(Field, Then::Assigned, concat!(r"--?([A-Za-z0-9-]{0,40}", words!(), r")[ \t]+()")),
        shape(Field, Then::Claimed, concat!(words!(), r"[ \t]+(?i-u:is|was|equals)[ \t]*:?[ \t]+()")),
        shape(Field, Then::Claimed, r"(?i-u:password|identified[ \t]+by)[ \t]+()\\*[\x22'][^\x22'\r\n<]{3,}[\x22']"),
        shape(Field, Then::Blank, r"(?i-u:login)[ \t]+[^ \t\r\n]+[ \t\r\n]+(?i-u:password)[ \t]+([^ \t\r\n<]{3,})"),
        shape(Field, Then::Blank, r"(?:-u|--user|--proxy-user)[ \t=]*[\x22']?[^ \t\r\n\x22':]+:([^ \t\r\n\x22'<]{3,})"),
        shape(Field, Then::Blank, r"(?-u:\b)sshpass[ \t]+-p[ \t]?[\x22']?([^ \t\r\n\x22'<]{3,})"),
        shape(Field, Then::Blank, r"(?-u:\b)(?:docker|podman) login[ \t](?:[^\r\n;|&<]*?[ \t])??-p[ \t]?[\x22']?([^ \t\r\n\x22'<]{3,})"),
        shape(Field, Then::Blank, r"(?-u:\b)mysql(?:dump|admin)?[ \t](?:[^\r\n;|&<]*?[ \t])??-p[\x22']?([^ \t\r\n\x22'<]{3,})"),
        shape(Field, Then::Blank, r"(?-u:\b)(?:echo|printf)[ \t]+(?:-n[ \t]+|[\x22']?%s(?:\\n)?[\x22']?[ \t]+)?[\x22']?([^ \t\r\n\x22'|<$`]{3,})[\x22']?[ \t]*\|[ \t]*(?:(?:sudo[ \t]+)?(?:ch)?passwd|sudo[ \t]+-S|[^\r\n|;&<]*--(?:password-stdin|with-token|passphrase-fd))"),
        shape(Field, Then::Assigned, r"key=[\x22']((?i-u)[a-z0-9_.:-]{0,40}(?:password|apikey|token|secret))[\x22'][ \t]+value=()"),
        shape(Field, Then::Blank, r"\$(?:2[aby]|5|6|y|argon2(?:id?|d))\$[./+A-Za-z0-9$=,]{20,}"),
        shape(Field, Then::Blank, r"[?&](?i-u:code|state|sig|signature|key|session|sid|auth|assertion|ticket)=([^&#\t-\r \x22'<>`]{3,})"),
    ]
};

static PATTERNS: LazyLock<Vec<(&'static Shape, Regex)>> = LazyLock::new(|| {
    SHAPES.iter().filter_map(|shape| Some((shape, Regex::new(shape.pattern).ok()?))).collect()
});

/// All patterns at once: most texts match none. With less memory the same states are built again and again.
static ANY: LazyLock<Option<RegexSet>> = LazyLock::new(|| {
    RegexSetBuilder::new(SHAPES.iter().map(|shape| shape.pattern)).dfa_size_limit(64 << 20).build().ok()
});

static NAME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        "(?:",
        words!(),
        r"|(?i-u:passwords|secrets|tokens|credentials|cookies?|authorization|^auth|^pass|dsn))$"
    ))
    .ok()
});

/// Endings of names that concern a secret but do not contain one.
const ABOUT: &[&str] = &[
    "budget", "bypass", "compass", "count", "file", "length", "limit", "name", "path", "source", "type",
    "usage",
];

/// Words that replace a secret in code and schemas.
#[rustfmt::skip]
const WORDS: &[&str] = &[
    "null", "none", "None", "nil", "undefined", "true", "false", "True", "False", "string", "String", "str", "&str",
];

/// The length of the shortest value that counts as a secret, in characters.
const SHORTEST: usize = 3;
/// No shape is shorter, in bytes.
const SHORTEST_TEXT: usize = 7;

#[cfg(test)]
mod tests {
    use super::{ANY, NAME, PATTERNS, SHAPES};

    #[test]
    fn every_pattern_compiles() {
        assert!(NAME.is_some() && ANY.is_some());
        assert_eq!(PATTERNS.len(), SHAPES.len());
    }
}
