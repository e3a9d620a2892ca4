//! Blanks secrets: by name, by place, and by shape.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use bytes::Bytes;
use serde_json::value::RawValue;

use super::{
    decoded::Decoded,
    find::{self, Find, With},
    ids::Numbers,
    json::{self, Token},
    report::SecretKind,
    shapes, stream,
};
use crate::transcript::Entry::{Comment, Inbound, Outbound, Stderr, Unknown};
use crate::transcript::{Argv, Entry, Transcript};

/// Blanks the secrets of one session, and counts them.
#[derive(Default)]
pub(super) struct Secrets {
    /// The known secrets as they stand in text and in base64, the longest first.
    forms: Vec<Form>,
    numbers: Numbers,
    found: BTreeMap<SecretKind, usize>,
}

/// A text that is blanked wherever it stands.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Form {
    text: String,
    /// Whether parts of longer words do not count, as for texts that the caller did not name.
    is_word: bool,
}

impl Secrets {
    /// Collects the named secrets and the values of secret fields: a password in `env` is also blanked in the output of
    /// a tool.
    pub(super) fn new(named: &[String], session: &Transcript) -> Self {
        let named: BTreeSet<String> = named.iter().filter(|secret| !secret.is_empty()).cloned().collect();
        let mut secrets = Self { forms: forms(&named, &BTreeSet::new()), ..Self::default() };
        let mut learned = BTreeSet::new();
        let lines = session.entries.iter().filter_map(line).map(|line| visible(line));
        let argv = session.argv.iter().map(|argv| argv.json().to_owned());
        for text in argv.chain(lines) {
            for find in secrets.find_at(&text, 0) {
                if let With::Text(secret) = find.with {
                    learn(find.kind, &secret, &mut learned);
                }
            }
        }
        secrets.forms = forms(&named, &learned);
        secrets
    }

    /// Blanks the secrets of the session.
    pub(super) fn redact(&mut self, session: &mut Transcript) {
        if let Some(argv) = &session.argv {
            let json = self.replace(argv.json());
            session.argv = serde_json::from_str(&json).ok().map(|args: Vec<String>| Argv::new(args));
        }
        for (_, value) in &mut session.header.extra {
            *value = self.replace(value).into();
        }
        // A copy directly beside a secret becomes a separate word only when the secret is blanked.
        for _ in 0..ROUNDS {
            let lines = self.find_in_lines(&session.entries);
            if lines.is_empty() {
                break;
            }
            for (number, finds) in lines {
                let Some(line) = session.entries.get_mut(number).and_then(line_mut) else { continue };
                *line = self.apply(line, finds).into();
            }
        }
    }

    /// Returns the secrets of each line that has some, by the number of its entry.
    pub(super) fn find_in_lines(&self, entries: &[Entry]) -> Vec<(usize, Vec<Find>)> {
        let mut streamed = stream::finds(entries, |text, _| self.find_at(text, 1));
        let mut lines = Vec::new();
        for (number, entry) in entries.iter().enumerate() {
            let Some(line) = line(entry) else { continue };
            let mut finds = self.find_at(&visible(line), 0);
            if let Some((place, split)) = streamed.remove(&number) {
                // The text of a block is judged as a whole, and not by its pieces.
                finds.retain(|find| find.range.end <= place.start || find.range.start >= place.end);
                finds.extend(split);
            }
            if !finds.is_empty() {
                lines.push((number, finds));
            }
        }
        lines
    }

    /// Blanks the secrets of a text.
    pub(super) fn replace(&mut self, text: &str) -> String {
        let finds = self.find_at(text, 0);
        String::from_utf8_lossy(&self.apply(text.as_bytes(), finds)).into_owned()
    }

    /// Returns the number of blanked places, by kind.
    pub(super) fn found(self) -> BTreeMap<SecretKind, usize> {
        self.found
    }

