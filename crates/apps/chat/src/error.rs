//! Errors of the chat loop and the API.

/// An error of the chat loop.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChatError {
    /// A request to the model failed.
    #[error("the model could not be asked")]
    Api(#[from] ApiError),
    /// The model was still calling tools after this many requests. The conversation remains and can be continued.
    #[error("the model was not done after {0} rounds")]
    TooManyRounds(usize),
}

/// An error of the API.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApiError {
    /// An environment variable is missing or empty, or is not valid Unicode.
    #[error("the environment has no `{0}`, or it is not valid Unicode")]
    Variable(&'static str),
    /// The URL of the API is invalid.
    #[error("`{0}` is not the address of an API: it begins with https://, or http://")]
    Address(String),
    /// The key can't be sent in a header.
    #[error("the key has a control character, such as a line break")]
    Key,
    /// The API could not be reached, or the connection broke.
    #[error("the API could not be reached")]
    Http(#[source] reqwest::Error),
    /// The API refused the request.
    #[error("the API answered {status}: {message}")]
    Refused {
        /// The HTTP status.
        status: u16,
        /// The error message.
        message: String,
    },
    /// The answer is longer than 64 MiB.
    #[error("the answer is too long")]
    TooLong,
    /// The answer is not a valid message, such as a page of a proxy.
    #[error("the answer is not a message: {0}")]
    NoMessage(String),
}
