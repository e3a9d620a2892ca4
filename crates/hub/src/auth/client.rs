//! The HTTP client of the authorization: `rmcp` says what to ask, this asks.

use std::{sync::Arc, time::Duration};

use reqwest::{Client, Request, Url, redirect::Policy};
use rmcp::transport::{
    OAuthHttpClient, OAuthHttpClientError, OAuthHttpClientFuture, OAuthHttpRedirectPolicy, OAuthHttpRequest,
};

use super::resolver::Careful;
use crate::transport::{
    link::Ended,
    web::{client, told},
};

/// Asks authorization servers, with the TLS of the connections.
pub(super) struct OAuthClient {
    follow: Client,
    stop: Client,
}

impl OAuthClient {
    /// For the authorization of the server at this address.
    pub(super) fn new(server: &Url) -> Result<Self, Ended> {
        let careful = Arc::new(Careful::for_server(server));
        let client = |redirects| {
            let builder = client(redirects)?.dns_resolver(Arc::clone(&careful));
            builder.build().map_err(|error| Ended::unusable(told(error)))
        };
        Ok(Self { follow: client(Policy::limited(REDIRECTS))?, stop: client(Policy::none())? })
    }

    async fn ask(&self, asked: OAuthHttpRequest) -> Result<http::Response<Vec<u8>>, OAuthHttpClientError> {
        let client = match asked.redirect_policy {
            OAuthHttpRedirectPolicy::Follow => &self.follow,
            _ => &self.stop,
        };
        let limit = asked.timeout.unwrap_or(LIMIT);
        let request = Request::try_from(asked.request).map_err(told)?;
        let exchange = async {
            let mut response = client.execute(request).await.map_err(told)?;
            let mut answer = http::Response::builder().status(response.status());
            if let Some(headers) = answer.headers_mut() {
                headers.clone_from(response.headers());
            }
            let mut body = Vec::new();
            while let Some(chunk) = response.chunk().await.map_err(told)? {
                if body.len() + chunk.len() > LARGEST {
                    return Err("the answer is larger than any of an authorization server".into());
                }
                body.extend_from_slice(&chunk);
            }
            Ok(answer.body(body)?)
        };
        match tokio::time::timeout(limit, exchange).await {
            Ok(answer) => answer,
            Err(_) => Err("there was no answer in time".into()),
        }
    }
}

impl OAuthHttpClient for OAuthClient {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(self.ask(request))
    }
}

const REDIRECTS: usize = 5;
const LIMIT: Duration = Duration::from_secs(30);
const LARGEST: usize = 1024 * 1024;