    /// Returns the secrets in a text, which may be JSON or contain it: in a line at depth 0, in a string of it at 1.
    fn find_at(&self, text: &str, depth: usize) -> Vec<Find> {
        let mut finds = Vec::new();
        let is_json = |text: &str| serde_json::from_str::<&RawValue>(text).is_ok();
        let is_read = depth < DEEPEST;
        let is_whole = is_read && text.trim_ascii_start().starts_with(['{', '[', '"']) && is_json(text);
        let start = if is_whole { Some(0) } else { text.find(['{', '[']).filter(|_| is_read) };
        if let Some(start) = start {
            let mut flag: Option<Vec<String>> = None;
            json::walk(&text[start..], |token, at| {
                let is_flagged = flag.take().is_some_and(|keys| keys == token.keys);
                // The next argument after such an option is its secret value.
                let is_flag = || token.raw.strip_prefix('-').is_some_and(shapes::names_a_secret);
                if token.is_string && !token.is_key && is_flag() {
                    flag = Some(token.keys.iter().map(|key| (*key).to_owned()).collect());
                }
                self.token(token, start + at, is_flagged, depth, &mut finds);
            });
        }
        if !is_whole {
            self.text(text, &mut finds);
            return finds;
        }
        // A named secret may be JSON itself. As a part of other JSON it becomes a number, so that the whole stays JSON.
        let texts = self.forms.iter().map(|form| &form.text);
        for secret in texts.filter(|secret| secret.starts_with(['{', '[']) && is_json(secret)) {
            let is_all = depth > 0 && secret.len() == text.len();
            let with = || if is_all { With::Text(secret.clone()) } else { With::Zero };
            let find = |(at, _)| Find { range: at..at + secret.len(), with: with(), kind: SecretKind::Named };
            finds.extend(text.match_indices(secret).map(find));
        }
        finds
    }

    /// Finds the secrets in a string or number of JSON.
    fn token(&self, token: Token<'_>, start: usize, is_flagged: bool, depth: usize, finds: &mut Vec<Find>) {
        let whole = start..start + token.raw.len();
        let kind = if token.is_key { None } else { kind_below(token.keys) };
        if !token.is_string {
            let named = || self.forms.iter().any(|form| token.raw.contains(&form.text) && !form.is_word);
            let kind = kind.filter(|kind| *kind != SecretKind::Field || is_password(token.keys));
            let kind = kind.or_else(|| named().then_some(SecretKind::Named)).filter(|_| token.raw != "0");
            return finds.extend(kind.map(|kind| Find { range: whole, with: With::Zero, kind }));
        }
        let decoded = Decoded::json(token.raw);
        let text = decoded.as_ref().map_or(token.raw, |decoded| &decoded.text);
        let kind = kind.or_else(|| is_flagged.then_some(SecretKind::Field));
        if let Some(kind) = kind.filter(|_| !shapes::is_harmless(text)) {
            return finds.push(Find { range: whole, with: With::Text(text.to_owned()), kind });
        }
        for find in self.find_at(text, depth + 1) {
            let place = |at| start + decoded.as_ref().map_or(at, |decoded| decoded.place(at));
            finds.push(Find { range: place(find.range.start)..place(find.range.end), ..find });
        }
    }

    /// Finds the secrets in text, also in escaped and percent-encoded text.
    fn text(&self, text: &str, finds: &mut Vec<Find>) {
        let mut decoded: Option<Decoded> = None;
        for _ in 0..LAYERS {
            let layer = decoded.as_ref().map_or(text, |decoded| &decoded.text);
            let mut show = |kind, range: Range<usize>| {
                let place = |at| decoded.as_ref().map_or(at, |decoded| decoded.place(at));
                let with = With::Text(layer[range.clone()].to_owned());
                finds.push(Find { range: place(range.start)..place(range.end), with, kind });
            };
            for form in &self.forms {
                for (at, _) in layer.match_indices(&form.text) {
                    let range = at..at + form.text.len();
                    if !form.is_word || is_word(layer, &range) {
                        show(SecretKind::Named, range);
                    }
                }
            }
            if let Some(joined) = Decoded::joined(layer) {
                for Form { text, .. } in self.forms.iter().filter(|form| !form.is_word) {
                    let last = text.chars().next_back().map_or(0, char::len_utf8);
                    for (at, _) in joined.text.match_indices(text) {
                        let end = joined.place(at + text.len() - last) + last;
                        show(SecretKind::Named, joined.place(at)..end);
                    }
                }
            }
            shapes::find(layer, &mut show);
            let Some(next) = Decoded::any(layer) else { return };
            decoded = Some(match &decoded {
                Some(before) => next.after(before),
                None => next,
            });
        }
    }

