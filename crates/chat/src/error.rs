//! Why there is no answer.

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChatError {
    /// The model could not be asked.
    #[error("the model could not be asked")]
    Api(#[from] ApiError),
    /// The model was still calling tools after so many rounds. The conversation stands: ask again to go on.
    #[error("the model was not done after {0} rounds")]
    TooManyRounds(usize),
}

/// What went wrong with the API.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApiError {
    /// A variable of the environment is missing, or is no text.
    #[error("the environment has no `{0}`")]
    Variable(&'static str),
    /// The address of the API is none.
    #[error("`{0}` is no address of an API: it begins with https://, or http://")]
    Address(String),
    /// The TLS of this machine could not be set up.
    #[error("TLS could not be set up")]
    Tls(#[source] rustls::Error),
    /// The API could not be reached, or the connection broke.
    #[error("the API could not be reached")]
    Http(#[source] reqwest::Error),
    /// The API refused the request.
    #[error("the API answered {status}: {message}")]
    Refused {
        /// The HTTP status.
        status: u16,
        /// What it said.
        message: String,
    },
    /// The answer is longer than 64 MiB.
    #[error("the answer is too long")]
    TooLong,
    /// The answer is no message of the API.
    #[error("the answer is no message")]
    NoMessage(#[source] serde_json::Error),
}
