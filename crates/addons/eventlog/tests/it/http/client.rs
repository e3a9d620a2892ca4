//! A reader of server-sent events.

use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::TcpStream,
};

#[derive(Debug)]
pub(crate) struct Reader {
    stream: BufReader<TcpStream>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) name: String,
    pub(crate) id: String,
    pub(crate) data: String,
}

impl Reader {
    /// Sends the request; an error is a response with another status than 200.
    pub(crate) async fn connect(address: &str, path: &str, last: Option<&str>) -> Result<Self, String> {
        let mut stream = BufReader::new(TcpStream::connect(address).await.unwrap());
        // A response to HTTP/1.0 is not in chunks.
        let last = last.map(|id| format!("Last-Event-ID: {id}\r\n")).unwrap_or_default();
        stream.write_all(format!("GET {path} HTTP/1.0\r\n{last}\r\n").as_bytes()).await.unwrap();
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(stream.read_line(&mut head).await.unwrap() > 0, "the response has no body: {head}");
        }
        if !head.contains(" 200 ") {
            stream.read_to_string(&mut head).await.unwrap();
            return Err(head);
        }
        assert!(head.contains("text/event-stream"), "{head}");
        Ok(Self { stream })
    }

    /// Returns the next event with data; `None` at the end of the response.
    pub(crate) async fn next(&mut self) -> Option<Event> {
        let mut event = Event::default();
        loop {
            let line = self.line().await?;
            match line.split_once(": ") {
                Some(("event", name)) => name.clone_into(&mut event.name),
                Some(("id", id)) => id.clone_into(&mut event.id),
                Some(("data", data)) => event.data.push_str(data),
                _ if line.is_empty() && !event.data.is_empty() => return Some(event),
                _ => {}
            }
        }
    }

    /// Waits for a comment.
    pub(crate) async fn comment(&mut self) -> Option<()> {
        while !self.line().await?.starts_with(':') {}
        Some(())
    }

    async fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = self.stream.read_line(&mut line).await.unwrap();
        (read > 0).then(|| line.trim_end_matches('\n').to_owned())
    }
}
