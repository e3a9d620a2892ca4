//! Collects the messages of a session, as short words and as lines.

use agentwire::{Error, Incoming, Message, Query, Session, SessionBuilder};
use serde_json::Value;

/// The messages up to the end of a turn or of the session.
#[derive(Debug, Default)]
pub(crate) struct Received {
    /// The kind of each message, in a word or two.
    pub(crate) words: Vec<String>,
    pub(crate) all: Vec<Incoming>,
    pub(crate) error: Option<Error>,
}

impl Received {
    /// Reads to the end of the session and checks that nothing follows.
    pub(crate) async fn by(session: &mut Session) -> Self {
        Self::all(async || session.next().await).await
    }

    /// Reads to the end of the query and checks that nothing follows.
    pub(crate) async fn by_query(query: &mut Query) -> Self {
        Self::all(async || query.next().await).await
    }

    async fn all(mut next: impl AsyncFnMut() -> Option<Result<Incoming, Error>>) -> Self {
        let mut received = Self::default();
        while let Some(incoming) = next().await {
            assert!(received.error.is_none(), "{incoming:?} after an error");
            received.add(incoming);
        }
        assert!(next().await.is_none());
        received
    }

    /// Connects, sends a prompt and reads to the end of the session.
    pub(crate) async fn to_the_end(builder: SessionBuilder) -> (Session, Self) {
        let mut session = builder.connect().await.unwrap();
        session.send("hi").await.unwrap();
        let received = Self::by(&mut session).await;
        (session, received)
    }

    /// Sends a prompt and reads up to the result of its turn or its error.
    pub(crate) async fn turn(session: &mut Session, prompt: &str) -> Self {
        let mut received = Self::default();
        let mut turn = session.ask(prompt).await.unwrap();
        while let Some(incoming) = turn.next().await {
            received.add(incoming);
        }
        received
    }

    fn add(&mut self, incoming: Result<Incoming, Error>) {
        match incoming {
            // Receipts of prompts have their own tests.
            Ok(incoming) if word(&incoming) == "command_lifecycle" => {}
            Ok(incoming) => {
                self.words.push(word(&incoming));
                self.all.push(incoming);
            }
            Err(error) => self.error = Some(error),
        }
    }

    /// Returns the words without the events of the session's state.
    pub(crate) fn kinds(&self) -> Vec<&str> {
        self.words.iter().map(String::as_str).filter(|word| !word.starts_with("system")).collect()
    }

    pub(crate) fn error(&self) -> &Error {
        self.error.as_ref().expect("an error")
    }

    /// Returns the lines that are JSON.
    pub(crate) fn lines(&self) -> impl Iterator<Item = Value> {
        self.all.iter().map(line)
    }

    /// Returns the answers that the CLI received to its requests.
    pub(crate) fn answers(&self) -> Vec<Value> {
        self.lines()
            .filter(|line| line["type"] == "fault_report")
            .map(|mut line| line["answer"].take())
            .collect()
    }

    /// Returns the results of the tool.
    pub(crate) fn tool_results(&self) -> Vec<String> {
        let results = self.lines().filter(|line| line["type"] == "user");
        results.map(|line| line["message"]["content"][0]["content"].as_str().unwrap().to_owned()).collect()
    }

    /// Returns the assistant's texts.
    pub(crate) fn texts(&self) -> Vec<String> {
        let answers = self.lines().filter(|line| line["type"] == "assistant");
        answers.filter_map(|line| Some(line["message"]["content"][0]["text"].as_str()?.to_owned())).collect()
    }
}

/// Returns the original line of a message.
pub(crate) fn line(incoming: &Incoming) -> Value {
    let line = incoming.line().and_then(|line| line.to_str().ok());
    line.and_then(|line| serde_json::from_str(line.trim_start_matches('\u{feff}')).ok()).unwrap_or_default()
}

/// Returns the kind of a message in a word.
pub(crate) fn word(incoming: &Incoming) -> String {
    match incoming {
        Incoming::Message(Message::System(_), _) => {
            format!("system {}", line(incoming)["subtype"].as_str().unwrap())
        }
        Incoming::Message(message, _) => message.kind().to_owned(),
        Incoming::Undecodable(..) => "undecodable".to_owned(),
        Incoming::NonJson(_) => "noise".to_owned(),
        Incoming::TooLong(_) => "too long".to_owned(),
        Incoming::Unhandled(message, _) => format!("unhandled {}", message.kind()),
        other => panic!("{other:?}"),
    }
}

/// Plays a successful turn: everything still works.
pub(crate) async fn completes_a_turn(session: &mut Session) {
    let result = session.ask("go on").await.unwrap().finish().await.unwrap().expect("a result");
    assert_eq!(result.result.as_deref(), Some("hello"));
}

/// Plays a successful turn and a clean end.
pub(crate) async fn completes_a_turn_and_closes(mut session: Session) {
    completes_a_turn(&mut session).await;
    session.close().await.unwrap();
}
