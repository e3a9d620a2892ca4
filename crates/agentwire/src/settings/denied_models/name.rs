//! Parses model names in all their spellings.

use super::DeniedModelsNoteKind;

/// A model's name.
pub(super) struct Name {
    /// The name in lower case, without surrounding blanks and context sizes.
    whole: String,
    version: Option<Version>,
}

impl Name {
    pub(super) fn read(name: &str) -> Self {
        let (whole, _) = normal(name);
        let version = base(&whole).strip_prefix(BRAND).and_then(Version::read);
        Self { whole, version }
    }
}

/// An entry of a list of denied models.
pub(super) enum Entry {
    Nothing,
    Family(String),
    Version(Version),
    OneName(String),
}

impl Entry {
    /// Parses an entry; also returns a note if its effect is unusual.
    pub(super) fn read(entry: &str) -> (Self, Option<DeniedModelsNoteKind>) {
        use DeniedModelsNoteKind::{Ignored, OneNameOnly, Wider};

        let (whole, sized) = normal(entry);
        let whole = whole.trim_end().to_owned();
        if whole.is_empty() || WAVERING.contains(&&*whole) {
            return (Self::Nothing, Some(Ignored));
        }
        if FAMILIES.contains(&&*whole) {
            return (Self::Family(whole), sized.then_some(Wider));
        }
        // Only entries may omit the brand.
        let version = Version::read(base(&whole).strip_prefix(BRAND).unwrap_or(&whole));
        match version {
            Some(version) => {
                let odd = sized || version.snapshot;
                (Self::Version(version), odd.then_some(Wider))
            }
            None => (Self::OneName(whole), Some(OneNameOnly)),
        }
    }

    pub(super) fn blocks(&self, name: &Name) -> bool {
        match self {
            Self::Nothing => false,
            Self::Family(family) => {
                name.whole.split(|c: char| !c.is_ascii_alphanumeric()).any(|part| part == family)
            }
            Self::Version(entry) => name.version.as_ref().is_some_and(|version| entry.covers(version)),
            Self::OneName(whole) => *whole == name.whole,
        }
    }
}

/// The version of a model: `opus-4-1`, or in the older order `3-5-sonnet`.
pub(super) struct Version {
    family: String,
    major: u8,
    minor: Option<u8>,
    /// A suffix that is not a snapshot, such as `-preview`.
    rest: String,
    /// Whether a snapshot was removed.
    snapshot: bool,
}

impl Version {
    /// Parses the text after the brand.
    fn read(text: &str) -> Option<Self> {
        let (family, text) = letters(text);
        if family.is_empty() {
            let (major, text) = number(text)?;
            let (minor, text) = minor(text)?;
            let (family, rest) = letters(text.strip_prefix('-')?);
            return (!family.is_empty()).then(|| Self::new(family, major, minor, rest)).flatten();
        }
        let (major, text) = number(text.strip_prefix('-')?)?;
        let (minor, rest) = minor(text)?;
        Self::new(family, major, minor, rest)
    }

    fn new(family: &str, major: u8, minor: Option<u8>, rest: &str) -> Option<Self> {
        if !rest.is_empty() && !rest.starts_with(ENDS) {
            return None;
        }
        let snapshot = !rest.is_empty() && without_snapshot(rest).is_empty();
        let rest = if snapshot { "" } else { rest };
        Some(Self { family: family.to_owned(), major, minor, rest: rest.to_owned(), snapshot })
    }

    /// Returns whether this version equals or includes the other one.
    fn covers(&self, other: &Self) -> bool {
        let all = self.minor.is_none() && self.rest.is_empty();
        let minor = all || self.minor.unwrap_or_default() == other.minor.unwrap_or_default();
        let rest = other.rest.strip_prefix(&*self.rest);
        let rest = rest.is_some_and(|more| more.is_empty() || more.starts_with(ENDS));
        self.family == other.family && self.major == other.major && minor && rest
    }
}

/// Returns the name in lower case without surrounding blanks and context sizes, and whether it had a context size.
fn normal(name: &str) -> (String, bool) {
    let whole = name.trim().to_lowercase();
    let mut kept = &*whole;
    while let Some(shorter) = without_size(kept) {
        kept = shorter;
    }
    (kept.to_owned(), kept.len() < whole.len())
}

/// Removes a context size such as `[1m]` from the end.
fn without_size(name: &str) -> Option<&str> {
    let inner = name.strip_suffix("m]")?;
    let kept = inner.trim_end_matches(|c: char| c.is_ascii_digit());
    (kept.len() < inner.len()).then(|| kept.strip_suffix('[')).flatten()
}

/// Removes the provider's path and prefix.
fn base(whole: &str) -> &str {
    let last = whole.rsplit('/').next().unwrap_or(whole);
    let prefix = last.split_once(VENDOR).filter(|(region, _)| {
        region.strip_suffix('.').unwrap_or(region).bytes().all(|byte| byte.is_ascii_lowercase())
            && (region.is_empty() || region.ends_with('.'))
    });
    prefix.map_or(last, |(_, name)| name)
}

fn letters(text: &str) -> (&str, &str) {
    text.split_at(text.bytes().take_while(u8::is_ascii_lowercase).count())
}

/// Parses a number of one or two digits.
fn number(text: &str) -> Option<(u8, &str)> {
    let (digits, rest) = text.split_at(text.bytes().take_while(u8::is_ascii_digit).count());
    (digits.len() <= 2).then(|| digits.parse().ok()).flatten().map(|number| (number, rest))
}

/// Parses an optional minor version; `None` if it is malformed.
fn minor(text: &str) -> Option<(Option<u8>, &str)> {
    match text.strip_prefix('-').and_then(number) {
        Some((minor, rest)) if rest.is_empty() || rest.starts_with(ENDS) => Some((Some(minor), rest)),
        Some(_) => None,
        None => Some((None, text)),
    }
}

/// Removes `-fast`, a day or `-latest`, and `-v1:0` from the end, each at most once and in that order.
fn without_snapshot(rest: &str) -> &str {
    let kept = without_revision(rest);
    let kept = without_day(kept).or_else(|| kept.strip_suffix("-latest")).unwrap_or(kept);
    kept.strip_suffix("-fast").unwrap_or(kept)
}

fn without_revision(rest: &str) -> &str {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let Some((kept, revision)) = rest.rsplit_once("-v") else { return rest };
    let (major, minor) = revision.split_once(':').unwrap_or((revision, "0"));
    if digits(major) && digits(minor) { kept } else { rest }
}

fn without_day(rest: &str) -> Option<&str> {
    let kept = rest.trim_end_matches(|c: char| c.is_ascii_digit());
    if rest.len() - kept.len() == DAY { kept.strip_suffix(ENDS) } else { None }
}

const BRAND: &str = "claude-";
const VENDOR: &str = "anthropic.";
const FAMILIES: [&str; 4] = ["fable", "haiku", "opus", "sonnet"];
/// Names of changing models.
const WAVERING: [&str; 3] = ["best", "default", "opusplan"];
/// The characters that may follow a version.
const ENDS: [char; 2] = ['-', '@'];
/// The number of digits of a day, as in `20250805`.
const DAY: usize = 8;
