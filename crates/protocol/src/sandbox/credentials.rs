//! The credentials that sandboxed commands can see.

/// The credentials that commands can see (`credentials`): names of files and variables, but no secrets.
#[wire(Default, camelCase)]
pub struct SandboxCredentials {
    /// Files that contain secrets (`files`).
    pub files: Option<Vec<CredentialFile>>,
    /// Environment variables that contain secrets (`envVars`).
    pub env_vars: Option<Vec<CredentialVar>>,
    /// Whether masked secrets may be injected into requests without TLS (`allowPlaintextInject`).
    pub allow_plaintext_inject: Option<bool>,
    /// Variables that contain pairs of AWS keys (`awsPairs`).
    pub aws_pairs: Option<Vec<AwsPair>>,
    /// How to treat signed requests that the proxy can't sign again (`sigv4`).
    pub sigv4: Option<SigV4>,
}

/// A file that contains a secret.
#[wire(camelCase, new)]
pub struct CredentialFile {
    /// The file (`path`).
    pub path: String,
    /// What a command can see of it (`mode`).
    pub mode: CredentialMode,
    /// A regular expression for the secret within the text (`extract`).
    pub extract: Option<String>,
    /// How to continue if it does not match (`onExtractNoMatch`).
    pub on_extract_no_match: Option<SecretNoMatch>,
    /// The format of the secret (`decode`).
    pub decode: Option<SecretDecode>,
    /// The token claims to mask (`maskClaims`).
    pub mask_claims: Option<Vec<String>>,
    /// Whether to mask other occurrences of the secret in the file (`maskDuplicates`).
    pub mask_duplicates: Option<bool>,
    /// The hosts that receive the real secret (`injectHosts`).
    pub inject_hosts: Option<Vec<String>>,
}

/// An environment variable that contains a secret.
#[wire(camelCase, new)]
pub struct CredentialVar {
    /// The variable (`name`).
    pub name: Box<str>,
    /// What a command can see of it (`mode`).
    pub mode: CredentialMode,
    /// A regular expression for the secret within the text (`extract`).
    pub extract: Option<String>,
    /// How to continue if it does not match (`onExtractNoMatch`).
    pub on_extract_no_match: Option<SecretNoMatch>,
    /// The format of the secret (`decode`).
    pub decode: Option<SecretDecode>,
    /// The token claims to mask (`maskClaims`).
    pub mask_claims: Option<Vec<String>>,
    /// The hosts that receive the real secret (`injectHosts`).
    pub inject_hosts: Option<Vec<String>>,
}

/// What a command can see of a secret.
#[wire]
pub enum CredentialMode {
    /// Nothing.
    Deny = "deny",
    /// A placeholder, which the proxy replaces in requests to the hosts that may receive the secret.
    Mask = "mask",
}

/// How to continue if no secret is found.
#[wire]
pub enum SecretNoMatch {
    /// Commands see nothing.
    Deny = "deny",
    /// Fail.
    Error = "error",
    /// Warn the user.
    Warn = "warn",
}

/// The format of a secret.
#[wire]
pub enum SecretDecode {
    /// A JSON web token.
    Jwt = "jwt",
}

/// The names of the variables that contain a pair of AWS keys.
#[wire(Eq, camelCase, new)]
pub struct AwsPair {
    /// The variable of the access key id (`accessKeyIdVar`).
    pub access_key_id_var: Box<str>,
    /// The variable of the secret key (`secretAccessKeyVar`).
    pub secret_access_key_var: Box<str>,
    /// The variable of the session token (`sessionTokenVar`).
    pub session_token_var: Option<Box<str>>,
}

/// How to treat signed requests that the proxy can't sign again (`sigv4`).
#[wire(Default, Eq)]
pub struct SigV4 {
    /// Streamed requests (`streaming`).
    pub streaming: Option<SigningRule>,
    /// Presigned URLs (`presigned`).
    pub presigned: Option<SigningRule>,
    /// Requests signed for several regions (`sigv4a`).
    pub sigv4a: Option<SigningRule>,
}

/// How to treat a request that can't be signed again.
#[wire]
pub enum SigningRule {
    /// Reject the request.
    Deny = "deny",
    /// Send the request unchanged.
    Passthrough = "passthrough",
}
