//! A redirect address on a loopback port, for programs without an address of their own.

use std::{io, net::Ipv4Addr, time::Duration};

use reqwest::Url;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    time::timeout,
};

use super::Authorization;

/// A listener on 127.0.0.1 for the browser's redirect at the end of an authorization (RFC 8252, section 7.3).
#[derive(Debug)]
pub struct Loopback {
    listener: TcpListener,
    redirect_uri: String,
}

impl Loopback {
    /// Listens on a free port.
    ///
    /// # Errors
    ///
    /// If no port is free.
    pub async fn bind() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let redirect_uri = format!("http://{}/callback", listener.local_addr()?);
        Ok(Self { listener, redirect_uri })
    }

    /// Returns the redirect URI for the authorization request.
    pub fn redirect_uri(&self) -> &str {
        &self.redirect_uri
    }

    /// Waits for the browser's redirect with the answer to this authorization, shows the user that the window can be closed,
    /// and returns the address for [`Authorization::finish`].
    ///
    /// All other GET requests get status 404. The caller limits the time.
    ///
    /// # Errors
    ///
    /// If the socket fails.
    ///
    /// # Cancel safety
    ///
    /// The future can be dropped at any time.
    pub async fn redirect(&self, authorization: &Authorization) -> io::Result<String> {
        loop {
            let (mut browser, _) = self.listener.accept().await?;
            // A silent connection must not delay the next one for long.
            let Ok(Ok(Some(target))) = timeout(PATIENCE, target(&mut browser)).await else { continue };
            let redirect = redirect(authorization.pending.redirect_uri(), &target)
                .filter(|redirect| authorization.pending.is_answered_by(redirect));
            let answer = if redirect.is_some() { DONE } else { UNKNOWN };
            let answered = timeout(PATIENCE, async {
                browser.write_all(answer.as_bytes()).await?;
                browser.shutdown().await
            });
            // The redirect counts even if the browser did not wait for the page.
            let _ = answered.await;
            if let Some(redirect) = redirect {
                return Ok(redirect);
            }
        }
    }
}

/// Returns the complete address of a request, if its path is the one of the redirect URI.
fn redirect(redirect_uri: &str, target: &str) -> Option<String> {
    let expected = Url::parse(redirect_uri).ok()?;
    let came = expected.join(target).ok()?;
    let is_there = came.origin() == expected.origin() && came.path() == expected.path();
    is_there.then(|| came.into())
}

/// Reads a request and returns its target, if it is a GET request.
async fn target(browser: &mut TcpStream) -> io::Result<Option<String>> {
    let mut head = Vec::new();
    let mut part = [0; 1024];
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let count = browser.read(&mut part).await?;
        if count == 0 || head.len() > LONGEST {
            return Ok(None);
        }
        head.extend_from_slice(&part[..count]);
    }
    let head = String::from_utf8_lossy(&head);
    let mut words = head.lines().next().unwrap_or_default().split(' ');
    Ok(words.next().filter(|method| *method == "GET").and(words.next()).map(str::to_owned))
}

const PATIENCE: Duration = Duration::from_secs(5);
const LONGEST: usize = 64 * 1024;
const DONE: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: 79\r\ncache-control: no-store\r\nconnection: close\r\n\r\n<!doctype html><title>Done</title><p>Done. You can close this window now.</p>\r\n";
const UNKNOWN: &str = "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

#[cfg(test)]
mod tests {
    use super::{DONE, redirect};

    #[test]
    fn only_the_redirect_path_is_accepted() {
        let came = |target| redirect("http://127.0.0.1:80/a/b", target);
        assert_eq!(came("/a/b?code=1").as_deref(), Some("http://127.0.0.1/a/b?code=1"));
        assert!(redirect("http://localhost:99", "/?code=1").is_some());
        for other in ["/a?code=1", "/a/b/?code=1", "//127.0.0.2/a/b?code=1", "http://other/a/b?code=1", "*"] {
            assert_eq!(came(other), None, "{other}");
        }
    }

    #[test]
    fn page_has_its_declared_length() {
        let (head, body) = DONE.split_once("\r\n\r\n").unwrap();
        assert!(head.contains(&format!("content-length: {}\r\n", body.len())), "{}", body.len());
    }
}
