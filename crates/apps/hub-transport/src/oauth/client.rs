//! The HTTP client for requests of `rmcp` to authorization servers.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use agentwire_net::error_chain;
use reqwest::{
    Method, Request, Response, StatusCode,
    header::{self, HeaderValue},
    redirect::Policy,
};
use rmcp::transport::{
    OAuthHttpClient, OAuthHttpClientError, OAuthHttpClientFuture, OAuthHttpRedirectPolicy, OAuthHttpRequest,
};

use super::{
    answers::{Answer, is_guess, readable, resource, unanswered, wants_nonce, wrong_issuer},
    dpop::Dpop,
    network::Network,
};
use crate::web::{Proof as _, client, error_text};

/// An HTTP client for authorization servers, with the TLS settings of the connections.
pub(crate) struct OAuthClient {
    network: Arc<Network>,
    /// The key for bound tokens.
    dpop: Option<Arc<Dpop>>,
    /// The server's identifier in its metadata, as read last.
    resource: Mutex<Option<String>>,
}

impl OAuthClient {
    pub(crate) fn new(network: Arc<Network>, dpop: Option<Arc<Dpop>>) -> Self {
        Self { network, dpop, resource: Mutex::default() }
    }

    /// Returns the identifier of the server in the metadata that was read last (RFC 9728), which `rmcp` does not
    /// expose.
    pub(crate) fn resource(&self) -> Option<String> {
        self.resource.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn send_checked(&self, request: OAuthHttpRequest) -> Result<Answer, OAuthHttpClientError> {
        let redirects = match request.redirect_policy {
            OAuthHttpRedirectPolicy::Follow => REDIRECTS,
            _ => 0,
        };
        let limit = request.timeout;
        let request = Request::try_from(request.request).map_err(error_text)?;
        let (is_for_token, url) = (is_token_request(&request), request.url().clone());
        let mut answer = match self.exchange(request, redirects, limit).await {
            Err(error) if is_for_token => return Ok(unanswered(&error_chain(&*error))),
            answer => answer?,
        };
        if let Some(why) = wrong_issuer(&url, &answer) {
            return Err(why.into());
        }
        if is_guess(&url, &answer) {
            *answer.status_mut() = StatusCode::NOT_FOUND;
        }
        let answer = if is_for_token { readable(answer) } else { answer };
        if let Some(resource) = resource(&answer) {
            *self.resource.lock().unwrap_or_else(PoisonError::into_inner) = Some(resource);
        }
        Ok(answer)
    }

    /// Sends a request and reads its answer. With a key, a request for a token gets a proof of possession.
    pub(crate) async fn exchange(
        &self,
        request: Request,
        redirects: usize,
        limit: Option<Duration>,
    ) -> Result<Answer, OAuthHttpClientError> {
        let exchange = async {
            match &self.dpop {
                Some(dpop) if is_token_request(&request) => self.prove(dpop, request).await,
                _ => whole(self.send(request, redirects).await?).await,
            }
        };
        match tokio::time::timeout(limit.unwrap_or(LIMIT), exchange).await {
            Ok(answer) => answer,
            Err(_) => Err("there was no answer in time".into()),
        }
    }

    /// Sends a request with a proof, and again if the server requires its nonce. Follows no redirect: the proof is
    /// valid for one URL.
    async fn prove(&self, dpop: &Dpop, request: Request) -> Result<Answer, OAuthHttpClientError> {
        let url = request.url().clone();
        let (again, nonce) = (request.try_clone(), dpop.nonce(&url));
        let answer = whole(self.send_once(dpop.prove(request)?).await?).await?;
        dpop.note(&url, answer.headers());
        match again {
            Some(again) if wants_nonce(&answer) && dpop.nonce(&url) != nonce => {
                let answer = whole(self.send_once(dpop.prove(again)?).await?).await?;
                dpop.note(&url, answer.headers());
                Ok(answer)
            }
            _ => Ok(answer),
        }
    }

    /// Sends a request and follows redirects. Each URL is checked.
    async fn send(&self, mut request: Request, redirects: usize) -> Result<Response, OAuthHttpClientError> {
        for _ in 0..redirects {
            let again = request.try_clone();
            let response = self.send_once(request).await?;
            match again.and_then(|again| redirected(again, &response)) {
                Some(next) => request = next,
                None => return Ok(response),
            }
        }
        self.send_once(request).await
    }

    async fn send_once(&self, request: Request) -> Result<Response, OAuthHttpClientError> {
        let host = request.url().host_str().unwrap_or_default();
        let addresses = self.network.addresses(request.url()).await?;
        // A client for each request: it connects to the checked addresses without another lookup.
        let client = client(Policy::none());
        let client = client.resolve_to_addrs(host, &addresses).build().map_err(error_text)?;
        client.execute(request).await.map_err(|error| error_text(error).into())
    }
}

/// Returns the request for a redirect. Only redirects that keep method and body are followed.
fn redirected(mut request: Request, response: &Response) -> Option<Request> {
    let keeps = [StatusCode::TEMPORARY_REDIRECT, StatusCode::PERMANENT_REDIRECT];
    if !keeps.contains(&response.status()) {
        return None;
    }
    let location = response.headers().get(header::LOCATION)?.to_str().ok()?;
    let next = request.url().join(location).ok()?;
    if next.origin() != request.url().origin() {
        request.headers_mut().remove(header::AUTHORIZATION);
    }
    *request.url_mut() = next;
    Some(request)
}

/// Returns whether it is a request for a token by its content type; registrations of clients are JSON.
fn is_token_request(request: &Request) -> bool {
    let kind = request.headers().get(header::CONTENT_TYPE).map(HeaderValue::as_bytes);
    request.method() == Method::POST
        && kind.is_some_and(|kind| kind.starts_with(b"application/x-www-form-urlencoded"))
}

/// Reads the whole answer.
async fn whole(mut response: Response) -> Result<Answer, OAuthHttpClientError> {
    let mut answer = http::Response::builder().status(response.status());
    if let Some(headers) = answer.headers_mut() {
        headers.clone_from(response.headers());
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(error_text)? {
        if body.len() + chunk.len() > LARGEST {
            return Err("the answer is larger than any of an authorization server".into());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(answer.body(body)?)
}

impl OAuthHttpClient for OAuthClient {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(self.send_checked(request))
    }
}

const REDIRECTS: usize = 5;
const LIMIT: Duration = Duration::from_secs(30);
const LARGEST: usize = 1024 * 1024;

#[cfg(test)]
mod tests {
    use std::{sync::Arc, time::Duration};

    use reqwest::{Method, Request, Url};
    use tokio::{
        io::{AsyncReadExt as _, AsyncWriteExt as _},
        net::TcpListener,
        time::{pause, timeout},
    };

    use super::{LARGEST, Network, OAuthClient};

    fn client(server: &str) -> OAuthClient {
        OAuthClient::new(Arc::new(Network::of(&Url::parse(server).unwrap())), None)
    }

    fn post(url: String) -> Request {
        let mut request = Request::new(Method::POST, Url::parse(&url).unwrap());
        *request.body_mut() = Some("body".into());
        request
    }

    #[tokio::test]
    async fn nothing_is_sent_to_a_private_address_for_a_public_server() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        for server in ["https://1.1.1.1/mcp", "http://1.1.1.1/mcp"] {
            for host in ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0"] {
                for scheme in ["http", "https"] {
                    let url = format!("{scheme}://{host}:{port}/register");
                    assert!(client(server).send(post(url.clone()), 5).await.is_err(), "{server} {url}");
                }
            }
        }
        let came = std::pin::pin!(listener.accept());
        assert!(futures_util::FutureExt::now_or_never(came).is_none());
    }

    #[tokio::test]
    async fn redirect_is_checked_like_the_first_address() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let answering = async {
            let mut requests = Vec::new();
            for location in [format!("http://localhost:{port}/b"), "ftp://127.0.0.1/c".to_owned()] {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut request = [0; 4096];
                let count = stream.read(&mut request).await.unwrap();
                requests.push(String::from_utf8_lossy(&request[..count]).into_owned());
                let answer = format!(
                    "HTTP/1.1 307 Moved\r\nlocation: {location}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
                );
                stream.write_all(answer.as_bytes()).await.unwrap();
            }
            requests
        };
        let client = client(&format!("http://127.0.0.1:{port}/mcp"));
        let mut request = post(format!("http://127.0.0.1:{port}/a"));
        request.headers_mut().insert("authorization", "Basic x".parse().unwrap());
        let (requests, answer) = tokio::join!(answering, client.send(request, 5));
        assert_eq!(answer.unwrap_err().to_string(), "ftp://127.0.0.1 is not https");
        assert!(requests[0].starts_with("POST /a ") && requests[0].contains("authorization: Basic x"));
        assert!(requests[1].starts_with("POST /b ") && !requests[1].contains("authorization"));
    }

