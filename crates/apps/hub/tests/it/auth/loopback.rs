//! The browser's redirect to a port of this machine.

use agentwire_hub::auth::{AuthorizationRequest, Loopback};
use tokio::{
    io::AsyncWriteExt as _,
    net::TcpStream,
    time::{pause, timeout},
};

use super::{Guarded, HTTP, LIMIT, visit};

#[tokio::test]
async fn redirect_arrives_although_another_connection_is_silent() {
    let Guarded { hub, .. } = &Guarded::start(HTTP).await;
    let loopback = Loopback::bind().await.unwrap();
    let request = AuthorizationRequest::new(loopback.redirect_uri());
    let authorization = hub.authorize("web", request).await.unwrap();
    let redirect = visit(authorization.url()).await.unwrap();
    let (host, path) = redirect.strip_prefix("http://").unwrap().split_once('/').unwrap();
    // A browser connects ahead of its requests.
    let _silent = TcpStream::connect(host).await.unwrap();
    let mut browser = TcpStream::connect(host).await.unwrap();
    browser.write_all(format!("GET /{path} HTTP/1.1\r\n\r\n").as_bytes()).await.unwrap();
    pause();
    let came = timeout(LIMIT, loopback.redirect(&authorization)).await.unwrap().unwrap();
    assert_eq!(came, redirect);
}