    /// Replaces the matches; overlapping ones get the kind of the first and longest.
    fn apply(&mut self, text: &[u8], mut finds: Vec<Find>) -> Vec<u8> {
        // A specific kind is more useful than `Named`, so it comes first.
        let rank = |find: &Find| (find.range.start, Reverse(find.range.end), find.kind == SecretKind::Named);
        finds.sort_by_key(rank);
        let mut merged: Vec<Find> = Vec::new();
        for find in finds {
            match merged.last_mut().filter(|last| find.range.start < last.range.end) {
                Some(last) => last.range.end = last.range.end.max(find.range.end),
                None => merged.push(find),
            }
        }
        find::replaced(text, merged, |with, kind| {
            let new = match with {
                With::Text(secret) => format!("<redacted-{}>", self.numbers.of(&secret)),
                With::Zero => "0".to_owned(),
                With::Nothing => return String::new(),
            };
            *self.found.entry(kind).or_default() += 1;
            new
        })
    }
}

/// Returns the text of an entry, if it has one.
pub(super) fn line(entry: &Entry) -> Option<&Bytes> {
    let (Outbound(line) | Inbound(line) | Stderr(line) | Comment(line) | Unknown(line)) = entry else {
        return None;
    };
    Some(line)
}

pub(super) fn line_mut(entry: &mut Entry) -> Option<&mut Bytes> {
    let (Outbound(line) | Inbound(line) | Stderr(line) | Comment(line) | Unknown(line)) = entry else {
        return None;
    };
    Some(line)
}

/// Returns the line as text of the same length, with a `?` for each byte that is not text.
fn visible(line: &[u8]) -> String {
    let mut text = String::with_capacity(line.len());
    for chunk in line.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '?'));
    }
    text
}

/// Returns the kind of secret below these keys, if any.
fn kind_below(keys: &[&str]) -> Option<SecretKind> {
    let plain = |key: &str| key.to_ascii_lowercase().replace(['_', '-'], "");
    let nearest = *keys.last()?;
    // A schema describes a field; its values are not secrets.
    let described = |at: usize| at > 0 && keys[at - 1] == "properties";
    let below =
        keys.iter().enumerate().filter(|(at, _)| !described(*at)).find_map(|(_, key)| match &*plain(key) {
            key if ENVIRONMENT.contains(&key) => Some(SecretKind::Environment),
            key if key.ends_with("headers") => Some(SecretKind::Header),
            "account" if !ACCOUNT_KINDS.contains(&nearest) => Some(SecretKind::Account),
            "credentials" | "secrets" | "cookies" | "passwords" | "apikeys" => Some(SecretKind::Field),
            _ => None,
        });
    let account = || ACCOUNT.contains(&&*plain(nearest)).then_some(SecretKind::Account);
    let field = || shapes::names_a_secret(nearest).then_some(SecretKind::Field);
    below.or_else(account).or_else(field)
}

/// Returns whether a number below these keys is a password, and not a count of tokens or of tests that pass.
fn is_password(keys: &[&str]) -> bool {
    let key = keys.last().copied().unwrap_or_default().to_ascii_lowercase();
    key != "pass" && ["pass", "pwd", "secret"].iter().any(|word| key.contains(word))
}

