//! A small HTTP client for the tests of the scripted model.

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, BufReader},
    net::TcpStream,
};

/// A response that came to its end, or broke off.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    /// The head as it came, in lower case.
    pub(crate) head: String,
    pub(crate) body: String,
    /// Whether the body ended as it should.
    pub(crate) complete: bool,
}

/// An open response, read piece by piece.
pub(crate) struct Exchange {
    stream: BufReader<TcpStream>,
    head: String,
}

impl Exchange {
    pub(crate) async fn start(base: &str, method: &str, path: &str, body: &str) -> Self {
        let address = base.strip_prefix("http://").unwrap();
        let mut stream = TcpStream::connect(address).await.unwrap();
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {address}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut exchange = Self { stream: BufReader::new(stream), head: String::new() };
        while !exchange.head.ends_with("\r\n\r\n") {
            let byte = exchange.stream.read_u8().await.unwrap();
            exchange.head.push(char::from(byte.to_ascii_lowercase()));
        }
        exchange
    }

    pub(crate) fn status(&self) -> u16 {
        self.head.split(' ').nth(1).unwrap().parse().unwrap()
    }

    /// Reads one chunk of a chunked body; `None` at its end, an error if it breaks off.
    pub(crate) async fn chunk(&mut self) -> Result<Option<String>, ()> {
        let mut size = String::new();
        while !size.ends_with("\r\n") {
            size.push(char::from(self.stream.read_u8().await.map_err(|_| ())?));
        }
        let size = usize::from_str_radix(size.trim(), 16).unwrap();
        let mut chunk = vec![0; size + 2];
        self.stream.read_exact(&mut chunk).await.map_err(|_| ())?;
        chunk.truncate(size);
        Ok((size > 0).then(|| String::from_utf8(chunk).unwrap()))
    }

    /// Reads chunks until the body contains this text.
    pub(crate) async fn until(&mut self, text: &str) -> String {
        let mut body = String::new();
        while !body.contains(text) {
            body.push_str(&self.chunk().await.unwrap().unwrap());
        }
        body
    }

    pub(crate) async fn finish(mut self) -> Response {
        let (mut body, mut complete) = (String::new(), true);
        if self.head.contains("transfer-encoding: chunked") {
            loop {
                match self.chunk().await {
                    Ok(Some(chunk)) => body.push_str(&chunk),
                    Ok(None) => break,
                    Err(()) => {
                        complete = false;
                        break;
                    }
                }
            }
        } else {
            self.stream.read_to_string(&mut body).await.unwrap();
        }
        Response { status: self.status(), head: self.head, body, complete }
    }
}
