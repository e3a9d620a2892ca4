//! Texts that are replaced anywhere: paths, UUIDs, times, ports.

use std::ops::Range;

use super::{
    find::{self, Find, With},
    ids::{self, Numbers, STABLE_DAY, STABLE_UUID},
};

/// Replaces texts, and remembers the replacement of each.
#[derive(Debug, Default)]
pub(super) struct Words<'a> {
    /// The longest first.
    paths: Vec<&'a (String, String)>,
    /// Ids that the CLI made up, in the order of first sight.
    made_up: Vec<String>,
    uuids: Numbers,
    strays: Numbers,
    times: Numbers,
}

impl<'a> Words<'a> {
    pub(super) fn new(paths: &'a [(String, String)]) -> Self {
        let mut paths: Vec<&(String, String)> = paths.iter().collect();
        paths.sort_by_key(|(path, _)| std::cmp::Reverse(path.len()));
        Self { paths, ..Self::default() }
    }

    /// Adds an id that the CLI made up: it is replaced everywhere, also in file names.
    pub(super) fn made_up(&mut self, id: String) {
        if ids::uuid_at(id.as_bytes()).is_none() && !self.made_up.contains(&id) {
            self.made_up.push(id);
        }
    }

    /// Replaces all words in a text.
    pub(super) fn replace(&mut self, text: &str) -> String {
        let mut text = text.to_owned();
        for (path, stands_for) in &self.paths {
            let find = |at| Find { range: at..at + path.len(), with: With::Nothing, kind: () };
            let finds: Vec<_> = places(&text, path).map(find).collect();
            if !finds.is_empty() {
                let replaced = find::replaced(text.as_bytes(), finds, |_, ()| stands_for.clone());
                text = String::from_utf8_lossy(&replaced).into_owned();
            }
        }
        self.scan(&text)
    }

    fn scan(&mut self, text: &str) -> String {
        let bytes = text.as_bytes();
        let mut out = String::with_capacity(text.len());
        let (mut copied, mut at) = (0, 0);
        while at < bytes.len() {
            match self.stand_in(text, at) {
                Some((length, new)) => {
                    out.push_str(&text[copied..at]);
                    out.push_str(&new);
                    at += length;
                    copied = at;
                }
                None => at += 1,
            }
        }
        out.push_str(&text[copied..]);
        out
    }