    #[tokio::test]
    async fn answer_over_the_limit_is_an_error() {
        for (size, fits) in [(LARGEST, true), (LARGEST + 1, false)] {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let server = format!("http://{}/", listener.local_addr().unwrap());
            let answering = async {
                let (mut stream, _) = listener.accept().await.unwrap();
                assert_ne!(stream.read(&mut [0; 4096]).await.unwrap(), 0);
                let mut answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {size}\r\n\r\n").into_bytes();
                answer.resize(answer.len() + size, b'x');
                // The client closes the connection at the limit.
                let _ = stream.write_all(&answer).await;
            };
            let request = Request::new(Method::GET, Url::parse(&server).unwrap());
            let client = client(&server);
            let ((), answer) = tokio::join!(answering, client.exchange(request, 0, None));
            let size_read = answer.map(|answer| answer.body().len()).map_err(|error| error.to_string());
            let too_large = "the answer is larger than any of an authorization server".to_owned();
            assert_eq!(size_read, if fits { Ok(size) } else { Err(too_large) });
        }
    }

    #[tokio::test]
    async fn silent_server_is_an_error_in_time() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = format!("http://{}/", listener.local_addr().unwrap());
        let silent = async {
            let (mut stream, _) = listener.accept().await.unwrap();
            assert_ne!(stream.read(&mut [0; 4096]).await.unwrap(), 0);
            // The connection is open, and only the answer is missing.
            pause();
            stream
        };
        let client = client(&server);
        let exchange = timeout(Duration::from_secs(60), client.exchange(post(server), 0, None));
        let (_open, answer) = tokio::join!(silent, exchange);
        assert_eq!(answer.unwrap().unwrap_err().to_string(), "there was no answer in time");
    }
}
