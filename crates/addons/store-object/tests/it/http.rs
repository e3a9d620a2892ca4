//! A plain HTTP client, so that the tests need no TLS.

use std::pin::Pin;
use std::time::Duration;

use http_body_util::BodyExt as _;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector as Tcp;
use hyper_util::rt::TokioExecutor;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpRequestBody, HttpResponse,
    HttpResponseBody, HttpService,
};

/// A connector for plain HTTP.
#[derive(Debug)]
pub(crate) struct Plain;

impl HttpConnector for Plain {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(PlainClient(Client::builder(TokioExecutor::new()).build_http())))
    }
}

#[derive(Debug)]
struct PlainClient(Client<Tcp, HttpRequestBody>);

impl HttpService for PlainClient {
    // Written without the attribute of `async-trait`.
    fn call<'a, 'b>(
        &'a self,
        request: HttpRequest,
    ) -> Pin<Box<dyn Future<Output = Result<HttpResponse, HttpError>> + Send + 'b>>
    where
        'a: 'b,
        Self: 'b,
    {
        Box::pin(async move {
            let answered = tokio::time::timeout(LIMIT, self.0.request(request)).await;
            let response = answered.map_err(|late| HttpError::new(HttpErrorKind::Timeout, late))?;
            let response = response.map_err(|error| {
                let kind = if error.is_connect() { HttpErrorKind::Connect } else { HttpErrorKind::Request };
                HttpError::new(kind, error)
            })?;
            let (parts, body) = response.into_parts();
            let body = body.map_err(|error| HttpError::new(HttpErrorKind::Interrupted, error));
            Ok(HttpResponse::from_parts(parts, HttpResponseBody::new(body)))
        })
    }
}

const LIMIT: Duration = Duration::from_secs(30);
