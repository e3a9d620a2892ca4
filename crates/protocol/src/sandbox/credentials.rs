//! Which credentials a sandboxed command sees, and how.

use serde::{Deserialize, Serialize};

use crate::open_enum::open_enum;

/// Which credentials commands see, and how (`credentials`); it names files and variables, and holds no secret itself.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SandboxCredentials {
    /// Files that hold secrets (`files`).
    pub files: Option<Vec<CredentialFile>>,
    /// Environment variables that hold secrets (`envVars`).
    pub env_vars: Option<Vec<CredentialVar>>,
    /// Whether a masked secret may be put into requests without TLS (`allowPlaintextInject`).
    pub allow_plaintext_inject: Option<bool>,
    /// Variables that hold a pair of AWS keys (`awsPairs`).
    pub aws_pairs: Option<Vec<AwsPair>>,
    /// Signed requests that the proxy can't sign anew (`sigv4`).
    pub sigv4: Option<SigV4>,
}

/// A file that holds a secret.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CredentialFile {
    /// The file (`path`).
    pub path: String,
    /// What a command sees of it (`mode`).
    pub mode: CredentialMode,
    /// A regular expression that finds the secret within the text (`extract`).
    pub extract: Option<String>,
    /// What happens where it finds none (`onExtractNoMatch`).
    pub on_extract_no_match: Option<SecretNoMatch>,
    /// How the secret is built (`decode`).
    pub decode: Option<SecretDecode>,
    /// The claims of a token to mask (`maskClaims`).
    pub mask_claims: Option<Vec<String>>,
    /// Whether the same text is masked elsewhere in the file (`maskDuplicates`).
    pub mask_duplicates: Option<bool>,
    /// The hosts that get the secret itself (`injectHosts`).
    pub inject_hosts: Option<Vec<String>>,
}

impl CredentialFile {
    /// This file, seen like this.
    pub fn new(path: impl Into<String>, mode: CredentialMode) -> Self {
        Self {
            path: path.into(),
            mode,
            extract: None,
            on_extract_no_match: None,
            decode: None,
            mask_claims: None,
            mask_duplicates: None,
            inject_hosts: None,
        }
    }
}

/// An environment variable that holds a secret.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CredentialVar {
    /// The variable (`name`).
    pub name: Box<str>,
    /// What a command sees of it (`mode`).
    pub mode: CredentialMode,
    /// A regular expression that finds the secret within the text (`extract`).
    pub extract: Option<String>,
    /// What happens where it finds none (`onExtractNoMatch`).
    pub on_extract_no_match: Option<SecretNoMatch>,
    /// How the secret is built (`decode`).
    pub decode: Option<SecretDecode>,
    /// The claims of a token to mask (`maskClaims`).
    pub mask_claims: Option<Vec<String>>,
    /// The hosts that get the secret itself (`injectHosts`).
    pub inject_hosts: Option<Vec<String>>,
}

impl CredentialVar {
    /// This variable, seen like this.
    pub fn new(name: impl Into<Box<str>>, mode: CredentialMode) -> Self {
        Self {
            name: name.into(),
            mode,
            extract: None,
            on_extract_no_match: None,
            decode: None,
            mask_claims: None,
            inject_hosts: None,
        }
    }
}

open_enum! {
    /// What a command sees of a secret.
    pub enum CredentialMode {
        /// Nothing.
        Deny = "deny",
        /// Another text, which the proxy replaces in requests to the hosts that may have the secret.
        Mask = "mask",
    }
}

open_enum! {
    /// What happens where no secret is found.
    pub enum SecretNoMatch {
        /// Commands see nothing.
        Deny = "deny",
        /// It is an error.
        Error = "error",
        /// The user is warned.
        Warn = "warn",
    }
}

open_enum! {
    /// How a secret is built.
    pub enum SecretDecode {
        /// As a JSON web token.
        Jwt = "jwt",
    }
}

/// Variables that hold a pair of AWS keys; their names, not the keys.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AwsPair {
    /// The variable of the access key's id (`accessKeyIdVar`).
    pub access_key_id_var: Box<str>,
    /// The variable of the secret key (`secretAccessKeyVar`).
    pub secret_access_key_var: Box<str>,
    /// The variable of the session's token (`sessionTokenVar`).
    pub session_token_var: Option<Box<str>>,
}

impl AwsPair {
    /// These two variables.
    pub fn new(access_key_id_var: impl Into<Box<str>>, secret_access_key_var: impl Into<Box<str>>) -> Self {
        Self {
            access_key_id_var: access_key_id_var.into(),
            secret_access_key_var: secret_access_key_var.into(),
            session_token_var: None,
        }
    }
}

/// What happens to signed requests that the proxy can't sign anew (`sigv4`).
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct SigV4 {
    /// To streamed ones (`streaming`).
    pub streaming: Option<SigningRule>,
    /// To signed addresses (`presigned`).
    pub presigned: Option<SigningRule>,
    /// To those signed for several regions (`sigv4a`).
    pub sigv4a: Option<SigningRule>,
}

open_enum! {
    /// What happens to a request that can't be signed anew.
    pub enum SigningRule {
        /// It is refused.
        Deny = "deny",
        /// It goes out as it is.
        Passthrough = "passthrough",
    }
}