    /// Returns the length of the text at this position that must be replaced, and its replacement.
    fn stand_in(&mut self, text: &str, at: usize) -> Option<(usize, String)> {
        let bytes = text.as_bytes();
        let begins = begins_at(bytes, at);
        let rest = &bytes[at..];
        if begins && let Some(at) = self.made_up.iter().position(|id| is_word_at(id, rest)) {
            return Some((self.made_up[at].len(), ids::made_up(at + 1)));
        }
        if rest.starts_with(PLANS) {
            let name = text[at + PLANS.len()..].find(ENDS)?;
            return Some((PLANS.len() + name, STABLE_PLAN.to_owned()));
        }
        match bytes[at] {
            b'/' | b'\\' | b'%' => {
                let length = stray_at(text, at)?;
                Some((length, self.stray(&text[at..at + length])))
            }
            _ if !begins => None,
            b'1' if rest.starts_with(LOOPBACK) => {
                let digits = rest[LOOPBACK.len()..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                (digits > 0).then(|| (LOOPBACK.len() + digits, STABLE_PORT.to_owned()))
            }
            byte if byte.is_ascii_hexdigit() => {
                if let Some(digits) = socket_at(rest) {
                    return Some((digits, STABLE_PID.to_owned()));
                }
                if let Some(length) = ids::uuid_at(rest) {
                    return Some((length, ids::uuid(self.uuids.of(&text[at..at + length]))));
                }
                let length = ids::time_at(rest)?;
                Some((length, ids::time(self.times.of(&text[at..at + length]) - 1)))
            }
            _ => None,
        }
    }

    fn stray(&mut self, path: &str) -> String {
        let path = path.replace("%2F", "/").replace("%2f", "/").replace('\\', "");
        let number = self.strays.of(&path);
        let name = path.rsplit('/').next().unwrap_or_default();
        let ending =
            name.rfind('.').filter(|at| *at > 0 && name.len() - at <= 8).map_or("", |at| &name[at..]);
        format!("{STABLE_TEMPORARY}{number}{ending}")
    }
}

/// Returns whether a word can begin here.
fn begins_at(text: &[u8], at: usize) -> bool {
    at == 0 || !text[at - 1].is_ascii_alphanumeric() || ends_escape(&text[..at])
}

/// Returns whether the text ends with an escape of JSON or of a terminal: the `n` of `\n` belongs to no word.
fn ends_escape(text: &[u8]) -> bool {
    match text {
        [.., b'\\', b'b' | b'f' | b'n' | b'r' | b't'] => true,
        [.., b'\\', b'u', a, b, c, d] if [a, b, c, d].iter().all(|digit| digit.is_ascii_hexdigit()) => true,
        // The code of a colour, for example.
        [code @ .., b'A'..=b'Z' | b'a'..=b'z'] => {
            let digits = code.iter().rev().take_while(|byte| matches!(byte, b'0'..=b'9' | b';')).count();
            let start = &code[..code.len() - digits];
            matches!(start, [.., b'\x1b', b'['] | [.., b'u' | b'U', b'0', b'0', b'1', b'b' | b'B', b'['])
        }
        _ => false,
    }
}

/// Returns where a path stands, or the name that the CLI gives to its folder. A path with one name, such as `/app`, is not
/// looked for within other words.
pub(super) fn places<'a>(text: &'a str, path: &'a str) -> impl Iterator<Item = usize> + 'a {
    let separator = path.chars().next();
    let has_one_name = path.chars().filter(|char| Some(*char) == separator).count() < 2;
    let joins = |char: char| char.is_ascii_alphanumeric() || matches!(char, '.' | '_' | '-');
    text.match_indices(path).map(|(at, _)| at).filter(move |&at| {
        let before = text[..at].chars().next_back().filter(|_| !ends_escape(&text.as_bytes()[..at]));
        let after = text[at + path.len()..].chars().next();
        let is_within = before.is_some_and(joins) || after.is_some_and(char::is_alphanumeric);
        path.len() > 1 && !(has_one_name && is_within)
    })
}

/// Finds the paths, UUIDs and times that are to be replaced, each as a whole where one stands within another.
pub(super) fn words_in(text: &str, paths: &[(String, String)]) -> Vec<Find<()>> {
    let named = paths.iter().filter(|(path, stands_for)| path != stands_for);
    let named = named.flat_map(|(path, _)| places(text, path).map(|at| at..at + path.len()));
    let strays = text.match_indices(SLASHES).filter_map(|(at, _)| Some(at..at + stray_at(text, at)?));
    let ids = text.char_indices().filter_map(|(at, _)| Some(at..at + id_at(text.as_bytes(), at)?));
    let mut ranges: Vec<Range<usize>> = named.chain(strays).chain(ids).collect();
    ranges.sort_by_key(|range| range.start);
    ranges.dedup_by(|next, before| {
        let overlaps = next.start < before.end;
        before.end = if overlaps { before.end.max(next.end) } else { before.end };
        overlaps
    });
    let find =
        |range: Range<usize>| Find { with: With::Text(text[range.clone()].to_owned()), range, kind: () };
    ranges.into_iter().map(find).collect()
}

/// Returns the length of a UUID or a time that starts here and is not a stand-in.
fn id_at(text: &[u8], at: usize) -> Option<usize> {
    let rest = &text[at..];
    let is_stable = [STABLE_UUID, STABLE_DAY].iter().any(|stable| rest.starts_with(stable.as_bytes()));
    if is_stable || !begins_at(text, at) {
        return None;
    }
    ids::uuid_at(rest).or_else(|| ids::time_at(rest))
}

/// Returns whether the text starts with this word.
fn is_word_at(word: &str, text: &[u8]) -> bool {
    let rest = text.strip_prefix(word.as_bytes());
    rest.is_some_and(|rest| rest.first().is_none_or(|byte| !byte.is_ascii_alphanumeric()))
}

/// Returns the length of the process id in the name of a socket, such as `1234.sock`.
fn socket_at(text: &[u8]) -> Option<usize> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (digits > 0 && text[digits..].starts_with(b".sock")).then_some(digits)
}

