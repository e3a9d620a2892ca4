//! The report of a redaction: which secrets were found, and which kinds are not searched for.

use std::{collections::BTreeMap, fmt};

use super::Leftovers;

/// The result of a redaction, to read before the recording is shared.
///
/// Its [`Display`](fmt::Display) form holds the counts, the leftovers and [`NOT_SEARCHED`](Self::NOT_SEARCHED), and no
/// secret.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RedactionReport {
    /// The number of places that were blanked, by kind.
    pub found: BTreeMap<SecretKind, usize>,
    /// Private text that remains; `None` if there is none.
    pub leftovers: Option<Leftovers>,
}

impl RedactionReport {
    /// What a redaction does not search for.
    pub const NOT_SEARCHED: &str = "Not searched for: names of people, companies and hosts; addresses, telephone \
        numbers and e-mail addresses outside of an account; passwords of several words, or in prose that does not \
        call them one; copies of a password that is a word, a number or shorter than six bytes; keys of a shape that \
        is not in the table; text in images, archives, hexadecimal or base64, named secrets in base64 excepted. Name \
        such texts with `Redactor::secret`.";
}

impl fmt::Display for RedactionReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (kind, count) in &self.found {
            writeln!(f, "{count} × {kind}")?;
        }
        if let Some(leftovers) = &self.leftovers {
            writeln!(f, "{leftovers}")?;
        }
        f.write_str(Self::NOT_SEARCHED)
    }
}

/// The kinds of secrets that a redaction blanks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum SecretKind {
    /// A text that [`Redactor::secret`](super::Redactor::secret) names, or that was blanked as a variable, header,
    /// field, account or URL elsewhere in the session.
    Named,
    /// A value below `env`.
    Environment,
    /// A value below `headers`, or a header line that carries credentials.
    Header,
    /// A detail of an account: e-mail address, organisation, ids.
    Account,
    /// User info, query values, fragments and random path segments of URLs.
    Url,
    /// A value with a JSON key, variable or option named like a secret, as in `"token": "x"` or `API_KEY=x`.
    Field,
    /// A key or token of a provider, by its shape.
    Key,
    /// A JSON web token.
    WebToken,
    /// A private key, as a PEM block or its base64 body.
    PrivateKey,
}

impl fmt::Display for SecretKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Named => "named secret",
            Self::Environment => "environment variable",
            Self::Header => "header",
            Self::Account => "account detail",
            Self::Url => "part of a URL",
            Self::Field => "field or assignment",
            Self::Key => "provider key",
            Self::WebToken => "web token",
            Self::PrivateKey => "private key",
        })
    }
}