/// Records a secret found by its place, such as a field, unless other text is likely to be the same by chance.
fn learn(kind: SecretKind, secret: &str, learned: &mut BTreeSet<String>) {
    let parts: Vec<&str> = match kind {
        SecretKind::Header | SecretKind::Environment | SecretKind::Field => {
            secret.split(' ').chain([secret]).collect()
        }
        SecretKind::Url => secret.split(':').collect(),
        SecretKind::Account => vec![secret],
        // A patch has each line of a key in a string of its own.
        SecretKind::PrivateKey if secret.contains("-----END ") => {
            secret.split_whitespace().filter(|line| line.len() >= 16 && !line.contains(['-', ':'])).collect()
        }
        _ => return,
    };
    for part in parts {
        let is_common = part.bytes().all(|byte| byte.is_ascii_alphabetic())
            || part.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let is_telling =
            part.len() >= 6 && !part.starts_with("<") && (!is_common || kind == SecretKind::Account);
        if is_telling && learned.len() < MAX_LEARNED {
            learned.insert(part.to_owned());
        }
    }
}

/// Returns the forms of the secrets: unchanged, with `+` for blanks, and within base64 at each of the three alignments.
fn forms(named: &BTreeSet<String>, learned: &BTreeSet<String>) -> Vec<Form> {
    let mut forms = BTreeSet::new();
    let known = named.iter().map(|secret| (secret, false));
    for (secret, is_word) in known.chain(learned.iter().map(|secret| (secret, true))) {
        forms.insert(Form { text: secret.clone(), is_word });
        forms.insert(Form { text: secret.replace(' ', "+"), is_word });
        for shift in (0..3).filter(|_| secret.len() >= SHORTEST_IN_BASE64) {
            let core = base64(secret.as_bytes(), shift);
            forms.insert(Form { text: core.replace('+', "-").replace('/', "_"), is_word: false });
            forms.insert(Form { text: core, is_word: false });
        }
    }
    let mut forms: Vec<Form> = forms.into_iter().collect();
    forms.sort_by_key(|form| Reverse(form.text.len()));
    forms
}

/// Returns whether no letter or digit is beside this place.
fn is_word(text: &str, place: &Range<usize>) -> bool {
    let before = text[..place.start].chars().next_back();
    let after = text[place.end..].chars().next();
    !before.into_iter().chain(after).any(char::is_alphanumeric)
}

/// Returns the characters of base64 that depend on these bytes alone, after `shift` other bytes.
fn base64(bytes: &[u8], shift: usize) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bit = |at: usize| usize::from(bytes[at / 8] >> (7 - at % 8) & 1);
    let first = (6 - shift * 8 % 6) % 6;
    let starts = (first..bytes.len() * 8).step_by(6).filter(|at| at + 6 <= bytes.len() * 8);
    starts.map(|at| char::from(ALPHABET[(at..at + 6).fold(0, |value, at| value << 1 | bit(at))])).collect()
}

/// Keys below which each value is one of the environment, without `_` and `-`.
const ENVIRONMENT: &[&str] = &["env", "envs", "envvars", "environment", "environmentvariables", "extraenv"];

/// Details of an account, wherever they stand, without `_` and `-`.
#[rustfmt::skip]
const ACCOUNT: &[&str] = &[
    "accountemail", "accountid", "accountuuid", "email", "emailaddress", "useremail",
    "orgid", "orgname", "orguuid", "organisation", "organisationname",
    "organization", "organizationid", "organizationname", "organizationuuid",
];

/// Fields of an account that contain its kind.
const ACCOUNT_KINDS: &[&str] = &["apiKeySource", "apiProvider", "subscriptionType", "tokenSource"];

/// How deep JSON within strings of JSON is read.
const DEEPEST: usize = 8;
/// How often escapes are decoded.
const LAYERS: usize = 4;
/// How often a session is searched.
const ROUNDS: usize = 2;
const MAX_LEARNED: usize = 1024;
const SHORTEST_IN_BASE64: usize = 6;

#[cfg(test)]
mod tests {
    #[test]
    fn base64_without_its_edges() {
        // `hunter2` behind 0, 1 and 2 other bytes is `aHVudGVyMg==`, `X2h1bnRlcjI=` and `X19odW50ZXIy`.
        let core = |shift| super::base64(b"hunter2", shift);
        assert_eq!([0, 1, 2].map(core), ["aHVudGVyM", "h1bnRlcj", "odW50ZXIy"]);
    }
}