/// Returns the length of a machine's path that starts here: one below a home or a temporary folder that no
/// [`path`](super::Redactor::path) named.
fn stray_at(text: &str, at: usize) -> Option<usize> {
    let rest = &text[at..];
    let before = text[..at].chars().next_back();
    // `a/tmp/b` is a path within something else.
    let joins = |char: char| char.is_alphanumeric() || matches!(char, '.' | '_' | '-' | '~' | '}');
    let bytes = text.as_bytes();
    // `-I/home/…`: the letter of an option is not part of a path.
    let is_option = matches!(bytes[..at], [.., b'-', b'A'..=b'Z' | b'a'..=b'z']) && begins_at(bytes, at - 2);
    let ends_percent =
        matches!(&bytes[..at], [.., b'%', a, b] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit());
    if before.is_some_and(joins) && !is_option && !ends_escape(&bytes[..at]) && !ends_percent {
        return None;
    }
    let stray = FOLDERS.iter().any(|folder| is_below(rest, folder)) && !is_below(rest, STABLE_HOME);
    let continues = |text: &str| is_escaped_letter(text) || behind_slash(text).is_some();
    let ends = |(at, char): &(usize, char)| ENDS.contains(char) && !continues(&rest[*at..]);
    stray.then(|| rest.char_indices().find(ends).map_or(rest.len(), |(at, _)| at))
}

/// Returns whether the text starts with this folder.
fn is_below(text: &str, folder: &str) -> bool {
    let rest = folder.chars().try_fold(text, |rest, char| match char {
        '/' => behind_slash(rest),
        char => rest.strip_prefix(char),
    });
    rest.is_some()
}

/// Returns the text behind the slash with which it starts: as it is, as JSON may escape it, or percent-encoded.
fn behind_slash(text: &str) -> Option<&str> {
    // JSON may be a text within JSON, up to three levels deep: each level escapes once more.
    let escapes = text.bytes().take(7).take_while(|byte| *byte == b'\\').count();
    let percent = || text.strip_prefix("%2F").or_else(|| text.strip_prefix("%2f"));
    text[escapes..].strip_prefix('/').or_else(percent)
}

/// Returns whether the text starts with an escape of JSON for a character beyond ASCII.
fn is_escaped_letter(text: &str) -> bool {
    let code = text.trim_start_matches('\\').strip_prefix('u').and_then(|code| code.get(..4));
    code.is_some_and(|code| u16::from_str_radix(code, 16).is_ok_and(|unit| unit > 0x7f))
}

// Assembled from parts, so that this file does not trigger the check for machine names.
#[rustfmt::skip]
const FOLDERS: &[&str] = &[
    concat!("/tm", "p/"), concat!("/private/tm", "p/"), concat!("/var/fol", "ders/"), concat!("/private/var/fol", "ders/"),
    concat!("/ro", "ot/"), concat!("/ho", "me/"), concat!("/var/ho", "me/"), concat!("/Us", "ers/"),
    concat!("/mnt/c/Us", "ers/"), concat!("/run/us", "er/"), concat!("/dev/sh", "m/"),
];

/// What a slash starts with: see [`behind_slash`].
const SLASHES: [char; 3] = ['/', '\\', '%'];
const ENDS: [char; 14] = ['"', '\'', '`', ' ', ',', ';', ':', ')', '(', '<', '>', '\\', '\n', '\t'];
const STABLE_HOME: &str = "/home/user/";
const STABLE_TEMPORARY: &str = "/home/user/tmp/";
/// The folder of plans, each of which has a made-up name.
const PLANS: &[u8] = b"/.claude/plans/";
const STABLE_PLAN: &str = "/.claude/plans/plan.md";
const STABLE_PID: &str = "4242";
const LOOPBACK: &[u8] = b"127.0.0.1:";
const STABLE_PORT: &str = "127.0.0.1:8080";
