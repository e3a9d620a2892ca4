//! All that a session tells, in short words and as it came.

use agentwire::{Error, Incoming, Message, Query, Session};
use serde_json::Value;

/// What was told, to the end of a turn or of the session.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// What each thing is, in a word or two.
    pub(crate) words: Vec<String>,
    pub(crate) all: Vec<Incoming>,
    pub(crate) error: Option<Error>,
}

impl Told {
    /// To the end of the session, and nothing comes after it.
    pub(crate) async fn by(session: &mut Session) -> Self {
        let mut told = Self::default();
        while let Some(incoming) = session.next().await {
            assert!(told.error.is_none(), "{incoming:?} after an error");
            told.add(incoming);
        }
        assert!(session.next().await.is_none());
        told
    }

    /// To the end of the query, and nothing comes after it.
    pub(crate) async fn by_query(query: &mut Query) -> Self {
        let mut told = Self::default();
        while let Some(incoming) = query.next().await {
            assert!(told.error.is_none(), "{incoming:?} after an error");
            told.add(incoming);
        }
        assert!(query.next().await.is_none());
        told
    }

    /// Asks, and gives all up to the result of the turn, or to its error.
    pub(crate) async fn turn(session: &mut Session, prompt: &str) -> Self {
        let mut told = Self::default();
        let mut turn = session.ask(prompt).await.unwrap();
        while let Some(incoming) = turn.next().await {
            told.add(incoming);
        }
        told
    }

    fn add(&mut self, incoming: Result<Incoming, Error>) {
        match incoming {
            // Receipts of prompts have tests of their own.
            Ok(incoming) if word(&incoming) == "command_lifecycle" => {}
            Ok(incoming) => {
                self.words.push(word(&incoming));
                self.all.push(incoming);
            }
            Err(error) => self.error = Some(error),
        }
    }

    /// The words without what tells only of the session's state.
    pub(crate) fn said(&self) -> Vec<&str> {
        self.words.iter().map(String::as_str).filter(|word| !word.starts_with("system")).collect()
    }

    pub(crate) fn error(&self) -> &Error {
        self.error.as_ref().expect("an error")
    }

    /// The lines, as JSON where they are.
    pub(crate) fn lines(&self) -> impl Iterator<Item = Value> {
        self.all.iter().map(line)
    }

    /// The answers that the CLI was given to its questions.
    pub(crate) fn answers(&self) -> Vec<Value> {
        self.lines()
            .filter(|line| line["type"] == "fault_report")
            .map(|mut line| line["answer"].take())
            .collect()
    }

    /// What became of the tool.
    pub(crate) fn tool_results(&self) -> Vec<String> {
        let results = self.lines().filter(|line| line["type"] == "user");
        results.map(|line| line["message"]["content"][0]["content"].as_str().unwrap().to_owned()).collect()
    }

    /// The texts of the assistant.
    pub(crate) fn texts(&self) -> Vec<String> {
        let said = self.lines().filter(|line| line["type"] == "assistant");
        said.filter_map(|line| Some(line["message"]["content"][0]["text"].as_str()?.to_owned())).collect()
    }
}

/// The line that something came as.
pub(crate) fn line(incoming: &Incoming) -> Value {
    let line = incoming.line().and_then(|line| line.to_str().ok());
    line.and_then(|line| serde_json::from_str(line.trim_start_matches('\u{feff}')).ok()).unwrap_or_default()
}

/// What something is.
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

/// A good turn: everything still works.
pub(crate) async fn goes_on(session: &mut Session) {
    let result = session.ask("go on").await.unwrap().finish().await.unwrap().expect("a result");
    assert_eq!(result.result.as_deref(), Some("hello"));
}

/// A good end: everything was well.
pub(crate) async fn ends_well(session: Session) {
    session.close().await.unwrap();
}
